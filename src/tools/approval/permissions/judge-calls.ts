import type { ApprovalGate } from "../../contract/approval-request.ts";
import type { CallObserver } from "../../contract/call-state.ts";
import type { Tool } from "../../contract/tool.ts";
import type { ObservedTurn } from "../../contract/tool-extensions.ts";
import { serverOfToolset } from "../../registry/mcp-names.ts";
import type { PlanMode } from "../plan-mode.ts";
import type { Permissions } from "./permissions.ts";
import { ruleFinding } from "./rule-finding.ts";

export interface JudgeCallsDeps {
  readonly permissions: Permissions;
  readonly gate: ApprovalGate;
  readonly plan: PlanMode;
  /** Of the person. */
  readonly home: string;
  toolNamed(name: string): Tool | undefined;
}

/**
 * What rules say about a call before it runs: by its tool, its server and the addresses it names. Commands are judged by the gate
 * and paths by the guard of the file tools, where it is known what they really are.
 */
export function judgeCalls(deps: JudgeCallsDeps, turn: ObservedTurn): CallObserver {
  const { permissions, gate, plan, home, toolNamed } = deps;
  const { scope, taskId, signal } = turn;
  return {
    async beforeCall({ id, function: { name } }, args) {
      const tool = toolNamed(name);
      const waits = await plan.refusal(tool, args, { scope, home });
      if (waits !== undefined) return waits;
      if (tool?.runs?.(args)?.command !== undefined) return undefined;
      const mcp = tool?.origin === "mcp" ? { server: serverOfToolset(tool.toolset) } : undefined;
      const subject = { tool: name, mcp, hosts: hostsIn(args) };
      const verdict = await permissions.decide(subject, scope);
      if (verdict === undefined || verdict.effect === "allow") return undefined;
      if (verdict.effect === "deny") return `${name} was not run: ${verdict.reason} forbids it. Find another way.`;
      const context = { tool: name, scope, taskId, callId: id, cwd: scope.cwd, terminalKind: "local", signal };
      const summary = `${name} ${JSON.stringify(args)}`;
      const answer = await gate.checkFindings(summary, [ruleFinding(verdict)], context);
      return answer.kind === "run" ? undefined : answer.reason;
    },
  };
}

/** The hosts of every address among the arguments. */
function hostsIn(args: Readonly<Record<string, unknown>>) {
  return Object.entries(args).flatMap(([key, value]) =>
    [value].flat().flatMap((one) => {
      if (typeof one !== "string") return [];
      const text = /^urls?$/.test(key) && !/^[a-z][a-z0-9+.-]*:\/\//i.test(one) ? `https://${one}` : one;
      if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return [];
      const { hostname, port, protocol } = new URL(text);
      return [{ host: hostname.replace(/^\[|\]$/g, ""), port: Number(port) || (protocol === "http:" ? 80 : 443) }];
    }),
  );
}
