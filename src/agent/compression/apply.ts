import type { Message, SessionId } from "#conversation";
import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { newId } from "#foundation/text/ids";
import type { Conversation } from "../conversation.ts";
import type { PromptSource, Transcript } from "../ports.ts";
import type { CompressOutcome } from "./engine.ts";
import { ontoWhole, uncounted } from "./originals.ts";
import type { Subject } from "./subject.ts";

export interface ApplyDeps {
  readonly conversation: Conversation;
  readonly transcript: Transcript;
  readonly prompt: PromptSource;
  readonly logger: Logger;
  /** Files the model was shown may be gone from its context, so "unchanged since you read it" no longer helps. */
  forgetReads?(taskId: string | undefined): void;
}

export interface Applied {
  readonly newSessionId?: SessionId;
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
  const next = uncounted(ontoWhole(before, outcome.messages));
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
  return newSessionId === undefined ? { changedLayers } : { changedLayers, newSessionId };
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
