import type { Conversation, SummaryModel } from "#agent";
import type { Auxiliary, Models } from "#model";

/** The window of the model that writes summaries decides how much it can read at once. */
export function summaryModelOf(
  auxiliary: Auxiliary,
  { target }: Conversation,
  models: Pick<Models, "catalog">,
): SummaryModel | undefined {
  const planned = auxiliary.planned("compression");
  if (planned?.model === undefined) return undefined;
  const { provider, model } = planned;
  const isMain = provider === target.provider && model === target.model;
  const contextWindow = isMain
    ? target.limits.contextWindow
    : models.catalog.catalog.window({ provider, model, baseUrl: "" }).tokens;
  return { model, contextWindow, isMain };
}
