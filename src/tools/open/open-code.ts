import { defined } from "#foundation/defined";
import { isContained } from "../approval/container-bypass.ts";
import { defaultScriptOptions, type ExecuteCodeDeps } from "../builtin/execute-code.tool.ts";
import type { ApprovalGate } from "../contract/approval-request.ts";
import { subprocessHome } from "../terminals/open-terminal.ts";
import type { Terminals } from "./open-terminals.ts";
import type { ToolsBase } from "./tools-base.ts";

export interface CodeOptions {
  readonly terminals: Terminals;
  readonly gate: ApprovalGate;
  readonly callTool: ExecuteCodeDeps["callTool"];
}

/** `execute_code`. What confines scripts is looked for only where the settings want scripts confined. */
export function openCode(base: ToolsBase, { terminals, gate, callTool }: CodeOptions): ExecuteCodeDeps {
  const { machine, config, env, redact } = base;
  const { code_execution, approvals, terminal } = config;
  const own = subprocessHome(machine.home.root);
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
    env: { ...env, ...defined({ HOME: own }) },
    passthrough: terminal.env_passthrough,
    moreVariables: ({ scope }) => ({ ...terminals.moreVariables(scope), ...terminals.guardian.mark }),
    callTool,
    redact,
    starts: terminals.scripts,
    screening: approvals.code_execution,
    isContained: (kind) => isContained(kind, config),
    wall: (scope, signal) => terminals.walls.of(scope, signal),
  };
}
