import type { AuthState } from "../credentials/auth-state.ts";
import type { NamedEndpoint } from "../providers/custom.ts";
import type { ResolveContext, TargetWish } from "./context.ts";
import type { Trace } from "./trace.ts";

/** What every step of one resolution has at hand. */
export interface Parts {
  readonly wish: TargetWish;
  readonly context: ResolveContext;
  readonly trace: Trace;
  readonly named: readonly NamedEndpoint[];
  readonly state: AuthState;
  /** The provider's name as it was asked for. */
  readonly requested: string;
  /** Where that name came from. */
  readonly origin: string;
}
