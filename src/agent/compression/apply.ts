import {
  type AgentEvent,
  type AssistantMessage,
  imagesOf,
  type Message,
  type SessionId,
  type ToolMessage,
  textOf,
  untrustedIn,
  type Violation,
  violations,
} from "#conversation";
import { defined } from "#foundation/defined";
import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { newId } from "#foundation/text/ids";
import type { Target } from "#model";
import type { Conversation } from "../conversation.ts";
import type { PromptSource, Transcript } from "../ports.ts";
import { findSummary, latestRequest, stripSummary } from "../summary-message.ts";
import type { MeteredRequest } from "../turn/request/meter.ts";
import type { CompressOutcome } from "./engine.ts";

/** What is compressed: the history of a running turn, or of a conversation between its turns. */
export interface Subject {
  readonly history: readonly Message[];
  readonly sessionId: SessionId;
  readonly target: Target;
  /** Whose files were read; absent between turns. */
  readonly taskId?: string;
  readonly signal: AbortSignal;
  /** The request as it would go out now. */
  request(): Promise<MeteredRequest>;
  emit(event: AgentEvent): void;
  replace(history: readonly Message[], cause: string): void;
  moveTo(sessionId: SessionId): void;
}

export interface ApplyDeps {
  readonly conversation: Conversation;
  readonly transcript: Transcript;
  readonly prompt: PromptSource;
  readonly logger: Logger;
  /** Files the model was shown may be gone from its context, so "unchanged since you read it" no longer helps. */
  forgetReads?(taskId: string | undefined): void;
}

interface Applied {
  readonly newSessionId: SessionId | undefined;
  readonly changedLayers: readonly string[];
}

/** Stores every message of the history in the current session; one that has no uid yet gets one. Nothing may be lost by a split. */
export async function persistHistory(subject: Subject, deps: ApplyDeps): Promise<void> {
  if (subject.history.some((message) => message.uid === undefined)) {
    const stamped = subject.history.map((message) =>
      message.uid === undefined ? { ...message, uid: newId("msg") } : message,
    );
    subject.replace(stamped, "messages got their ids");
  }
  await deps.transcript.record(withoutScaffold(subject.history));
}

/** The same messages, some of them shorter in requests: the session goes on, and what is stored stays whole. */
export async function applyPruned(subject: Subject, messages: readonly Message[], deps: ApplyDeps): Promise<void> {
  const before = new Set(subject.history);
  const next = uncounted(ontoWhole(subject.history, messages));
  subject.replace(next, "pruning");
  await deps.transcript.amend(withoutScaffold(next.filter((message) => !before.has(message))));
  deps.conversation.meter.forget();
  deps.forgetReads?.(subject.taskId);
}

/** A summary took the place of a region: the prompt is brought up to date and the session goes on in a new part. */
export async function applySummarised(subject: Subject, outcome: CompressOutcome, deps: ApplyDeps): Promise<Applied> {
  const before = subject.history;
  const { conversation, logger } = deps;
  const next = labelled(before, uncounted(ontoWhole(before, outcome.messages)));
  const changedLayers = await refreshPrompt(deps);
  let newSessionId: SessionId | undefined;
  try {
    newSessionId = await deps.transcript.split(withoutScaffold(next));
  } catch (error) {
    // The old part holds everything that was said; going on in it loses nothing.
    logger.error("the session could not be split after compression", { error: describe(error) });
  }
  subject.replace(next, "compression");
  if (newSessionId !== undefined) {
    subject.moveTo(newSessionId);
    conversation.sessionId = newSessionId;
  }
  conversation.compressionCount += 1;
  conversation.meter.forget();
  deps.forgetReads?.(subject.taskId);
  return { changedLayers, newSessionId };
}

async function refreshPrompt({ prompt, logger }: ApplyDeps): Promise<readonly string[]> {
  try {
    return (await prompt.refresh()).changedLayers;
  } catch (error) {
    logger.error("the prompt could not be brought up to date after compression; the old one stays", {
      error: describe(error),
    });
    return [];
  }
}

function withoutScaffold(messages: readonly Message[]): readonly Message[] {
  return messages.filter((message) => message._scaffold !== true);
}

/**
 * What an engine made of a history, laid over the whole messages: a shortened result or call keeps its words and
 * gets the short form for requests. So what is stored, a session that compression begins included, is always whole,
 * and whoever resumes the session sends the same short forms again.
 */
function ontoWhole(whole: readonly Message[], made: readonly Message[]): readonly Message[] {
  const byUid = new Map(whole.flatMap((message) => (message.uid === undefined ? [] : [[message.uid, message]])));
  return made.map((message) => {
    const original = byUid.get(message.uid ?? "");
    if (original?.role === "tool" && message.role === "tool") return wholeResult(original, message);
    if (original?.role === "assistant" && message.role === "assistant") return wholeReply(original, message);
    return message;
  });
}

function wholeResult(original: ToolMessage, made: ToolMessage): Message {
  const { content } = made;
  if (content === original.content || content === original.sent?.content) return original;
  return { ...original, sent: { ...original.sent, content } };
}

/** A summary may stand in front of the text of a reply; its words and its calls are whole all the same. */
function wholeReply(original: AssistantMessage, made: AssistantMessage): Message {
  const { tool_calls } = original;
  const isSameText = made.content === original.content || made.content === original.sent?.content;
  const isSameCalls = made.tool_calls === tool_calls || made.tool_calls === original.sent?.tool_calls;
  if (isSameText && isSameCalls) return original;
  const spoken = findSummary(made)?.rest ?? made.content;
  const content = `${made.content.slice(0, made.content.lastIndexOf(spoken))}${original.content}`;
  const sent = {
    ...(made.content === content ? {} : { content: made.content }),
    ...(made.tool_calls === tool_calls || made.tool_calls === undefined ? {} : { tool_calls: made.tool_calls }),
  };
  const { sent: _sent, ...rest } = made;
  return {
    ...rest,
    content,
    ...defined({ tool_calls }),
    ...(Object.keys(sent).length === 0 ? {} : { sent }),
  };
}

/** Words of strangers stay so: what was made of a history that held some holds some. */
function labelled(before: readonly Message[], after: readonly Message[]): readonly Message[] {
  const kept = new Set(after.map(({ uid }) => uid));
  const source = untrustedIn(before.filter(({ uid }) => !kept.has(uid)));
  if (source === undefined) return after;
  const whole = new Map(before.map((message) => [message.uid, message]));
  return after.map((message) => {
    const isMade = message.uid === undefined || whole.get(message.uid)?.content !== message.content;
    return isMade && message.untrusted === undefined ? { ...message, untrusted: source } : message;
  });
}

/** After a change of the beginning, what a provider counted says nothing about the next request. */
function uncounted(messages: readonly Message[]): readonly Message[] {
  const last = messages.findLastIndex((message) => message.role === "assistant" && message.origin !== undefined);
  return messages.map((message, index) => {
    if (index !== last || message.role !== "assistant" || message.origin?.counted === undefined) return message;
    const { counted: _counted, ...origin } = message.origin;
    return { ...message, origin };
  });
}

/** Why a compressed history must not be used; undefined when it may. Faults the history had before are not held against it. */
export function problemWith(before: readonly Message[], after: readonly Message[]): string | undefined {
  const known = countByRule(violations(before));
  const found = violations(after);
  for (const [rule, count] of countByRule(found))
    if (count > (known.get(rule) ?? 0)) return found.find((one) => one.rule === rule)?.detail ?? rule;
  return hasRequest(before, after) ? undefined : "the user's latest request is missing";
}

function countByRule(found: readonly Violation[]): ReadonlyMap<Violation["rule"], number> {
  const counts = new Map<Violation["rule"], number>();
  for (const { rule } of found) counts.set(rule, (counts.get(rule) ?? 0) + 1);
  return counts;
}

function hasRequest(before: readonly Message[], after: readonly Message[]): boolean {
  const index = latestRequest(before);
  const request = index === undefined ? undefined : before[index];
  if (request === undefined) return true;
  const latest = latestRequest(after);
  const kept = latest === undefined ? undefined : after[latest];
  if (kept === undefined) return false;
  const [wanted, found] = [stripSummary(request.content), stripSummary(kept.content)];
  return textOf(found) === textOf(wanted) && imagesOf(found).length === imagesOf(wanted).length;
}
