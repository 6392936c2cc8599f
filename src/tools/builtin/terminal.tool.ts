import path from "node:path";
import { describe } from "#foundation/errors";
import { lineCount, shortLine } from "#foundation/text/short-text";
import type { GateContext, GateVerdict } from "../contract/approval-request.ts";
import type { ToolContext } from "../contract/context.ts";
import { defineTool } from "../contract/define-tool.ts";
import { result, type ToolResult } from "../contract/result.ts";
import type { TerminalKind } from "../contract/terminal.ts";
import type { Tool } from "../contract/tool.ts";
import type { ArgumentsOf } from "../contract/typed-arguments.ts";
import { kindOf, type TerminalCall, type TerminalDeps } from "../terminals/command/call-options.ts";
import type { BuiltinTools } from "./builtin-deps.ts";

/** `terminal`: a shell command in the terminal of the task, in the foreground or in the background. */
export function createTerminalTool(deps: TerminalDeps): Tool {
  return defineTool({
    name: "terminal",
    toolset: "terminal",
    emoji: "💻",
    description: description(deps, new Set(dedicated.map((one) => one.tool)), deps.options.kind),
    parameters: parameters(deps),
    effects: "commands",
    runs: ({ command, workdir }) => ({ reason: command, command, workdir }),
    isIdempotent: false,
    checkFor: deps.checkFor,
    patchDefinition: ({ name }, visible, scope) => {
      const kind = kindOf(deps, { scope });
      const { properties, ...rest } = parameters(deps);
      const hidden: readonly string[] = [
        ...(supportsPty(kind) ? [] : ["pty"]),
        ...(kind === "local" ? [] : ["outside_sandbox", "reason"]),
      ];
      const shown = Object.fromEntries(Object.entries(properties).filter(([property]) => !hidden.includes(property)));
      return {
        name,
        description: description(deps, visible, kind),
        parameters: { ...rest, properties: shown },
      };
    },
    shorten: ({ command }, { text, fields }) => {
      const { output, exit_code: code = "?" } = fields;
      const printed = typeof output === "string" ? output : Object.keys(fields).length === 0 ? text : "";
      return `ran \`${shortLine(command, 80)}\` -> exit ${String(code)}, ${lineCount(printed)} lines output`;
    },
    run: (args, context) => runTerminal(deps, args, context),
  });
}

function parameters({ options }: TerminalDeps) {
  const { defaultTimeoutMs, maxForegroundMs } = options;
  return {
    type: "object",
    properties: {
      command: { type: "string", description: "The command, as you would type it into bash" },
      background: { type: "boolean", description: "Start it and return at once (default false)" },
      timeout: {
        type: "integer",
        minimum: 1,
        description: `Seconds to wait in the foreground (default ${defaultTimeoutMs / 1_000}, at most ${maxForegroundMs / 1_000})`,
      },
      workdir: { type: "string", description: "Directory for this command only; the session stays where it is" },
      pty: { type: "boolean", description: "Give it a real terminal, for interactive programs" },
      outside_sandbox: {
        type: "boolean",
        description:
          "Ask the user to let exactly this command run outside the sandbox. Only when the sandbox refused what the task needs; say why in reason. Variables, functions and aliases of this session do not count there",
      },
      reason: { type: "string", description: "With outside_sandbox: what the command needs, for the user" },
      notify_on_complete: { type: "boolean", description: "With background: tell me when it ends" },
      watch_patterns: {
        type: "array",
        items: { type: "string" },
        description: "With background: tell me when a line of its output contains one of these texts",
      },
    },
    required: ["command"],
  } as const;
}

type TerminalArguments = ArgumentsOf<ReturnType<typeof parameters>>;

const dedicated = [
  { tool: "read_file", use: "reading files" },
  { tool: "search_files", use: "searching and listing" },
  { tool: "patch", use: "editing" },
  { tool: "write_file", use: "creating files" },
] as const;

function description(deps: TerminalDeps, visible: ReadonlySet<string>, kind: TerminalKind): string {
  const better = dedicated.filter((one) => visible.has(one.tool)).map((one) => `${one.tool} for ${one.use}`);
  return [
    "Run a shell command where this session works. Directory, exported variables and files stay from call to call.",
    ...(kind === "local" ? [] : [where(kind)]),
    ...(better.length === 0
      ? []
      : [`Prefer ${better.join(", ")}; use the shell for builds, installs, git, scripts, networks and processes.`]),
    `A foreground call returns the moment the command ends, so a long timeout (up to ${deps.options.maxForegroundMs / 1_000} s) costs nothing.`,
    "What never ends, or takes more than a minute, belongs in background=true; with notify_on_complete=true you hear of its end.",
    "Do not imitate that with &, nohup, setsid or disown.",
    ...(supportsPty(kind) ? ["Programs that talk to a person need pty=true."] : []),
  ].join(" ");
}

/** File tools, searches and scripts work there too, so it is said once. */
function where(kind: TerminalKind): string {
  return kind === "ssh"
    ? "Commands and file tools work on another machine, over ssh; files of the user's own machine are not there."
    : `Commands and file tools work in a ${kind} terminal apart from the user's own machine; its files are not there unless they were mounted.`;
}

function supportsPty(kind: TerminalKind): boolean {
  return ["local", "docker", "ssh", "singularity", "modal"].includes(kind);
}

async function runTerminal(deps: TerminalDeps, args: TerminalArguments, context: ToolContext): Promise<ToolResult> {
  const { command, background: isBackground = false } = args;
  if (command.trim() === "") return refused("error", "Invalid command: it is empty");
  if (command.includes("\u0000")) return refused("error", "Invalid command: it contains a NUL character");
  const timeoutMs = args.timeout === undefined ? deps.options.defaultTimeoutMs : Math.max(1, args.timeout) * 1_000;
  if (!isBackground) {
    const problem = tooLong(timeoutMs, deps) ?? (await guidance(deps, command, context));
    if (problem !== undefined) return refused("error", problem);
  }
  const workdir = workdirOf(args.workdir);
  if (workdir.kind === "bad") return refused("blocked", workdir.reason);
  const approval = await approve(deps, { command, workdir: workdir.path, outside: outsideOf(args) }, context);
  if (approval.kind === "blocked") return refused("blocked", approval.reason);
  const call: TerminalCall = {
    command,
    cwd: workdir.path,
    timeoutMs,
    ...ptyFor(kindOf(deps, context), args),
    notifyOnComplete: isBackground && args.notify_on_complete === true,
    watchPatterns: isBackground ? (args.watch_patterns ?? []).filter((text) => text !== "") : [],
    approvalNote: approval.note,
    isUnconfined: approval.isUnconfined,
  };
  try {
    await deps.leases.take(context, context.signal);
  } catch (error) {
    context.signal.throwIfAborted();
    return refused("disabled", `No terminal is available: ${describe(error)}`);
  }
  return run(deps, { call, isBackground }, context);
}

async function run(
  deps: TerminalDeps,
  { call, isBackground }: { readonly call: TerminalCall; readonly isBackground: boolean },
  context: ToolContext,
): Promise<ToolResult> {
  if (!isBackground && !call.pty) {
    return (await import("../terminals/command/run-foreground.ts")).runForeground(deps, call, context);
  }
  const { runBackground, runPtyForeground } = await import("../terminals/command/run-background.ts");
  return isBackground ? runBackground(deps, call, context) : runPtyForeground(deps, call, context);
}

function refused(status: "error" | "blocked" | "disabled", error: string): ToolResult {
  return result(
    { output: "", exit_code: -1, error, status },
    { isError: true, details: { kind: "command", isRefused: true } },
  );
}

function tooLong(timeoutMs: number, deps: TerminalDeps): string | undefined {
  if (timeoutMs <= deps.options.maxForegroundMs) return undefined;
  return `A foreground command may take at most ${deps.options.maxForegroundMs / 1_000} s. For more, use background=true with notify_on_complete=true.`;
}

async function guidance(deps: TerminalDeps, command: string, context: ToolContext): Promise<string | undefined> {
  const { foregroundGuidance } = await import("../terminals/command/foreground-guidance.ts");
  return foregroundGuidance(command, location(deps, context));
}

function location(deps: TerminalDeps, context: ToolContext): { readonly cwd: string; readonly home: string } {
  const { cwd, terminal } = context.scope;
  return deps.leases.peek(context.taskId) ?? { cwd: terminal.cwd ?? cwd, home: deps.options.home };
}

/** Judged where it will really start: `rm -rf ../x` means another thing in each folder. */
async function approve(
  deps: TerminalDeps,
  {
    command,
    workdir,
    outside,
  }: { readonly command: string; readonly workdir: string | undefined; readonly outside: GateContext["outside"] },
  context: ToolContext,
): Promise<GateVerdict> {
  const { cwd, home } = location(deps, context);
  return deps.gate.checkCommand(command, {
    tool: "terminal",
    scope: context.scope,
    taskId: context.taskId,
    callId: context.callId,
    cwd: workdir === undefined ? cwd : path.posix.resolve(cwd, workdir.replace(/^~(?=\/|$)/, home)),
    terminalKind: kindOf(deps, context),
    outside,
    signal: context.signal,
    progress: (text) => context.progress(text),
  });
}

/** The path never passes through a shell, so only what no path can hold is refused. */
function workdirOf(
  value: string | undefined,
): { readonly kind: "ok"; readonly path: string | undefined } | { readonly kind: "bad"; readonly reason: string } {
  if (value === undefined || value === "") return { kind: "ok", path: undefined };
  const bad = /[\0\r\n]/.exec(value)?.[0];
  if (bad === undefined) return { kind: "ok", path: value };
  return {
    kind: "bad",
    reason: `workdir contains the character ${JSON.stringify(bad)}, which no directory name may hold`,
  };
}

function ptyFor(kind: TerminalKind, { command, pty }: TerminalArguments): Pick<TerminalCall, "pty" | "ptyNote"> {
  if (pty !== true) return { pty: false, ptyNote: undefined };
  if (!supportsPty(kind)) {
    return {
      pty: false,
      ptyNote: `A ${kind} terminal has no pseudo-terminal; the command runs with plain pipes.`,
    };
  }
  if (/\bgh\s+auth\s+login\b[^;|&]*--with-token/.test(command)) {
    return { pty: false, ptyNote: "This command reads its input from a pipe, so it runs without a pseudo-terminal." };
  }
  return { pty: true, ptyNote: undefined };
}

/** Words of the model for a person: on one line, and no longer than is read. */
function outsideOf(args: TerminalArguments): GateContext["outside"] {
  if (args.outside_sandbox !== true) return undefined;
  const reason = (args.reason ?? "").replace(/\s+/g, " ").trim().slice(0, 300);
  return { reason: reason === "" ? "(no reason was given)" : JSON.stringify(reason) };
}

/** Found by the list that is generated from this folder. */
export const builtin: BuiltinTools = ({ terminal }) => (terminal === undefined ? [] : [createTerminalTool(terminal)]);
