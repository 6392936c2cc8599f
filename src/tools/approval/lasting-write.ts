import { newId } from "#foundation/text/ids";
import type { ToolContext } from "../contract/context.ts";

export type LastingContext = Pick<ToolContext, "untrusted" | "scope" | "taskId" | "signal">;

/**
 * Before something lasting is written: free while the context holds no words of strangers, else a person decides about exactly
 * this. Undefined when it may be written; else what the model is told. Nobody to ask means no.
 */
export async function askAboutLasting(
  { untrusted, scope, taskId, signal }: LastingContext,
  { tool, summary }: { readonly tool: string; readonly summary: string },
): Promise<string | undefined> {
  if (untrusted === undefined) return undefined;
  const about = { sessionKey: scope.key, taskId };
  const why = `this conversation holds text from outside (${untrusted})`;
  if (scope.approver.canAsk?.(about) === false)
    return `Not done: ${why}, so lasting changes need the user's word, and nobody can be asked here. Tell the user what you would keep.`;
  const finding = {
    key: "lasting change after text from outside",
    description: `${why}, which may have asked for this lasting change`,
    severity: "ask",
    source: "policy",
    isExact: true,
  } as const;
  const request = {
    id: newId("apr"),
    tool,
    summary,
    findings: [finding],
    choices: ["once", "deny"],
    scopes: { once: "exactly this, one time", session: "", always: "" },
    isDestructive: false,
    ...about,
  } as const;
  const answer = await scope.approver.ask(request, signal);
  if ((typeof answer === "string" ? answer : answer.choice) !== "deny") return undefined;
  return `Not done: ${why}, and the user did not agree to this lasting change.`;
}
