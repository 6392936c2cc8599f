import type { Message } from "#conversation";
import { headOf, tailOf } from "#foundation/text/short-text";
import { latestRequest } from "../summary-message.ts";

export interface ExcerptOptions {
  /** Messages before this index stay as they are. */
  readonly from?: number | undefined;
  /** Excerpts do not get shorter than this. */
  readonly shortest?: number | undefined;
  /** Longer texts go on as excerpts in any case. */
  readonly longest: number;
  /** Longer ones do while the whole is too large; then half of that, and half again. */
  readonly longestWhenFull: number;
  isFull(messages: readonly Message[]): boolean;
  /** How the whole text can be read again. */
  sourceOf(message: Message, text: string): Promise<string | undefined>;
}

/** Shorter than this an excerpt tells nothing. */
const smallestExcerpt = 240;

/** Long messages as excerpts; the list given when none is too long. The user's latest request is never cut. */
export async function withExcerpts(
  messages: readonly Message[],
  { longest, longestWhenFull, isFull, sourceOf, from = 0, shortest = smallestExcerpt }: ExcerptOptions,
): Promise<readonly Message[]> {
  const latest = latestRequest(messages);
  const texts = messages.map((message, index) => (index < from || index === latest ? undefined : textIn(message)));
  const cut = (characters: number, sources: readonly (string | undefined)[] = []): readonly Message[] =>
    messages.map((message, index) => {
      const text = texts[index];
      if (text === undefined || text.length <= characters) return message;
      return withText(message, excerptOf(text, characters, sources[index]));
    });
  let characters = longest;
  for (let next = longestWhenFull; isFull(cut(characters)) && next >= shortest; next /= 2)
    characters = Math.min(characters, Math.floor(next));
  const isLong = (text: string | undefined): text is string => text !== undefined && text.length > characters;
  if (!texts.some(isLong)) return messages;
  const sources = messages.map(async (message, index) => {
    const text = texts[index];
    return isLong(text) ? await sourceOf(message, text) : undefined;
  });
  return cut(characters, await Promise.all(sources));
}

const headShare = 0.65;
const mark = /\n\[(\d+) characters left out[^\]\n]*\]\n/;

/** The beginning and the end of a long text, and where the rest can be read. An excerpt of an excerpt counts from the whole text. */
function excerptOf(text: string, characters: number, source: string | undefined): string {
  const earlier = mark.exec(text);
  const whole = text.length + (earlier === null ? 0 : Number(earlier[1]) - earlier[0].length);
  const head = headOf(text, Math.floor(headShare * characters));
  const tail = tailOf(text, Math.floor((1 - headShare) * characters));
  const left = whole - head.length - tail.length;
  return `${head}\n[${left} characters left out${source === undefined ? "" : `; full text: ${source}`}]\n${tail}`;
}

/** What a message says in requests; undefined where it is too short for an excerpt, or not only text. */
function textIn(message: Message): string | undefined {
  const content = message.sent?.content ?? message.content;
  return typeof content === "string" && content.length > smallestExcerpt ? content : undefined;
}

/** People's words are stored as they are, with this text for requests; of others the store keeps the whole text too (`apply.ts`). */
function withText(message: Message, text: string): Message {
  if (message.role === "user") return { ...message, sent: { ...message.sent, content: text } };
  if (message.role !== "assistant") return { ...message, content: text };
  // The exact items of the Responses wire would be sent in place of the text.
  const { codex_message_items: _items, ...rest } = message;
  return { ...rest, content: text };
}
