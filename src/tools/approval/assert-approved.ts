import type { ApprovalGate } from "../contract/approval-request.ts";
import type { ToolContext } from "../contract/context.ts";
import { ToolFailure } from "../contract/result.ts";

/** Something a tool does that a person must want. */
export interface AskedAction {
  readonly tool: string;
  /** What is shown to the person. */
  readonly summary: string;
  /** What a grant is kept under. */
  readonly key: string;
  /** Why it is asked. */
  readonly description: string;
  /** Where it happens on this machine; elsewhere when absent. */
  readonly cwd?: string | undefined;
}

/** Asks before a tool does something that no terminal holds, so that no container's freedom counts; throws on a no. */
export async function assertApproved(
  gate: ApprovalGate,
  { tool, summary, key, description, cwd = "/" }: AskedAction,
  context: ToolContext,
): Promise<void> {
  const finding = { key, description, severity: "ask", source: "policy" } as const;
  const verdict = await gate.checkFindings(summary, [finding], {
    tool,
    scope: context.scope,
    taskId: context.taskId,
    callId: context.callId,
    cwd,
    terminalKind: "local",
    signal: context.signal,
    progress: (text) => context.progress(text),
  });
  if (verdict.kind === "blocked") throw new ToolFailure(verdict.reason, { status: "blocked" });
}
