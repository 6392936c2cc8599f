import type { Message } from "#conversation";
import type { Target } from "#model";
import type { SentMessages } from "../sent-messages.ts";
import type { CompressFacts } from "./engine.ts";
import { prependSummary, stripSummary } from "./summary-message.ts";

/**
 * What was sent with a user message besides its stored words (a skill's text, recalled memory) goes on being sent
 * when compression gives the message another place, or puts the summary in front of it.
 */
export function carrySent(
  sent: SentMessages,
  { history: before, target }: { readonly history: readonly Message[]; readonly target: Target },
  facts: CompressFacts,
): void {
  const viewOf = (uid: string) => {
    const message = before.find((one) => one.uid === uid);
    if (message === undefined) return undefined;
    const [view] = sent.view([message], target);
    return view === undefined || view === message ? undefined : stripSummary(view.content);
  };
  const placed = new Map((facts.copies ?? []).map(({ uid, of }) => [uid, viewOf(of)]));
  for (const [uid, content] of placed) if (content !== undefined) sent.set(uid, { content, suffix: "" });
  const { mergedInto } = facts;
  if (mergedInto === undefined) return;
  const { uid, prefix } = mergedInto;
  const content = placed.has(uid) ? placed.get(uid) : viewOf(uid);
  if (content !== undefined) sent.set(uid, { content: prependSummary(prefix, content), suffix: "" });
}
