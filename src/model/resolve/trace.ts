import type { AuthState } from "../credentials/auth-state.ts";
import type { NamedEndpoint } from "../providers/custom.ts";
import type {
  Consideration,
  OnceNotices,
  Resolution,
  ResolveContext,
  ResolvedTarget,
  TargetRequest,
} from "./context.ts";
import type { Refusal } from "./failures.ts";

/** Collects, during one resolution, what was looked at and what people should know. */
export class Trace {
  readonly #considered: Consideration[] = [];
  readonly #notices: string[] = [];
  readonly #once: OnceNotices | undefined;

  constructor(once: OnceNotices | undefined) {
    this.#once = once;
  }

  readonly skip = (candidate: string, reason: string): void => {
    this.#considered.push({ candidate, verdict: "skipped", reason });
  };

  readonly take = (candidate: string, reason: string): void => {
    this.#considered.push({ candidate, verdict: "taken", reason });
  };

  readonly notice = (message: string): void => {
    if (!this.#notices.includes(message)) this.#notices.push(message);
  };

  /** Said the first time only, where the process keeps count. */
  readonly noticeOnce = (key: string, message: string): void => {
    if (this.#once === undefined || this.#once.first(key)) this.notice(message);
  };

  failed(refusal: Refusal): Resolution {
    return { ...refusal, explanation: [...this.#considered] };
  }

  resolved(found: Omit<ResolvedTarget, "kind" | "notices" | "explanation">): Resolution {
    return { kind: "target", ...found, notices: [...this.#notices], explanation: [...this.#considered] };
  }
}

/** What every step of one resolution has at hand. */
export interface Step {
  readonly wanted: TargetRequest;
  readonly context: ResolveContext;
  readonly trace: Trace;
  readonly named: readonly NamedEndpoint[];
  readonly state: AuthState;
  /** The provider's name as it was asked for. */
  readonly requested: string;
  /** Where that name came from. */
  readonly origin: string;
}
