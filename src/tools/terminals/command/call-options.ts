import type { ApprovalGate } from "../../approval/request.ts";
import type { ToolContext } from "../../context.ts";
import type { Tool } from "../../tool.ts";
import type { ProcessRoute } from "../processes/process-event.ts";
import type { ProcessTable } from "../processes/process-table.ts";
import type { TerminalKind, TerminalLeases } from "../terminal.ts";
import type { OutputDeps } from "./output-text.ts";
import type { SudoPasswords } from "./sudo-password.ts";

interface TerminalOptions {
  readonly kind: TerminalKind;
  /** Directory and home of a terminal that does not exist yet, for judging commands. */
  readonly cwd: string;
  readonly home: string;
  readonly defaultTimeoutMs: number;
  readonly maxForegroundMs: number;
  readonly maxOutputChars: number;
}

export const defaultTerminalOptions = {
  kind: "local",
  defaultTimeoutMs: 180_000,
  maxForegroundMs: 600_000,
  maxOutputChars: 50_000,
} as const;

/** What `terminal` and `process` share. */
export interface TerminalDeps extends OutputDeps {
  readonly leases: TerminalLeases;
  readonly gate: ApprovalGate;
  readonly processes: ProcessTable;
  readonly options: TerminalOptions;
  readonly sudo?: SudoPasswords;
  /** Whether the configured kind of terminal can be used here. */
  readonly check?: NonNullable<Tool["check"]>;
  /** Waits between tries on a link that is down; the real one when absent. */
  sleep?(ms: number, signal: AbortSignal): Promise<void>;
  /** Where a report about a background process of this call goes. */
  routeOf?(context: ToolContext): ProcessRoute;
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
  const password = await deps.sudo.for({ sessionKey: context.sessionKey, host: deps.options.kind }, context.signal);
  return password === undefined
    ? { command, input: undefined }
    : { command: rewritten, input: `${password.reveal()}\n` };
}
