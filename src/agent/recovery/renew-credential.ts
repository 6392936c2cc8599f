import { type CredentialRecovery, retryDelayMs, type Target } from "#model";
import type { Remedy } from "./remedy.ts";
import type { RemedyDeps } from "./standard.ts";

const credentialKinds: ReadonlySet<string> = new Set(["auth", "auth_permanent", "billing", "rate_limit"]);

/** A credential that is refused: renewed once, then another of the pool takes its place. */
export function renewCredential(deps: RemedyDeps): Remedy {
  let current: { readonly provider: string; readonly recovery: CredentialRecovery | undefined } | undefined;
  const recoveryFor = (target: Target): CredentialRecovery | undefined => {
    if (current?.provider !== target.provider)
      current = { provider: target.provider, recovery: deps.credentialRecovery(target) };
    return current.recovery;
  };
  return {
    name: "renew-credential",
    limit: { per: "step", times: 8 },
    treats: (problem) => problem.stage === "request" && credentialKinds.has(problem.failure.kind),
    async apply(problem, turn) {
      if (problem.stage !== "request") return undefined;
      const step = await recoveryFor(turn.target)?.next(problem.failure, turn.signal);
      if (step === undefined || step.kind !== "retry") return undefined;
      if (step.why === "same-again") {
        const random = deps.random === undefined ? {} : { random: deps.random };
        return { kind: "retry", waitMs: retryDelayMs(problem.failure, { attempt: 1, ...random }) };
      }
      if (step.why === "rotated") turn.adjustTarget({ ...turn.target, credential: step.handle });
      return { kind: "retry", waitMs: 0 };
    },
  };
}
