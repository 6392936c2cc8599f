import { lineCount } from "#foundation/text/short-text";
import { functionsFor, type ScriptFunction, signature } from "../code/functions.ts";
import type { ScriptLanguage, ScriptOptions } from "../code/script-options.ts";
import type { ScriptStarts } from "../code/script-starts.ts";
import type { ApprovalGate, Finding } from "../contract/approval-request.ts";
import type { ToolContext } from "../contract/context.ts";
import { defineTool } from "../contract/define-tool.ts";
import { failed, result, ToolFailure, type ToolResult } from "../contract/result.ts";
import type { SessionScope } from "../contract/session-scope.ts";
import type { Terminal, TerminalLeases } from "../contract/terminal.ts";
import type { Tool } from "../contract/tool.ts";
import type { TerminalWall } from "../terminals/local/local-terminal.ts";
import type { BuiltinTools } from "./builtin-deps.ts";

export { defaultScriptOptions, type ScriptOptions } from "../code/script-options.ts";

export interface ExecuteCodeDeps {
  readonly leases: Pick<TerminalLeases, "take">;
  readonly gate: ApprovalGate;
  readonly options: ScriptOptions;
  /** Our own environment; a script sees a short list of it. */
  readonly env: NodeJS.ProcessEnv;
  /** Names the settings let through. */
  readonly passthrough: readonly string[];
  /** Set besides: what skills of the session need, the mark of the guardian. */
  moreVariables?(context: ToolContext): Readonly<Record<string, string>>;
  /** Runs a tool call of a script like one of the model: hooks, coercion and approval included. */
  callTool(
    call: { readonly tool: string; readonly args: Readonly<Record<string, unknown>> },
    context: Omit<ToolContext, "agent">,
  ): Promise<string>;
  redact(text: string): string;
  /** Where the scripts of a session start. */
  readonly starts: Pick<ScriptStarts, "of">;
  /** True when nothing in this kind of terminal can reach the host, as for commands. */
  isContained(kind: string): boolean;
  /** `approvals.code_execution`: what a script itself needs, beside what its tool calls need. */
  readonly screening: "allow" | "ask" | "sandbox";
  /** What holds the programs of a session inside. */
  wall(scope: SessionScope, signal: AbortSignal): Promise<TerminalWall>;
}

/** `execute_code`: a script that calls tools as functions. */
export function createExecuteCodeTool(deps: ExecuteCodeDeps): Tool {
  return defineTool({
    name: "execute_code",
    toolset: "code_execution",
    emoji: "🐍",
    description: description(deps, functionsFor(new Set())),
    parameters: {
      type: "object",
      properties: {
        code: { type: "string", description: "The whole script; print what you want to see" },
        language: { type: "string", enum: ["python", "javascript"], description: "Default python" },
      },
      required: ["code"],
    },
    effects: "commands",
    runs: ({ code }) => ({ reason: `a script: ${code}` }),
    isIdempotent: false,
    isForMainAgent: true,
    costsNoStep: true,
    patchDefinition: (definition, visible) => ({
      ...definition,
      description: description(deps, functionsFor(visible)),
    }),
    shorten: ({ code }, { text }) => `ran ${lineCount(code)} lines of code (${text.length} chars result)`,
    run: ({ code, language = "python" }, context) => execute(deps, { code, language }, context),
  });
}

function description(deps: ExecuteCodeDeps, functions: readonly ScriptFunction[]): string {
  const { options } = deps;
  const names = functions.map((one) => one.tool);
  const example = names.slice(0, 2).join(", ");
  return [
    "Run a short script that calls tools as functions. Worth it for three or more calls with logic between them, for loops and branches, and for cutting large results down before you read them.",
    "Not for a single call, nor where you must think about a result before the next step.",
    ...(functions.length === 0
      ? ["No tools can be called from the script here; it only computes."]
      : [
          `Python: from hermes_tools import ${example}. JavaScript: import { ${example} } from "hermes_tools", and await each call.`,
          `Functions, returning parsed values:\n${functions.map((one) => `  ${signature(one)}: ${one.about}`).join("\n")}\n`,
        ]),
    "Also in hermes_tools: json_parse(text), shell_quote(text), retry(fn, max_attempts=3, delay=2).",
    `Limits: ${options.timeoutMs / 1_000} s, ${options.maxToolCalls} tool calls, ${options.maxStdoutChars} characters of output.`,
    options.mode === "project"
      ? "The script runs in the working directory of the session, with the active Python environment."
      : "The script runs in an empty temporary directory.",
  ].join(" ");
}

async function execute(
  deps: ExecuteCodeDeps,
  { code, language }: { readonly code: string; readonly language: ScriptLanguage },
  context: ToolContext,
): Promise<ToolResult> {
  if (code.trim() === "") throw new ToolFailure("There is no code to run");
  const terminal = await deps.leases.take(context, context.signal);
  if (terminal.kind !== "local") return executeElsewhere(deps, { code, language, terminal }, context);
  const wall = await deps.wall(context.scope, context.signal);
  const refusal = await screen(deps, { code, language, terminal, wall }, context);
  if (refusal !== undefined) return failed(refusal, { status: "blocked" });
  const [{ runScript }, { withTouches }] = await Promise.all([
    import("../code/run-script.ts"),
    import("../terminals/command/run-foreground.ts"),
  ]);
  const { result: ran, reached } = await withTouches(context, () =>
    runScript({
      code,
      language,
      functions: functionsFor(context.enabledTools),
      cwd: terminal.cwd,
      tempDir: terminal.tempDir,
      options: deps.options,
      env: deps.env,
      passthrough: deps.passthrough,
      extraEnv: deps.moreVariables?.(context) ?? {},
      call: (tool, args) => deps.callTool({ tool, args }, context),
      redact: (text) => deps.redact(text),
      start: deps.starts.of(context.scope.key),
      wall,
      signal: context.signal,
    }),
  );
  // Where nobody sees what a script reaches, it may have reached anybody.
  if (reached === undefined || reached.length > 0)
    context.noteUntrusted?.(`what a script got from ${reached?.[0] ?? "outside"}`);
  return result(ran, { isError: ran.status !== "success" });
}

/** A script beside the terminal it works with, on another machine or in a container. */
async function executeElsewhere(
  deps: ExecuteCodeDeps,
  script: { readonly code: string; readonly language: ScriptLanguage; readonly terminal: Terminal },
  context: ToolContext,
): Promise<ToolResult> {
  const wall = { isInForce: deps.isContained(script.terminal.kind), isMissing: false };
  const refusal = await screen(deps, { ...script, wall }, context);
  if (refusal !== undefined) return failed(refusal, { status: "blocked" });
  const [{ runScriptElsewhere }, { withTouches }] = await Promise.all([
    import("../code/run-script-elsewhere.ts"),
    import("../terminals/command/run-foreground.ts"),
  ]);
  const ran = await withTouches(context, () =>
    runScriptElsewhere({
      ...script,
      functions: functionsFor(context.enabledTools),
      options: deps.options,
      call: (tool, args) => deps.callTool({ tool, args }, context),
      redact: (text) => deps.redact(text),
      signal: context.signal,
    }),
  );
  context.noteUntrusted?.(`what a script got in a ${script.terminal.kind} terminal`);
  return result(ran, { isError: ran.status !== "success" });
}

const finding: Finding = {
  key: "script execution",
  description: "runs a script that can do what you can do, outside the checks of single commands",
  severity: "ask",
  source: "policy",
  isExact: true,
};

/** Why the script may not run, or undefined. A sandbox makes asking unnecessary; without one, somebody must agree. */
async function screen(
  deps: ExecuteCodeDeps,
  script: {
    readonly code: string;
    readonly language: ScriptLanguage;
    readonly terminal: Terminal;
    readonly wall: Pick<TerminalWall, "isInForce" | "isMissing">;
  },
  context: ToolContext,
): Promise<string | undefined> {
  // Where a sandbox is missing a script is asked about whatever the settings say: nothing would hold it.
  const { isInForce, isMissing } = script.wall;
  if (!isMissing && (deps.screening === "allow" || (deps.screening === "sandbox" && isInForce))) return undefined;
  const verdict = await deps.gate.checkFindings(`${script.language} script:\n${script.code}`, [finding], {
    tool: "execute_code",
    scope: context.scope,
    taskId: context.taskId,
    callId: context.callId,
    cwd: script.terminal.cwd,
    terminalKind: script.terminal.kind,
    signal: context.signal,
    progress: (text) => context.progress(text),
  });
  return verdict.kind === "blocked" ? verdict.reason : undefined;
}

/** Found by the list that is generated from this folder. */
export const builtin: BuiltinTools = ({ code }) => (code === undefined ? [] : [createExecuteCodeTool(code)]);
