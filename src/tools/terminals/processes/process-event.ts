/** Where what a process reports goes back to. */
export interface ProcessRoute {
  readonly platform?: string;
  readonly chat_id?: string;
  readonly user_id?: string;
  readonly user_name?: string;
  readonly thread_id?: string;
}

interface EventOfProcess {
  readonly session_id: string;
  readonly session_key: string;
  readonly command: string;
  readonly route: ProcessRoute;
}

/** What background processes report on their own; a surface turns it into a new turn. */
export type ProcessEvent =
  | (EventOfProcess & { readonly type: "completion"; readonly exit_code: number | null; readonly output: string })
  | (EventOfProcess & {
      readonly type: "watch_match";
      readonly pattern: string;
      readonly output: string;
      readonly suppressed: number;
    })
  | (EventOfProcess & { readonly type: "watch_disabled"; readonly suppressed: number })
  | { readonly type: "watch_overflow_tripped" }
  | { readonly type: "watch_overflow_released"; readonly suppressed: number };
