import type { Approver } from "#tools";

/** `delegation.approvals`. */
export type ChildApprovals = "deny" | "approve" | "forward";

const childTask = /^sa-\d+-[0-9a-f]{8}$/;

/** Whether a task id belongs to a child agent. */
export function isChildTask(taskId: string): boolean {
  return childTask.test(taskId);
}

/**
 * Answers for children: nobody is asked on their behalf unless that is wished. Requests of the main agent pass
 * through. The gate writes both answers into its record.
 */
export function childApprover(approver: Approver, approvals: () => ChildApprovals): Approver {
  return {
    ask(request, signal) {
      if (!isChildTask(request.taskId)) return approver.ask(request, signal);
      const how = approvals();
      if (how === "forward") return approver.ask(request, signal);
      return Promise.resolve(how === "approve" ? "once" : "deny");
    },
    canAsk(about) {
      const isAsked = !isChildTask(about.taskId) || approvals() === "forward";
      return !isAsked || (approver.canAsk?.(about) ?? true);
    },
  };
}
