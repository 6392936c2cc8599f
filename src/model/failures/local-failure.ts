import type { Target } from "../target.ts";
import { consequencesOf } from "./consequences.ts";
import type { FailureKind, ModelFailure } from "./failure.ts";

/** A failure that Hermes itself found, without an answer of the provider. What it allows follows from its kind, as ever. */
export function localFailure(
  kind: FailureKind,
  { provider, model }: Pick<Target, "provider" | "model">,
  facts: Partial<ModelFailure> & { readonly message: string },
): ModelFailure {
  return { kind, provider, model, isPartial: false, ...consequencesOf(kind), ...facts };
}
