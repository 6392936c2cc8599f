/** What one call may know and touch. Everything heavier is handed to a tool when it is built. */
export interface ToolContext {
  readonly callId: string;
  /** Isolates terminals, browser, read ledger; each child agent has its own. */
  readonly taskId: string;
  readonly sessionId: string;
  /** Owns approvals and the yolo switch: one per chat. */
  readonly sessionKey: string;
  /** `cli`, `telegram`, `cron`, `acp`, … */
  readonly surface: string;
  /** The user's request of this turn, for summarisers. */
  readonly userTask?: string;
  /** Exactly the names the model was shown. */
  readonly enabledTools: ReadonlySet<string>;
  readonly signal: AbortSignal;
  /** Says what is going on; also the sign of life that keeps a watchdog quiet. */
  progress(text: string): void;
}
