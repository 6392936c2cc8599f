import type { TargetRequest } from "../resolve/context.ts";
import type { Target } from "../target.ts";

/** Where a side call can go: a target that is open already, or a request that still has to be resolved. */
export type Candidate = (
  | { readonly kind: "open"; readonly target: Target }
  | { readonly kind: "request"; readonly wanted: TargetRequest }
) & {
  /** Why it is on the list, for people: `main model`, `auto`, `auxiliary.vision`, `fallback 1`. */
  readonly source: string;
};

export function describeCandidate(candidate: Candidate): {
  readonly provider: string;
  readonly model: string | undefined;
} {
  if (candidate.kind === "open") return { provider: candidate.target.provider, model: candidate.target.model };
  return { provider: candidate.wanted.provider ?? "auto", model: candidate.wanted.model };
}
