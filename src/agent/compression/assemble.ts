import type { AssistantMessage, Content, Message, UserMessage } from "#conversation";
import { newId } from "#foundation/text/ids";
import type { Plan } from "./plan.ts";
import { prependSummary, stripSummary } from "./summary-message.ts";

export interface AssembleInput {
  /** The history as it shall be kept: head and tail may be pruned. */
  readonly messages: readonly Message[];
  readonly plan: Extract<Plan, { kind: "compress" }>;
  /** The whole text of the summary message. */
  readonly summary: string;
  /** Unix time in seconds. */
  readonly timestamp: number;
}

/** Head, summary, tail: in roles that alternate. */
export function assemble({ messages, plan, summary, timestamp }: AssembleInput): readonly Message[] {
  const head = messages.slice(0, plan.start);
  const repeated = plan.repeat === undefined ? undefined : repeatOf(messages[plan.repeat], plan.repeat < plan.start);
  const tail = [...(repeated === undefined ? [] : [repeated]), ...messages.slice(plan.end)];
  const role = summaryRole(head.at(-1)?.role, tail[0]?.role);
  const [first, ...others] = tail;
  if (role !== undefined || first === undefined || first.role === "tool") {
    const message: Message = { role: role ?? "user", content: summary, uid: newId("msg"), timestamp };
    return [...head, message, ...tail];
  }
  return [...head, withSummary(first, summary), ...others];
}

/** The role that alternates on both sides; undefined when there is none. */
function summaryRole(
  before: Message["role"] | undefined,
  after: Message["role"] | undefined,
): "user" | "assistant" | undefined {
  // A conversation begins with the user.
  if (before === undefined) return after === "user" ? undefined : "user";
  const wanted = before === "user" ? "assistant" : "user";
  if (wanted !== after) return wanted;
  const flipped = wanted === "user" ? "assistant" : "user";
  return flipped === before ? undefined : flipped;
}

/**
 * The user's latest message again, without the summary an earlier compression may have put in front of it; with
 * a new uid where the first one stays in the head, since a session stores a uid once.
 */
function repeatOf(message: Message | undefined, staysInHead: boolean): UserMessage | undefined {
  if (message?.role !== "user") return undefined;
  const uid = staysInHead || message.uid === undefined ? newId("msg") : message.uid;
  const content = stripSummary(message.content);
  if (uid === message.uid && content === message.content) return message;
  return withContent({ ...message, uid }, stripSummary);
}

/** What is sent in the place of a message's words is changed with them. */
function withContent(message: UserMessage, change: (content: Content) => Content): UserMessage {
  const { sent } = message;
  const content = change(message.content);
  if (sent?.content === undefined) return { ...message, content };
  return { ...message, content, sent: { ...sent, content: change(sent.content) } };
}

function withSummary(first: Exclude<Message, { role: "tool" }>, summary: string): Message {
  if (first.role === "user") return withContent(first, (content) => prependSummary(summary, content));
  // The exact items of the Responses wire would be sent in place of the text.
  const { codex_message_items: _items, ...rest } = first;
  const content = first.content === "" ? summary : `${summary}\n\n${first.content}`;
  return { ...rest, content } satisfies AssistantMessage;
}
