import type { ToolDetails } from "#conversation";
import { defined } from "#foundation/defined";
import { describe } from "#foundation/errors";
import type { ToolContext } from "../contract/context.ts";
import { defineTool } from "../contract/define-tool.ts";
import { failed, result, ToolFailure, type ToolResult } from "../contract/result.ts";
import type { Tool } from "../contract/tool.ts";
import type { ArgumentsOf } from "../contract/typed-arguments.ts";
import type { TerminalDeps } from "../terminals/command/call-options.ts";
import type { BackgroundProcess } from "../terminals/processes/background-process.ts";
import type { BuiltinTools } from "./builtin-deps.ts";

type ProcessDeps = Pick<TerminalDeps, "processes" | "redact" | "options" | "gate"> & { readonly now: () => number };

const parameters = {
  type: "object",
  properties: {
    action: { type: "string", enum: ["list", "poll", "log", "wait", "kill", "write", "submit", "close"] },
    session_id: { type: "string", description: "Which process; needed for everything but list" },
    data: { type: "string", description: "Text for write and submit" },
    timeout: { type: "integer", minimum: 1, description: "Seconds, for wait" },
    offset: { type: "integer", minimum: 0, description: "First line, for log; 0 shows the last lines (default 0)" },
    limit: { type: "integer", minimum: 1, description: "How many lines, for log (default 200)" },
  },
  required: ["action"],
} as const;

type Args = ArgumentsOf<typeof parameters>;

/** `process`: looks after what `terminal` started in the background. */
export function createProcessTool(deps: ProcessDeps): Tool {
  return defineTool({
    name: "process",
    toolset: "terminal",
    emoji: "⚙️",
    description:
      "Look after background processes: list them, poll one for its state and latest output, page its log, wait for its end, " +
      "kill it, or talk to its input (write sends text as it is, submit adds Enter, close ends the input).",
    parameters,
    effects: "commands",
    runs: ({ action, data }) =>
      action === "write" || action === "submit" ? { reason: `input: ${data ?? ""}` } : undefined,
    isIdempotent: false,
    run: (args, context) => act(deps, args, context),
  });
}

async function act(deps: ProcessDeps, args: Args, context: ToolContext): Promise<ToolResult> {
  const { action, session_id: id = "" } = args;
  await deps.processes.recovered();
  if (action === "list") {
    const processes = deps.processes.list(context.scope.key, context.taskId).map((process) => listed(deps, process));
    return result({ processes });
  }
  if (id === "") throw new ToolFailure(`session_id is required for ${action}`);
  const process = deps.processes.find(id, context.scope.key);
  if (process === undefined) return failed(`No process with the id ${id}`, { status: "not_found" });
  return onProcess(deps, { action, process, args }, context);
}

interface Job {
  readonly action: Exclude<Args["action"], "list">;
  readonly process: BackgroundProcess;
  readonly args: Args;
}

function onProcess(deps: ProcessDeps, job: Job, context: ToolContext): Promise<ToolResult> | ToolResult {
  switch (job.action) {
    case "poll":
      return poll(deps, job.process);
    case "log":
      return log(deps, job);
    case "wait":
      return wait(deps, job, context);
    case "kill":
      return kill(deps, job.process);
    case "write":
    case "submit":
      return write(deps, job, context);
    case "close":
      return close(job.process);
  }
}

function listed(deps: ProcessDeps, process: BackgroundProcess): Record<string, unknown> {
  const { facts } = process;
  return {
    session_id: facts.id,
    command: deps.redact(facts.command).slice(0, 200),
    cwd: facts.cwd,
    pid: facts.pid ?? null,
    started_at: new Date(facts.startedAtMs).toISOString(),
    uptime_seconds: uptime(deps, process),
    status: process.state.kind,
    output_preview: tail(deps, process, 200),
    ...ending(process),
  };
}

function poll(deps: ProcessDeps, process: BackgroundProcess): ToolResult {
  consume(process);
  const note = process.isDetached
    ? "Taken over from an earlier run: newer output and input are out of reach."
    : undefined;
  return result(
    {
      session_id: process.facts.id,
      command: deps.redact(process.facts.command),
      status: process.state.kind,
      pid: process.facts.pid ?? null,
      uptime_seconds: uptime(deps, process),
      output_preview: tail(deps, process, 1_000),
      ...ending(process),
      ...defined({ note }),
    },
    { details: detailsOf(process) },
  );
}

function log(deps: ProcessDeps, { process, args }: Job): ToolResult {
  consume(process);
  const text = deps.redact(process.output.text());
  const lines = text === "" ? [] : text.replace(/\n$/, "").split("\n");
  const offset = Math.max(0, args.offset ?? 0);
  const limit = Math.max(1, args.limit ?? 200);
  const shown = offset === 0 ? lines.slice(-limit) : lines.slice(offset, offset + limit);
  return result({
    session_id: process.facts.id,
    status: process.state.kind,
    output: shown.join("\n"),
    total_lines: lines.length,
    showing: `${shown.length} lines`,
  });
}

async function wait(deps: ProcessDeps, { process, args }: Job, context: ToolContext): Promise<ToolResult> {
  const limitMs = deps.options.defaultTimeoutMs;
  const waitMs = args.timeout === undefined ? limitMs : Math.max(1, args.timeout) * 1_000;
  const { withTouches } = await import("../terminals/command/run-foreground.ts");
  let ended: "exited" | undefined;
  try {
    ended = await withTouches(context, () => deps.processes.wait(process, Math.min(waitMs, limitMs), context.signal));
  } catch (error) {
    if (!context.signal.aborted) throw error;
    return result({
      status: "interrupted",
      output: tail(deps, process, 1_000),
      note: "The wait was interrupted; the process goes on.",
    });
  }
  if (ended !== undefined) {
    const content = { status: "exited", ...ending(process), output: tail(deps, process, 2_000) };
    return result(content, { details: detailsOf(process) });
  }
  const note = waitMs > limitMs ? `The wait was limited to ${limitMs / 1_000} s. ` : "";
  return result({
    status: "timeout",
    output: tail(deps, process, 1_000),
    timeout_note: `${note}The process still runs; wait again, or go on with something else.`,
  });
}

async function kill(deps: ProcessDeps, process: BackgroundProcess): Promise<ToolResult> {
  if (!process.isRunning) return result({ status: "already_exited", ...ending(process) });
  try {
    await deps.processes.kill(process);
  } catch (error) {
    return failed(describe(error), { status: "error" });
  }
  return result({ status: "killed", session_id: process.facts.id });
}

/** What a shell, an interpreter or a database reads is judged like a command before it gets there. */
async function write(deps: ProcessDeps, { action, process, args }: Job, context: ToolContext): Promise<ToolResult> {
  const { data = "" } = args;
  const text = action === "submit" ? `${data}${process.enter}` : data;
  if (!process.isRunning) return failed("The process has ended.", { status: "already_exited" });
  if (process.child === undefined)
    return failed("Its input is out of reach: it was started by an earlier run.", { status: "error" });
  const verdict = await deps.gate.checkCommand(text, {
    tool: "process",
    scope: context.scope,
    taskId: context.taskId,
    callId: context.callId,
    cwd: process.facts.cwd,
    terminalKind: context.scope.terminal.kind ?? deps.options.kind,
    inputOf: process.facts.command,
    signal: context.signal,
    progress: (words) => context.progress(words),
  });
  if (verdict.kind === "blocked") return failed(verdict.reason, { status: "blocked" });
  try {
    await process.child.write(text);
  } catch (error) {
    return failed(`Could not write to the process: ${describe(error)}`, { status: "error" });
  }
  return result({ status: "ok", bytes_written: Buffer.byteLength(text) });
}

async function close(process: BackgroundProcess): Promise<ToolResult> {
  if (process.child === undefined)
    return failed("Its input is out of reach: it was started by an earlier run.", { status: "error" });
  await process.child.closeInput();
  return result({ status: "ok", message: "The input was closed." });
}

function detailsOf({ state, facts }: BackgroundProcess): ToolDetails {
  return state.kind === "exited"
    ? { kind: "command", exitCode: state.exitCode ?? undefined }
    : { kind: "command", processId: facts.id };
}

function ending(process: BackgroundProcess): Record<string, unknown> {
  return {
    ...(process.state.kind === "exited" ? { exit_code: process.state.exitCode } : {}),
    ...(process.isDetached ? { detached: true } : {}),
  };
}

/** Who has read that it ended need not be told. */
function consume(process: BackgroundProcess): void {
  if (!process.isRunning) process.isConsumed = true;
}

function uptime(deps: ProcessDeps, process: BackgroundProcess): number {
  const untilMs = process.state.kind === "exited" ? process.state.atMs : deps.now();
  return Math.max(0, Math.round((untilMs - process.facts.startedAtMs) / 1_000));
}

/** Masked whole before it is cut, so that no half of a secret is left. */
function tail(deps: ProcessDeps, process: BackgroundProcess, chars: number): string {
  return deps.redact(process.output.text()).slice(-chars);
}

/** Found by the list that is generated from this folder. */
export const builtin: BuiltinTools = ({ terminal, clock }) =>
  terminal === undefined || clock === undefined ? [] : [createProcessTool({ ...terminal, now: () => clock.now() })];
