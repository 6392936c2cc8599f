import type { BackendDeps, Terminal } from "#tools/testing";

/** How a test wants its terminal. */
export interface TerminalRequest {
  /** Same task, same terminal to come back to. */
  readonly taskId?: string;
  readonly settings?: Partial<BackendDeps["settings"]>;
  /** Our own variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** Where commands begin. */
  readonly cwd?: string;
  /** The folder of the session on this machine. */
  readonly hostCwd?: string;
}

/** A kind of terminal under test, with everything it talks to. */
export interface TerminalSubject extends AsyncDisposable {
  open(request?: TerminalRequest): Promise<Terminal>;
  /** The program on this machine that leads there, to compare with. */
  readonly client?: { readonly program: string; readonly env: NodeJS.ProcessEnv };
  /** How many environments were made so far that still exist; undefined where nothing is made. */
  environments?(): Promise<number>;
  /** Takes the environment away under a terminal, as a crash would. */
  destroy?(): Promise<void>;
}

export type FoundSubject =
  | {
      readonly kind: "present";
      readonly name: string;
      /** What this kind cannot do, by design. */
      readonly lacks?: ReadonlySet<"pty" | "leavers">;
      start(): Promise<TerminalSubject>;
    }
  | { readonly kind: "missing"; readonly name: string; readonly why: string };
