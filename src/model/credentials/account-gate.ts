import type { Target } from "../target.ts";
import type { NousGuard } from "./nous-guard.ts";

/** Knows which targets are closed for the whole account, also to other processes. Asked before every call. */
export interface AccountGate {
  /** Until when nothing may be sent there; undefined when it may. */
  closedUntilMs(target: Target): Promise<number | undefined>;
  /** The target refused a call for a limit; the headers say which. */
  refused(target: Target, headers: Readonly<Record<string, string>>): Promise<void>;
  answered(target: Target, headers: Readonly<Record<string, string>>): Promise<void>;
}

/** The gate over the one account whose limits are known to hold for all processes. */
export function nousGate(guard: NousGuard): AccountGate {
  const isOurs = (target: Target): boolean => target.provider === "nous";
  return {
    closedUntilMs: (target) => (isOurs(target) ? guard.blockedUntilMs() : Promise.resolve(undefined)),
    async refused(target, headers) {
      if (isOurs(target)) await guard.noteRefusal(headers);
    },
    async answered(target, headers) {
      if (isOurs(target)) await guard.noteAnswer(headers);
    },
  };
}
