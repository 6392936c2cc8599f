import type { ProviderProfile } from "../providers/provider.ts";
import type { Target } from "../target.ts";
import type { Candidate } from "./candidate.ts";
import type { AuxiliaryTask } from "./task.ts";

/** What `auto` decides from. */
export interface AutoFacts {
  /** What the session talks to right now; it moves with `/model`. */
  readonly main: Target | undefined;
  readonly prefer: "main" | "cheap";
  /** In the order of the registry. */
  readonly profiles: readonly ProviderProfile[];
  /** Whether a model reads images. */
  canSee(provider: string, model: string): boolean;
}

/**
 * Where a task without a choice of its own goes, best first: the main model, then the providers with a rank for
 * side calls, then every provider a key may exist for. Whether a credential exists is found out when a
 * candidate's turn comes.
 */
export function autoChain(task: AuxiliaryTask, facts: AutoFacts): readonly Candidate[] {
  const ranked = facts.profiles
    .filter((profile) => profile.sideCallRank !== undefined)
    .toSorted((one, other) => (one.sideCallRank ?? 0) - (other.sideCallRank ?? 0))
    .filter((profile) => task !== "vision" || profile.isAggregator === true);
  const named = ranked.flatMap((profile) => candidateFor(profile, task));
  const byKey =
    task === "vision"
      ? []
      : facts.profiles
          .filter((profile) => profile.authKind === "api_key" && profile.isNeverAutomatic !== true)
          .filter((profile) => profile.sideCallRank === undefined)
          .flatMap((profile) => candidateFor(profile, task));
  const first = mainCandidate(task, facts);
  const rest = [...named, ...byKey].filter((candidate) => !isAt(candidate, facts.main?.provider));
  return first === undefined ? [...named, ...byKey] : [first, ...rest];
}

function mainCandidate(task: AuxiliaryTask, facts: AutoFacts): Candidate | undefined {
  const { main } = facts;
  if (main === undefined) return undefined;
  const profile = facts.profiles.find((one) => one.id === main.provider);
  const other = task === "vision" ? visionModel(main, profile, facts) : cheapModel(profile, facts);
  if (other === undefined) return undefined;
  if (other === main.model || other === "main") return { kind: "open", target: main, source: "main model" };
  return {
    kind: "request",
    wanted: { provider: main.provider, model: other, source: "auto" },
    source: "main provider",
  };
}

/** The main model if it can see, else what its provider has for that; undefined when there is neither. */
function visionModel(main: Target, profile: ProviderProfile | undefined, facts: AutoFacts): string | undefined {
  if (profile?.visionModel !== undefined) return profile.visionModel;
  const canSee = main.quirks.supportsImages !== false && facts.canSee(main.provider, main.model);
  return canSee ? "main" : undefined;
}

function cheapModel(profile: ProviderProfile | undefined, facts: AutoFacts): string {
  return facts.prefer === "cheap" ? (profile?.auxModel ?? "main") : "main";
}

function candidateFor(profile: ProviderProfile, task: AuxiliaryTask): readonly Candidate[] {
  const provider = profile.id;
  if (profile.isOwnEndpoint === true)
    return [{ kind: "request", wanted: { provider, source: "auto" }, source: "auto" }];
  const model =
    task === "vision" ? (profile.visionModel ?? profile.auxModel) : (profile.auxModel ?? profile.curatedModels[0]);
  if (model === undefined) return [];
  return [{ kind: "request", wanted: { provider, model, source: "auto" }, source: "auto" }];
}

function isAt(candidate: Candidate, provider: string | undefined): boolean {
  return candidate.kind === "request" && candidate.wanted.provider === provider;
}
