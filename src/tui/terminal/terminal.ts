/** The terminal as the UI sees it: bytes out, bytes in, a size. Tests hand in one of their own. */
export interface TuiTerminal {
  readonly isTty: boolean;
  /** Somebody sits there, also where nothing can be drawn: then a plain prompt says that it is their turn. */
  readonly hasPerson?: boolean | undefined;
  readonly columns: number;
  readonly rows: number;
  /** Decides about colours. */
  readonly env: Readonly<Record<string, string | undefined>>;
  write(text: string): void;
  /** Raw mode on; everything typed goes to the listener. */
  start(listener: TerminalListener): void;
  /** Gives the terminal back as it was. */
  stop(): void;
  /** Stops this process until the shell continues it; resolves then. Absent where there is no such thing. */
  suspend?(): Promise<void>;
}

export interface TerminalListener {
  onInput(data: string): void;
  onResize(): void;
  /** Nothing more can be typed: the window is gone, or the input was a file. */
  onEnd(): void;
}
