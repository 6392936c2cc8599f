import type { AgentContext, PermissionOption } from "@agentclientprotocol/sdk/unstable";
import type { ApprovalChoice } from "#conversation";
import type { SessionEvent } from "#session";
import { kindOf, textContent } from "./tool-call.ts";

export type ApprovalRequested = Extract<SessionEvent, { readonly type: "approval-request" }>;

const options: Readonly<Record<ApprovalChoice, PermissionOption>> = {
  once: { optionId: "allow_once", name: "Allow once", kind: "allow_once" },
  folder: { optionId: "allow_folder", name: "Allow in this folder for this session", kind: "allow_always" },
  session: { optionId: "allow_session", name: "Allow for this session", kind: "allow_always" },
  always: { optionId: "allow_always", name: "Always allow", kind: "allow_always" },
  deny: { optionId: "reject_once", name: "Reject", kind: "reject_once" },
};

const order: readonly ApprovalChoice[] = ["once", "folder", "session", "always", "deny"];

/**
 * Asks the person at the editor. Only an answer that was offered allows something; a dismissed question, an answer
 * nobody offered and an editor that cannot be asked all mean no. The time is kept by the session.
 */
export async function askPermission(
  client: AgentContext,
  { sessionId, request }: { readonly sessionId: string; readonly request: ApprovalRequested },
  signal: AbortSignal,
): Promise<ApprovalChoice> {
  const offered = order.filter((choice) => choice === "deny" || request.choices.includes(choice));
  const why = request.reasons.map((reason) => `- ${reason}`).join("\n");
  const { outcome } = await client.request(
    "session/request_permission",
    {
      sessionId,
      toolCall: {
        toolCallId: request.callId ?? request.id,
        title: `${request.tool}: ${request.summary}`,
        kind: kindOf(request.tool),
        status: "pending",
        content: [textContent(`${request.summary}\n\n${why}`)],
      },
      options: offered.map((choice) => {
        const scope = request.scopes?.[choice];
        return scope === undefined
          ? options[choice]
          : { ...options[choice], name: `${options[choice].name}: ${scope}` };
      }),
    },
    { cancellationSignal: signal, stopWaitingOnCancel: true },
  );
  if (outcome.outcome !== "selected") return "deny";
  return offered.find((choice) => options[choice].optionId === outcome.optionId) ?? "deny";
}
