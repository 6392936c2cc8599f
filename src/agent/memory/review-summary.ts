import { callsOf, type Message, readArguments, textOf } from "#conversation";
import { isRecord, parseJson } from "#foundation/text/json";

/** Something a review has changed. */
export type ReviewAction =
  | { readonly kind: "memory"; readonly target: string }
  | { readonly kind: "skill"; readonly name: string; readonly action: string };

/** The successful changes among the messages that were not there before the review. */
export function newActions(history: readonly Message[], messages: readonly Message[]): readonly ReviewAction[] {
  const known = new Set(history.flatMap((message) => (message.role === "tool" ? [message.tool_call_id] : [])));
  const calls = new Map(messages.flatMap((message) => callsOf(message).map((call) => [call.id, call] as const)));
  const actions: ReviewAction[] = [];
  for (const message of messages) {
    if (message.role !== "tool" || known.has(message.tool_call_id)) continue;
    const answer = parseJson(textOf(message.content));
    if (!answer.ok || !isRecord(answer.value) || answer.value["success"] !== true) continue;
    // What waits for the user is no change yet.
    if (answer.value["pending"] === true) continue;
    const read = readArguments(calls.get(message.tool_call_id)?.function.arguments ?? "{}");
    const args = read.kind === "ok" ? read.value : {};
    const action = actionOf(message.tool_name, args, answer.value);
    if (action !== undefined) actions.push(action);
  }
  return actions;
}

function actionOf(
  tool: string,
  args: Readonly<Record<string, unknown>>,
  answer: Readonly<Record<string, unknown>>,
): ReviewAction | undefined {
  if (tool === "memory") return { kind: "memory", target: String(answer["target"] ?? args["target"] ?? "memory") };
  if (tool !== "skill_manage") return undefined;
  return {
    kind: "skill",
    name: String(args["name"] ?? answer["name"] ?? "?"),
    action: String(args["action"] ?? "changed"),
  };
}

/** `Background review: 2 notes updated, skill deploy-site (create)`, or nothing. */
export function summaryLine(actions: readonly ReviewAction[]): string | undefined {
  if (actions.length === 0) return undefined;
  const notes = actions.filter((action) => action.kind === "memory" && action.target !== "user").length;
  const profile = actions.filter((action) => action.kind === "memory" && action.target === "user").length;
  const parts: string[] = [];
  if (notes > 0) parts.push(notes === 1 ? "1 note updated" : `${notes} notes updated`);
  if (profile > 0) parts.push("user profile updated");
  const skills = new Set(
    actions.flatMap((action) => (action.kind === "skill" ? [`skill ${action.name} (${action.action})`] : [])),
  );
  return `Background review: ${[...parts, ...skills].join(", ")}`;
}
