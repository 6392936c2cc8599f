import type { ApprovalGate } from "../../contract/approval-request.ts";
import type { ToolContext } from "../../contract/context.ts";
import type { ToolTask } from "../../contract/session-scope.ts";
import type { TerminalKind, TerminalLeases } from "../../contract/terminal.ts";
import type { Tool } from "../../contract/tool.ts";
import type { ProcessTable } from "../processes/process-table.ts";
import { TerminalGone } from "../terminal-gone.ts";
import { downloadSource } from "./download-source.ts";
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
): Promise<{ readonly command: string; readonly input: string | undefined; readonly notes: readonly string[] }> {
  const { sudoFromInput } = await import("./sudo.ts");
  const rewritten = deps.sudo === undefined ? undefined : sudoFromInput(command);
  const notes: string[] = [];
  if (deps.sudo === undefined || rewritten === undefined) return { command, input: undefined, notes };
  const at = { host: kindOf(deps, context), hasSudo: () => hasSudo(deps, context, notes) };
  const password = await deps.sudo.for(context.scope, at, context.signal);
  return password === undefined
    ? { command, input: undefined, notes }
    : { command: rewritten, input: `${password.reveal()}\n`, notes };
}

/**
 * Asked of the terminal itself: its search path may be another one than ours. A terminal that is lost or silent is no answer. What
 * the wall has to tell at the end of a command it tells here, and it goes where that of the command itself goes.
 */
async function hasSudo({ leases }: TerminalDeps, context: ToolContext, notes: string[]): Promise<boolean> {
  const { signal } = context;
  try {
    const terminal = await leases.take(context, signal);
    const ran = await terminal.exec("command -v sudo", { timeoutMs: 10_000, signal });
    notes.push(...(ran.notes ?? []));
    const source = downloadSource("", ran.reached);
    if (source !== undefined) context.noteUntrusted?.(source);
    return ran.exitCode === 0 || ran.ended !== "exited";
  } catch (error) {
    if (error instanceof TerminalGone) return true;
    throw error;
  }
}
