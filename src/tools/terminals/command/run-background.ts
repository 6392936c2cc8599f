import { defined } from "#foundation/defined";
import type { ToolContext } from "../../contract/context.ts";
import { result, ToolFailure, type ToolResult } from "../../contract/result.ts";
import type { BackgroundProcess } from "../processes/background-process.ts";
import { NoPty } from "../pty.ts";
import { kindOf, prepareSudo, type TerminalCall, type TerminalDeps } from "./call-options.ts";
import { outputText } from "./output-text.ts";
import { rewriteBackground } from "./rewrite-background.ts";
import { withTouches } from "./run-foreground.ts";

/** Starts a command in the background and says how to find it again. */
export async function runBackground(deps: TerminalDeps, call: TerminalCall, context: ToolContext): Promise<ToolResult> {
  const { process, ptyNote, notes } = await start(deps, call, context);
  const ignoresPatterns = call.notifyOnComplete && call.watchPatterns.length > 0;
  const watched = watchedPatterns(call);
  return result(
    {
      output: ["Background process started", ...notes].join("\n"),
      session_id: process.facts.id,
      pid: process.facts.pid ?? null,
      exit_code: 0,
      error: null,
      ...defined({ approval: call.approvalNote, pty_note: ptyNote }),
      ...(call.notifyOnComplete ? { notify_on_complete: true } : {}),
      ...(watched.length > 0 ? { watch_patterns: watched } : {}),
      ...(ignoresPatterns
        ? { watch_patterns_ignored: "notify_on_complete is set, so the patterns are not watched; use one of the two." }
        : {}),
    },
    { details: { kind: "command", processId: process.facts.id } },
  );
}

/** A command under a pseudo-terminal, waited for; when it outlives the time limit it goes on in the background. */
export async function runPtyForeground(
  deps: TerminalDeps,
  call: TerminalCall,
  context: ToolContext,
): Promise<ToolResult> {
  const { process, ptyNote } = await start(deps, call, context);
  const note = defined({ pty_note: ptyNote });
  const approval = defined({ approval: call.approvalNote });
  let ended: "exited" | undefined;
  try {
    ended = await withTouches(context, () => deps.processes.wait(process, call.timeoutMs, context.signal));
  } catch (error) {
    if (!context.signal.aborted) throw error;
    await deps.processes.kill(process);
    const output = await shown(deps, { call, process, exitCode: 130 }, context);
    return result(
      {
        output: `${output}\n[Command interrupted]`.trim(),
        exit_code: 130,
        error: null,
        ...note,
        ...approval,
      },
      { details: { kind: "command", exitCode: 130 } },
    );
  }
  if (ended === undefined) {
    return result(
      {
        output: await shown(deps, { call, process, exitCode: 0 }, context),
        session_id: process.facts.id,
        pid: process.facts.pid ?? null,
        exit_code: 0,
        error: null,
        note: "Still running; go on with the process tool (poll, write, submit, kill).",
        ...note,
        ...approval,
      },
      { details: { kind: "command", processId: process.facts.id } },
    );
  }
  const exitCode = process.state.kind === "exited" ? (process.state.exitCode ?? -1) : -1;
  return result(
    {
      output: await shown(deps, { call, process, exitCode }, context),
      exit_code: exitCode,
      error: null,
      ...note,
      ...approval,
    },
    { details: { kind: "command", exitCode } },
  );
}

interface Started {
  readonly process: BackgroundProcess;
  readonly ptyNote: string | undefined;
  /** What the wall had to tell before it started. */
  readonly notes: readonly string[];
}

async function start(deps: TerminalDeps, call: TerminalCall, context: ToolContext): Promise<Started> {
  const terminal = await deps.leases.take(context, context.signal);
  // Under a pseudo-terminal sudo asks by itself, and whoever drives the process can answer.
  const sudo = call.pty
    ? { command: call.command, input: undefined, notes: [] }
    : await prepareSudo(deps, rewriteBackground(call.command), context);
  const request = {
    terminal,
    command: sudo.command,
    ...defined({ cwd: call.cwd }),
    taskId: context.taskId,
    scope: context.scope,
    notifyOnComplete: call.notifyOnComplete,
    isUnconfined: call.isUnconfined,
    watchPatterns: watchedPatterns(call),
    ...defined({ firstInput: sudo.input }),
  };
  const { notes } = sudo;
  try {
    const process = tracked(await deps.processes.start({ ...request, pty: call.pty }));
    return { process, ptyNote: call.ptyNote, notes };
  } catch (error) {
    if (!(error instanceof NoPty)) throw error;
    const ptyNote = "No pseudo-terminal is available here; the command runs with plain pipes.";
    return { process: tracked(await deps.processes.start({ ...request, pty: false })), ptyNote, notes };
  }
}

function tracked(process: BackgroundProcess | undefined): BackgroundProcess {
  if (process !== undefined) return process;
  throw new ToolFailure('64 background processes are running already. End one with process(action="kill") first.', {
    status: "error",
    exit_code: -1,
  });
}

function watchedPatterns(call: TerminalCall): readonly string[] {
  return call.notifyOnComplete ? [] : call.watchPatterns;
}

function shown(
  deps: TerminalDeps,
  of: { readonly call: TerminalCall; readonly process: BackgroundProcess; readonly exitCode: number },
  context: ToolContext,
): Promise<string> {
  return outputText(deps, of.process.output.text(), {
    command: of.call.command,
    exitCode: of.exitCode,
    taskId: context.taskId,
    scope: context.scope,
    terminalKind: kindOf(deps, context),
    maxChars: deps.options.maxOutputChars,
    wantsSudoTip: context.scope.source !== "cli",
  });
}
