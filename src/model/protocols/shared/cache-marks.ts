import { isRecord } from "#foundation/text/json";

export interface CacheMark {
  readonly type: "ephemeral";
  readonly ttl?: "1h";
}

/** A message in chat shape; a mark stands on it or on its last part. */
export interface Markable {
  readonly role: string;
  readonly content?: unknown;
  readonly cache_control?: CacheMark;
}

export interface CacheMarkOptions {
  /** `block`: the adapter moves marks onto blocks, also of tool results. `message`: marks go over the wire where they stand. */
  readonly style: "block" | "message";
  /** Anything but `1h` is the ordinary five minutes. */
  readonly ttl?: string | undefined;
}

const maxMarks = 4;

export function cacheMark(ttl: string | undefined): CacheMark {
  return ttl === "1h" ? { type: "ephemeral", ttl: "1h" } : { type: "ephemeral" };
}

/**
 * `system_and_3`: the system message and the last messages that can carry a mark, four in all. The last
 * step of lowering, so that the bytes of a text do not depend on where the marks stand. Only marked
 * messages are copied. A message that cannot carry a mark costs none.
 */
export function markForCache<M extends Markable>(messages: readonly M[], options: CacheMarkOptions): readonly M[] {
  const mark = cacheMark(options.ttl);
  const output = [...messages];
  let left = maxMarks;
  const first = messages[0];
  const hasSystem = first !== undefined && (first.role === "system" || first.role === "developer");
  if (hasSystem) {
    const marked = markMessage(first, mark, options.style);
    if (marked !== undefined) {
      output[0] = marked;
      left -= 1;
    }
  }
  for (let index = messages.length - 1; index >= (hasSystem ? 1 : 0) && left > 0; index -= 1) {
    const message = messages[index];
    const marked = message === undefined ? undefined : markMessage(message, mark, options.style);
    if (marked === undefined) continue;
    output[index] = marked;
    left -= 1;
  }
  return output;
}

function markMessage<M extends Markable>(message: M, mark: CacheMark, style: "block" | "message"): M | undefined {
  const { content } = message;
  if (message.role === "tool") return style === "block" ? { ...message, cache_control: mark } : undefined;
  if (content === undefined || content === null || content === "") return { ...message, cache_control: mark };
  if (typeof content === "string") {
    return { ...message, content: [{ type: "text", text: content, cache_control: mark }] };
  }
  const last: unknown = Array.isArray(content) ? content.at(-1) : undefined;
  if (!Array.isArray(content) || !isRecord(last) || isThinking(last)) return undefined;
  return { ...message, content: [...content.slice(0, -1), { ...last, cache_control: mark }] };
}

function isThinking(part: Readonly<Record<string, unknown>>): boolean {
  return part["type"] === "thinking" || part["type"] === "redacted_thinking";
}
