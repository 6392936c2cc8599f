import { defined } from "#foundation/defined";
import { never } from "#foundation/lifecycle/abort";
import { type CredentialRecovery, retryDelayMs, type Target } from "#model";
import type { Remedy, RemedyContext } from "./remedy.ts";
import type { RemedyDeps } from "./standard.ts";

const credentialKinds: ReadonlySet<string> = new Set(["auth", "auth_permanent", "billing", "rate_limit"]);

/** A credential that is refused: renewed once, then another of the pool takes its place. */
export function renewCredential(deps: RemedyDeps, context: RemedyContext): Remedy {
  // Each step has its own rescue: a token that was renewed an hour ago may be renewed again.
  let current: { readonly call: string; readonly recovery: CredentialRecovery | undefined } | undefined;
  const recoveryFor = (target: Target, step: number): CredentialRecovery | undefined => {
    const call = `${step} ${target.provider}`;
    if (current?.call !== call) current = { call, recovery: deps.credentialRecovery(target) };
    return current.recovery;
  };
  return {
    name: "renew-credential",
    limit: { per: "step", times: 8 },
    treats: (problem) => problem.stage === "request" && credentialKinds.has(problem.failure.kind),
    async apply(problem, turn) {
      if (problem.stage !== "request") return undefined;
      const recovery = recoveryFor(turn.target, turn.steps.taken);
      const step = await recovery?.next(problem.failure, turn.signal);
      if (step === undefined || step.kind !== "retry") return undefined;
      // The pool forgets its doubts once the credential has worked.
      context.afterSuccess(async () => recovery?.succeeded(never));
      if (step.why === "same-again") {
        const random = defined({ random: deps.random });
        return { kind: "retry", waitMs: retryDelayMs(problem.failure, { attempt: 1, ...random }) };
      }
      if (step.why === "rotated") {
        const { handle, baseUrl = turn.target.baseUrl } = step;
        turn.adjustTarget({ ...turn.target, credential: handle, baseUrl });
      }
      return { kind: "retry", waitMs: 0 };
    },
  };
}
