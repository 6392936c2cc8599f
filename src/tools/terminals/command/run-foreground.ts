import { defined } from "#foundation/defined";
import { sleep } from "#foundation/lifecycle/abort";
import type { ToolContext } from "../../contract/context.ts";
import { result, type ToolResult } from "../../contract/result.ts";
import type { ExecResult } from "../../contract/terminal.ts";
import { TerminalGone } from "../terminal-gone.ts";
import { kindOf, prepareSudo, type TerminalCall, type TerminalDeps } from "./call-options.ts";
import { downloadSource } from "./download-source.ts";
import { exitCodeMeaning } from "./exit-meaning.ts";
import { OutputTail } from "./output-tail.ts";
import { outputText } from "./output-text.ts";
import { rewriteBackground } from "./rewrite-background.ts";

const touchEveryMs = 10_000;
const retryWaitsMs = [0, 2_000, 4_000, 8_000];

/** Runs a command to its end and shapes what the model reads. */
export async function runForeground(deps: TerminalDeps, call: TerminalCall, context: ToolContext): Promise<ToolResult> {
  const { ran, isRestarted } = await withTouches(context, () => execOnce(deps, call, context));
  const source = downloadSource(call.command, ran.reached);
  if (source !== undefined) context.noteUntrusted?.(source);
  const raw = `${ran.output}${endNote(ran, call)}`;
  const notes = (ran.notes ?? []).map((note) => `\n${note}`).join("");
  const output = await outputText(deps, raw, {
    command: call.command,
    exitCode: ran.exitCode,
    taskId: context.taskId,
    scope: context.scope,
    terminalKind: kindOf(deps, context),
    maxChars: deps.options.maxOutputChars,
    wantsSudoTip: context.scope.source !== "cli",
  });
  const meaning = ran.ended === "exited" ? exitCodeMeaning(call.command, ran.exitCode) : undefined;
  return result(
    {
      output: `${output}${notes}`,
      exit_code: ran.exitCode,
      error:
        ran.ended === "cwd-unreachable" ? `The directory ${call.cwd ?? "of this session"} cannot be entered` : null,
      ...defined({ approval: call.approvalNote, exit_code_meaning: meaning, pty_note: call.ptyNote }),
      ...(isRestarted ? { environment_restarted: true } : {}),
    },
    { details: { kind: "command", exitCode: ran.exitCode } },
  );
}

/**
 * A lost terminal is made again: at once, and should the link be down longer, after each of the waits. The
 * command is run again only when it certainly did not run.
 */
async function execOnce(
  deps: TerminalDeps,
  call: TerminalCall,
  context: ToolContext,
): Promise<{ readonly ran: ExecResult; readonly isRestarted: boolean }> {
  const sudo = await prepareSudo(deps, rewriteBackground(call.command), context);
  const run = async (): Promise<ExecResult> => {
    const terminal = await deps.leases.take(context, context.signal);
    using tail = new OutputTail((text) => context.progress(text));
    const ran = await terminal.exec(sudo.command, {
      onOutput: (text) => tail.add(text),
      timeoutMs: call.timeoutMs,
      signal: context.signal,
      isUnconfined: call.isUnconfined,
      ...defined({ cwd: call.cwd, stdin: sudo.input }),
    });
    return sudo.notes.length === 0 ? ran : { ...ran, notes: [...sudo.notes, ...(ran.notes ?? [])] };
  };
  for (let tries = 0; ; tries += 1) {
    try {
      return { ran: await run(), isRestarted: tries > 0 };
    } catch (error) {
      const waitMs = retryWaitsMs[tries];
      if (!(error instanceof TerminalGone) || error.mayHaveRun || waitMs === undefined) throw error;
      await deps.leases.release(context.taskId);
      if (waitMs > 0) await (deps.sleep ?? sleep)(waitMs, context.signal);
    }
  }
}

function endNote(ran: ExecResult, call: TerminalCall): string {
  const gap = ran.output === "" || ran.output.endsWith("\n") ? "" : "\n";
  switch (ran.ended) {
    case "timed-out":
      return `${gap}[Command timed out after ${Math.round(call.timeoutMs / 1_000)}s]`;
    case "interrupted":
      return `${gap}[Command interrupted]`;
    case "cwd-unreachable":
    case "exited":
      return "";
  }
}

/** Signs of life while something blocks. */
export async function withTouches<T>(context: ToolContext, work: () => Promise<T>): Promise<T> {
  const done = new AbortController();
  const touching = (async () => {
    for (let seconds = touchEveryMs / 1_000; ; seconds += touchEveryMs / 1_000) {
      await sleep(touchEveryMs, done.signal);
      context.progress(`still running after ${seconds} s`);
    }
  })().catch(() => undefined);
  try {
    return await work();
  } finally {
    done.abort();
    await touching;
  }
}
