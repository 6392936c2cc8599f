import { type ApprovalGate, defaultScriptOptions, type ExecuteCodeDeps, subprocessHome } from "#tools";
import { findSandbox, type Terminals } from "./terminals.ts";
import type { ToolboxBase } from "./toolbox-options.ts";

export interface CodeParts {
  readonly terminals: Terminals;
  readonly gate: ApprovalGate;
  /** Runs the tool calls of scripts where no session does. */
  readonly callTool: ExecuteCodeDeps["callTool"];
}

/** `execute_code`. What confines scripts is looked for only where the settings want scripts confined. */
export async function openCode(
  base: ToolboxBase,
  { terminals, gate, callTool }: CodeParts,
  signal: AbortSignal,
): Promise<ExecuteCodeDeps> {
  const { options, config, env, redact } = base;
  const { code_execution, approvals, terminal } = config;
  const own = subprocessHome(options.home.root);
  const isConfined = approvals.code_execution === "sandbox";
  // Scripts may be confined also where commands are not.
  const find = terminal.sandbox === "off" ? findSandbox(base, "auto") : terminals.sandbox;
  const sandbox = isConfined ? await find(signal) : undefined;
  return {
    leases: terminals.leases,
    gate,
    options: {
      ...defaultScriptOptions,
      mode: code_execution.mode,
      timeoutMs: code_execution.timeout * 1000,
      maxToolCalls: code_execution.max_tool_calls,
      maxStdoutChars: config.tool_output.max_bytes,
    },
    env: { ...env, ...(own === undefined ? {} : { HOME: own }) },
    passthrough: ({ sessionId, taskId }) => [
      ...terminal.env_passthrough,
      ...(options.skillVariables?.({ sessionId, taskId }) ?? []),
    ],
    extraEnv: terminals.guardian.mark,
    callTool: options.runToolCall ?? callTool,
    redact,
    watch: (pid) => terminals.guardian.watch(pid),
    screening: approvals.code_execution,
    ...(sandbox?.kind === "confined" ? { confine: sandbox.confine } : {}),
  };
}
