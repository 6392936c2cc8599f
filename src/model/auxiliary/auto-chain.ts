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
 * Where a task without a choice of its own goes, best first: the main model, then OpenRouter, Nous,
 * a custom endpoint, Codex, and then every provider a key may exist for. Whether a credential
 * exists is found out when a candidate's turn comes.
 */
export function autoChain(task: AuxiliaryTask, facts: AutoFacts): readonly Candidate[] {
  const later = task === "vision" ? ["openrouter", "nous"] : ["openrouter", "nous", "custom", "openai-codex"];
  const named = later.flatMap((id) => candidateFor(id, task, facts));
  const byKey =
    task === "vision"
      ? []
      : facts.profiles
          .filter((profile) => profile.authKind === "api_key" && profile.isNeverAutomatic !== true)
          .filter((profile) => profile.id !== "custom" && !later.includes(profile.id))
          .flatMap((profile) => candidateFor(profile.id, task, facts));
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
  return { kind: "wish", wish: { provider: main.provider, model: other, source: "auto" }, source: "main provider" };
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

function candidateFor(id: string, task: AuxiliaryTask, facts: AutoFacts): readonly Candidate[] {
  if (id === "custom") return [{ kind: "wish", wish: { provider: "custom", source: "auto" }, source: "auto" }];
  const profile = facts.profiles.find((one) => one.id === id);
  if (profile === undefined) return [];
  const model =
    task === "vision" ? (profile.visionModel ?? profile.auxModel) : (profile.auxModel ?? profile.curatedModels[0]);
  if (model === undefined) return [];
  return [{ kind: "wish", wish: { provider: id, model, source: "auto" }, source: "auto" }];
}

function isAt(candidate: Candidate, provider: string | undefined): boolean {
  return candidate.kind === "wish" && candidate.wish.provider === provider;
}
