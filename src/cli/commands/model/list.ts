import { defined } from "#foundation/defined";
import { shortWindow } from "#foundation/text/figures";
import type { PickerEntry, PriceQuote, ResolveContext } from "#model";
import type { Invocation } from "../../command.ts";
import { flagText } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { type ModelAccess, openModelAccess } from "../../support/models.ts";
import { endpointsOf, findProvider } from "../../support/provider.ts";

interface Row {
  readonly provider: string;
  readonly model: string;
  readonly context_window: number | null;
  readonly usd_per_million_input: number | null;
  readonly usd_per_million_output: number | null;
  readonly is_current: boolean;
}

/** What can be chosen now, from what is known without asking the network. */
export async function modelList(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  await using parts = await openModelAccess(invocation);
  const asked = flagText(invocation, "provider");
  const entries = await offered(parts, asked, invocation.io.signal);
  const rows = entries.flatMap((entry) => entry.models.map((model) => rowOf(parts, entry, model)));
  const { provider, default: model } = parts.loaded.config.model;
  out.document({ current: { provider, model }, models: rows });
  if (rows.length === 0) {
    out.line("No provider has a credential yet. Connect one with: hermes model");
    return 0;
  }
  out.table(
    [
      { title: "" },
      { title: "Provider" },
      { title: "Model", isFlexible: true },
      { title: "Window", align: "right" },
      { title: "$/M in", align: "right" },
      { title: "$/M out", align: "right" },
    ],
    rows.map((row) => [
      row.is_current ? "*" : "",
      row.provider,
      row.model,
      row.context_window === null ? "?" : shortWindow(row.context_window),
      priceText(row.usd_per_million_input),
      priceText(row.usd_per_million_output),
    ]),
  );
  return 0;
}

type Offer = Pick<PickerEntry, "provider" | "models"> & Partial<Pick<PickerEntry, "source" | "isOwnEndpoint">>;

async function offered(
  { models }: ModelAccess,
  asked: string | undefined,
  signal: AbortSignal,
): Promise<readonly Offer[]> {
  const choices = await models.choices(signal);
  if (asked === undefined) return choices;
  const choice = choices.find(({ provider }) => provider === asked.trim().toLowerCase());
  if (choice !== undefined) return [choice];
  const provider = findProvider(asked, models.context);
  const listed = choices.find((choice) => choice.provider === provider.key);
  if (listed !== undefined) return [listed];
  return provider.kind === "profile" ? [{ provider: provider.key, models: provider.profile.curatedModels }] : [];
}

function rowOf({ models, loaded }: ModelAccess, { provider, source, isOwnEndpoint }: Offer, model: string): Row {
  const { context } = models;
  const baseUrl = (isOwnEndpoint === true ? source : context.registry.find(provider)?.baseUrl) ?? "";
  const quote = models.catalog.catalog.prices({ provider, model, baseUrl });
  const listedWindow = context.models?.peek(provider).find(({ id }) => id === model)?.contextWindow;
  const saved = savedWindow(context, provider, model);
  const window = saved ?? context.lookUp?.({ provider, model, baseUrl, ...defined({ listedWindow }) }).contextWindow;
  return {
    provider,
    model,
    context_window: window ?? null,
    ...prices(quote),
    is_current: loaded.config.model.default === model && [provider, "auto"].includes(loaded.config.model.provider),
  };
}

/** What the person wrote about the model of an endpoint of their own. */
function savedWindow(context: ResolveContext, provider: string, model: string): number | undefined {
  const own = endpointsOf(context).endpoints.find(({ slug }) => slug === provider);
  return own?.models[model]?.contextLength ?? own?.contextLength;
}

export function prices(quote: PriceQuote): Pick<Row, "usd_per_million_input" | "usd_per_million_output"> {
  if (quote.isIncluded) return { usd_per_million_input: 0, usd_per_million_output: 0 };
  const { input, output } = quote.prices ?? {};
  return { usd_per_million_input: input ?? null, usd_per_million_output: output ?? null };
}

function priceText(usd: number | null): string {
  return usd === null ? "?" : usd === 0 ? "free" : usd.toFixed(2);
}
