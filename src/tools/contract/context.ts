import type { Abilities } from "./ability.ts";
import type { ToolTask } from "./session-scope.ts";

/** What one call may know and touch. What serves all sessions is handed to a tool when it is built. */
export interface ToolContext extends ToolTask {
  readonly callId: string;
  readonly sessionId: string;
  /** The user's request of this turn, for summarisers. */
  readonly userTask?: string | undefined;
  /** Exactly the names the model was shown. */
  readonly enabledTools: ReadonlySet<string>;
  /** What the agent that makes the call can do for it. */
  readonly agent: Abilities;
  /** A script made the call: its result is not in the conversation. */
  readonly isNested?: boolean | undefined;
  /** Where words of strangers in the context of this call came from; undefined when there are none. */
  readonly untrusted?: string | undefined;
  /** What tools of this machine told the conversation so far, as far as it is in the context. */
  heardHere?(): readonly string[];
  /** The result of this call holds words of strangers. */
  noteUntrusted?(source: string): void;
  readonly signal: AbortSignal;
  /** Says what is going on; also the sign of life that keeps a watchdog quiet. */
  progress(text: string): void;
}
