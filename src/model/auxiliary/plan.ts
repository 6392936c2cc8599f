import { defined } from "#foundation/defined";
import { nonEmpty } from "#foundation/text/text";
import { parseEntries, requestFor } from "../fallback/chain.ts";
import { customEndpoint } from "../providers/records/clouds.ts";
import type { TargetRequest } from "../resolve/context.ts";
import { type AutoFacts, autoChain } from "./auto-chain.ts";
import type { Candidate } from "./candidate.ts";
import { type AuxiliarySettings, type AuxiliaryTask, type TaskSettings, taskDefaults } from "./task.ts";

/** What the caller itself asks for; wins over the configuration. */
export type AuxiliaryRequest = Pick<TargetRequest, "provider" | "model" | "baseUrl" | "apiKey">;

export interface AuxiliaryPlan {
  /** In the order they are tried. Never empty unless nothing at all is set up. */
  readonly candidates: readonly Candidate[];
  /** False: somebody chose, and going elsewhere than to the fallbacks they named would be against that choice. */
  readonly isAuto: boolean;
  readonly warnings: readonly string[];
}

/** Explicit arguments, then the task's own address, then its provider, then `auto`; fallbacks follow the first choice. */
export function planTask(
  task: AuxiliaryTask,
  settings: AuxiliarySettings,
  facts: { readonly auto: AutoFacts; readonly wanted?: AuxiliaryRequest },
): AuxiliaryPlan {
  const own = settings[task] ?? {};
  const parsed = parseEntries(own.fallback ?? [], `auxiliary.${task}.fallback`);
  const fallbacks = parsed.entries.map((entry, index): Candidate => {
    const source = `auxiliary.${task}.fallback ${index + 1}`;
    return { kind: "request", wanted: requestFor(entry, source), source };
  });
  const chosen = chosenCandidate(task, own, facts);
  if (chosen !== "auto")
    return {
      candidates: chosen === undefined ? fallbacks : [chosen, ...fallbacks],
      isAuto: false,
      warnings: parsed.warnings,
    };
  const [first, ...rest] = autoChain(task, facts.auto).map((candidate) =>
    withModel(candidate, facts.wanted?.model ?? nonEmpty(own.model)),
  );
  const candidates = first === undefined ? fallbacks : [first, ...fallbacks, ...rest];
  return { candidates, isAuto: true, warnings: parsed.warnings };
}

function chosenCandidate(
  task: AuxiliaryTask,
  own: TaskSettings,
  facts: { readonly auto: AutoFacts; readonly wanted?: AuxiliaryRequest },
): Candidate | "auto" | undefined {
  const source = `auxiliary.${task}`;
  const { wanted } = facts;
  if (wanted?.baseUrl !== undefined)
    return { kind: "request", wanted: { ...wanted, provider: customEndpoint.id, source: "call" }, source: "call" };
  if (wanted?.provider !== undefined)
    return namedProvider(wanted.provider, { ...wanted, source: "call" }, facts.auto.main);
  const baseUrl = nonEmpty(own.base_url);
  const model = wanted?.model ?? nonEmpty(own.model);
  const shared = { ...defined({ model }), ...keyOf(own), ...protocolOf(own), source };
  if (baseUrl !== undefined)
    return { kind: "request", wanted: { ...shared, provider: customEndpoint.id, baseUrl }, source };
  const provider = nonEmpty(own.provider) ?? taskDefaults[task].provider;
  return namedProvider(provider, shared, facts.auto.main);
}

/** `main` is what the session talks to. */
function namedProvider(
  provider: string,
  wanted: TargetRequest & { readonly source: string },
  main: AutoFacts["main"],
): Candidate | "auto" | undefined {
  const { source } = wanted;
  if (provider === "auto") return "auto";
  if (provider !== "main") return { kind: "request", wanted: { ...wanted, provider }, source };
  if (main === undefined) return undefined;
  // Another model at the same endpoint keeps the endpoint's credential, also where no resolver could find it again.
  const target = wanted.model === undefined ? main : { ...main, model: wanted.model };
  return { kind: "open", target, source };
}

/** A model named without a provider replaces the one of the first choice only where it is the main model. */
function withModel(candidate: Candidate, model: string | undefined): Candidate {
  if (model === undefined || candidate.kind !== "open") return candidate;
  return { ...candidate, target: { ...candidate.target, model } };
}

function keyOf(own: TaskSettings): Pick<TargetRequest, "apiKey" | "keyEnv"> {
  const keyEnv = nonEmpty(own.key_env);
  return {
    ...(own.api_key === undefined || own.api_key.isEmpty ? {} : { apiKey: own.api_key }),
    ...defined({ keyEnv }),
  };
}

function protocolOf(own: TaskSettings): Pick<TargetRequest, "protocol"> {
  switch (own.api_mode) {
    case "chat_completions":
    case "anthropic_messages":
    case "codex_responses":
      return { protocol: own.api_mode };
    default:
      return {};
  }
}
