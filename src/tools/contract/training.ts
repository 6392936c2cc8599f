/** Who makes a call of an `rl_…` tool. */
export interface TrainingCall {
  readonly sessionKey: string;
  readonly cwd: string;
  readonly signal: AbortSignal;
}

/** Where training runs are prepared, started and watched. An answer with `error` says what did not work. */
export interface TrainingSteps {
  answer(
    tool: string,
    args: Readonly<Record<string, unknown>>,
    call: TrainingCall,
  ): Promise<Readonly<Record<string, unknown>>>;
}
