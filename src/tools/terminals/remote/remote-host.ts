import type { ProcessHandle } from "#foundation/process/run";
import type { TerminalFiles, TerminalKind } from "../../contract/terminal.ts";
import type { ProgramCall } from "../local/local-terminal.ts";

/** A program that runs elsewhere: its streams are here, its end is told once. `kill` ends our side of it only. */
export type RemoteProcess = Pick<ProcessHandle, "stdin" | "stdout" | "stderr" | "exited" | "kill">;

/**
 * A machine elsewhere, as a shell terminal needs it. Everything a terminal promises (exact output, working directory,
 * variables, nothing left running) is made of this by {@link openRemoteTerminal}; a backend supplies no more than the way in.
 */
export interface RemoteHost extends AsyncDisposable {
  readonly kind: TerminalKind;
  /** Whether its files outlive this terminal. */
  readonly isPersistent: boolean;
  /** How much later output may arrive than what is told beside it; 0 when left out. */
  readonly lagMs?: number | undefined;
  /** Starts a program inside: arguments as they are, no shell between, both outputs apart. */
  start(
    argv: readonly string[],
    options: { readonly stdin: "pipe" | "ignore"; readonly signal: AbortSignal },
  ): Promise<RemoteProcess>;
  /** The program on this machine that, under a pseudo-terminal here, runs another one under one there. */
  underPty?(argv: readonly string[]): ProgramCall;
  /** The same where the service itself has pseudo-terminals: what the program says is on its standard output. */
  startUnderPty?(argv: readonly string[]): Promise<RemoteProcess>;
  /** The environment of {@link underPty}'s program. */
  readonly clientEnvironment?: Readonly<Record<string, string>> | undefined;
  /** Files through an interface of the backend's own; absent: through programs inside. */
  readonly files?: TerminalFiles | undefined;
  /** Makes the way in anew after it was lost before a command began; absent: there is no other way. */
  reconnect?(signal: AbortSignal): Promise<void>;
  /** Asked before each command: files that follow the terminal are sent when they changed. */
  refresh?(signal: AbortSignal): Promise<void>;
}
