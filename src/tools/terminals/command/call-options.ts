import type { ApprovalGate } from "../../contract/approval-request.ts";
import type { ToolContext } from "../../contract/context.ts";
import type { ToolTask } from "../../contract/session-scope.ts";
import type { TerminalKind, TerminalLeases } from "../../contract/terminal.ts";
import type { Tool } from "../../contract/tool.ts";
import type { ProcessTable } from "../processes/process-table.ts";
import { TerminalGone } from "../terminal-gone.ts";
import type { OutputDeps } from "./output-text.ts";
import type { SudoPasswords } from "./sudo-password.ts";

interface TerminalOptions {
  /** Of sessions that choose none. */
  readonly kind: TerminalKind;
  /** Of a terminal that does not exist yet, for judging commands. */
  readonly home: string;
  readonly defaultTimeoutMs: number;
  readonly maxForegroundMs: number;
  readonly maxOutputChars: number;
}

/** What `terminal` and `process` share. */
export interface TerminalDeps extends OutputDeps {
  readonly leases: TerminalLeases;
  readonly gate: ApprovalGate;
  readonly processes: ProcessTable;
  readonly options: TerminalOptions;
  readonly sudo?: SudoPasswords;
  /** Whether the kind of terminal of a session can be used here. */
  readonly checkFor?: Tool["checkFor"];
  /** Waits between tries on a link that is down; the real one when absent. */
  sleep?(ms: number, signal: AbortSignal): Promise<void>;
}

/** A call of `terminal` whose arguments were read and allowed. */
export interface TerminalCall {
  readonly command: string;
  readonly cwd: string | undefined;
  readonly timeoutMs: number;
  readonly pty: boolean;
  readonly ptyNote: string | undefined;
  readonly notifyOnComplete: boolean;
  readonly watchPatterns: readonly string[];
  readonly approvalNote: string | undefined;
  readonly isUnconfined: boolean | undefined;
}

/** The kind of terminal a session works in. */
export function kindOf({ options }: Pick<TerminalDeps, "options">, { scope }: Pick<ToolTask, "scope">): TerminalKind {
  return scope.terminal.kind ?? options.kind;
}

/** Standard input for `sudo`, when the command runs it and there is a password. */
export async function prepareSudo(
  deps: TerminalDeps,
  command: string,
  context: ToolContext,
): Promise<{ readonly command: string; readonly input: string | undefined }> {
  const { sudoFromInput } = await import("./sudo.ts");
  const rewritten = deps.sudo === undefined ? undefined : sudoFromInput(command);
  if (deps.sudo === undefined || rewritten === undefined) return { command, input: undefined };
  const at = { host: kindOf(deps, context), hasSudo: () => hasSudo(deps, context) };
  const password = await deps.sudo.for(context.scope, at, context.signal);
  return password === undefined
    ? { command, input: undefined }
    : { command: rewritten, input: `${password.reveal()}\n` };
}

/** Asked of the terminal itself: its search path may be another one than ours. A terminal that is lost is no answer. */
async function hasSudo({ leases }: TerminalDeps, context: ToolContext): Promise<boolean> {
  const { signal } = context;
  try {
    const terminal = await leases.take(context, signal);
    return (await terminal.exec("command -v sudo", { timeoutMs: 10_000, signal })).exitCode === 0;
  } catch (error) {
    if (error instanceof TerminalGone) return true;
    throw error;
  }
}
