import type { Resolution, TargetRequest } from "./context.ts";
import { chooseProvider } from "./requested.ts";
import type { Step } from "./trace.ts";

/** The name of the demo model as a provider, and for short as a model. */
export const demoProvider = "demo";
export const demoModelName = "hermes-demo";

/** The demo model, where it was asked for by name and no endpoint of the person's own has that name. */
export async function resolveDemo({
  wanted,
  context,
  trace,
  named,
  requested,
  origin,
}: Step): Promise<Resolution | undefined> {
  const isMeant = isDemo(requested) || isDemoModel(wanted);
  if (!isMeant || context.demo === undefined) return undefined;
  if (chooseProvider(demoProvider, named, context) !== undefined) return undefined;
  trace.take(demoProvider, "asked for by name");
  const target = await context.demo();
  return trace.resolved({ target: { ...target, source: origin }, requestedProvider: demoProvider });
}

function isDemoModel({ provider, model }: TargetRequest): boolean {
  return provider === undefined && model !== undefined && isDemo(model);
}

function isDemo(name: string): boolean {
  return name.trim().toLowerCase() === demoProvider;
}
