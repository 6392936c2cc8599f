import type { AssistantMessage, Content, Message, UserMessage } from "#conversation";
import { newId } from "#foundation/text/ids";
import { findSummary, isSummaryOnly, latestRequest, prependSummary, stripSummary } from "../summary-message.ts";
import type { CompressionLimits } from "./limits.ts";

/**
 * What stays and what is summarised. Pure. Invariants:
 *
 * 1. `[0, start)` is the head, `[start, end)` the region, `[end, length)` the tail; none of the cuts separates a
 *    call from its result.
 * 2. The user's latest message is in the tail, or it is named by `repeat` and put behind the summary again.
 * 3. An earlier summary always lies in the region: a conversation holds one summary.
 */
export type Plan =
  | { readonly kind: "nothing"; readonly why: "too-short" | "no-region" }
  | {
      readonly kind: "compress";
      readonly start: number;
      readonly end: number;
      /** Index of the user's latest message, where it is not in the tail. */
      readonly repeat?: number;
    };

export interface PlanOptions {
  readonly limits: Pick<
    CompressionLimits,
    "tailBudget" | "softCeiling" | "protectLastN" | "headBudget" | "smallestTail" | "smallestTranscript" | "longestKept"
  >;
  sizeOf(message: Message): number;
}

export const headSize = 3;

export function planCompression(messages: readonly Message[], options: PlanOptions): Plan {
  const { limits } = options;
  if (messages.length < limits.smallestTranscript) return { kind: "nothing", why: "too-short" };
  const start = startOfRegion(messages, options);
  const withinBudget = groupStart(messages, tailStart(messages, start, options));
  // A tail that leaves nothing to summarise is cut to its smallest form, unless excerpts of long messages will do.
  const isTooLong = !hasWords(messages.slice(start, withinBudget)) && limits.longestKept === Number.POSITIVE_INFINITY;
  const end = isTooLong ? groupStart(messages, messages.length - limits.smallestTail) : withinBudget;
  if (!hasWords(messages.slice(start, end))) return { kind: "nothing", why: "no-region" };
  const latest = latestRequest(messages);
  if (latest === undefined || latest >= end) return { kind: "compress", start, end };
  const moved = fitsBefore(messages, latest, options) ? latest : undefined;
  if (moved !== undefined && moved > start && hasWords(messages.slice(start, moved)))
    return { kind: "compress", start, end: moved };
  if (!hasWords(messages.slice(start, end).filter((message) => message !== messages[latest])))
    return { kind: "nothing", why: "no-region" };
  return { kind: "compress", start, end, repeat: latest };
}

function startOfRegion(messages: readonly Message[], { limits, sizeOf }: PlanOptions): number {
  let start = headSize;
  while (messages[start]?.role === "tool") start += 1;
  const headTokens = messages.slice(0, start).reduce((sum, message) => sum + sizeOf(message), 0);
  if (headTokens > limits.headBudget) return 0;
  const summary = messages.findIndex((message) => findSummary(message) !== undefined);
  return summary >= 0 && summary < start ? summary : start;
}

function tailStart(messages: readonly Message[], start: number, { limits, sizeOf }: PlanOptions): number {
  let at = messages.length;
  let sum = 0;
  while (at > start) {
    const message = messages[at - 1];
    if (message === undefined) break;
    sum += sizeOf(message);
    const kept = messages.length - at;
    const isWithin = sum <= limits.tailBudget || (kept < limits.protectLastN && sum <= limits.softCeiling);
    if (!isWithin && kept >= limits.smallestTail) break;
    at -= 1;
  }
  return at;
}

/** Back to the assistant message whose results begin before this place. */
function groupStart(messages: readonly Message[], index: number): number {
  let at = index;
  while (at > 0 && messages[at]?.role === "tool") at -= 1;
  return at;
}

function fitsBefore(messages: readonly Message[], from: number, { limits, sizeOf }: PlanOptions): boolean {
  let sum = 0;
  for (const message of messages.slice(from)) sum += sizeOf(message);
  return sum <= limits.softCeiling;
}

function hasWords(region: readonly Message[]): boolean {
  return region.some((message) => !isSummaryOnly(message));
}

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
