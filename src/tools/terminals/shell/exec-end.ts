import type { ExecResult } from "../../contract/terminal.ts";
import type { ShellReport } from "./shell-state.ts";

/** How a command came to its end. */
export function endOf(facts: {
  readonly report: ShellReport;
  readonly timedOut: boolean;
  readonly interrupted: boolean;
}): ExecResult["ended"] {
  if (facts.report.kind === "unreachable") return "cwd-unreachable";
  if (facts.timedOut) return "timed-out";
  return facts.interrupted ? "interrupted" : "exited";
}

/** The code a caller reads, as a shell and `timeout` would give it. */
export function codeOf(ended: ExecResult["ended"], exitCode: number): number {
  switch (ended) {
    case "timed-out":
      return 124;
    case "interrupted":
      return 130;
    case "cwd-unreachable":
      return 126;
    case "exited":
      // A shell ended by a signal reads as 128 and its number, as a shell itself would say.
      return exitCode < 0 ? 128 - exitCode : exitCode;
  }
}
