import { stripAnsi, truncateMiddle } from "#foundation/text/text";
import type { OpenSessions } from "../call/open-sessions.ts";
import type { ApprovalGate } from "../contract/approval-request.ts";
import type { ChangeCover } from "../files/snapshots/change-cover.ts";
import type { Terminals } from "./open-terminals.ts";
import type { PersonRun, Toolbox } from "./toolbox.ts";
import type { ToolsBase } from "./tools-base.ts";

const mostOutput = 50_000;

export interface PersonShellOptions {
  readonly terminals: Terminals;
  readonly cover: ChangeCover;
  readonly gate: ApprovalGate;
  readonly sessions: OpenSessions;
}

/**
 * Commands a person types. They run where those of the agent run, with the same environment (no credentials) and
 * under the same guardian. Whoever types a command has approved it; what never runs here does not run for them either.
 */
export function openPersonShell(
  { config, redact }: ToolsBase,
  { terminals, cover, gate, sessions }: PersonShellOptions,
): Toolbox["runForPerson"] {
  const timeoutMs = config.terminal.max_foreground_timeout * 1000;
  const shown = (output: string): string => truncateMiddle(redact(stripAnsi(output)), mostOutput);
  return async (command, sessionKey, signal): Promise<PersonRun> => {
    const scope = sessions.scope(sessionKey);
    if (scope === undefined) return { kind: "refused", why: "Not run: the session is closed." };
    const cwd = scope.terminal.cwd ?? scope.cwd;
    // A terminal of its own: what the agent does in its own is not disturbed.
    const taskId = `person-${sessionKey}`;
    const terminalKind = scope.terminal.kind ?? terminals.kind;
    const verdict = await gate.checkCommand(command, { tool: "!", scope, taskId, cwd, terminalKind, signal });
    if (verdict.kind === "blocked") {
      const what = verdict.findings.map(({ description }) => description).join("; ");
      return { kind: "refused", why: `Not run: ${what === "" ? "a rule forbids it" : what}. Hermes never runs this.` };
    }
    const terminal = await terminals.leases.take({ taskId, scope }, signal);
    await cover.beforePersonal(command, { taskId, scope }, signal);
    const ran = await terminal.exec(command, { cwd, timeoutMs, signal });
    const output = shown(ran.output);
    switch (ran.ended) {
      case "exited":
        return { kind: "ended", output, exitCode: ran.exitCode };
      case "timed-out":
        return { kind: "stopped", output, why: `stopped after ${timeoutMs / 1000} s: it took too long` };
      case "interrupted":
        return { kind: "stopped", output, why: "stopped" };
      case "cwd-unreachable":
        return { kind: "refused", why: `The folder ${cwd} cannot be entered.` };
    }
  };
}
