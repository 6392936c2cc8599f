/** The terminal itself is lost (container removed, link down, its state deleted); another one can be made. */
export class TerminalGone extends Error {
  override readonly name: string = "TerminalGone";
  /** False when the command certainly did not start, so that running it again is safe. */
  readonly mayHaveRun: boolean;

  constructor(message: string, options: { readonly mayHaveRun: boolean; readonly cause?: unknown }) {
    super(message, { cause: options.cause });
    this.mayHaveRun = options.mayHaveRun;
  }
}
