import type { Delivery, Limit, Reply } from "./reply.ts";

/**
 * Faults are wrappers and combine: `splitBytes(pings(2, says("hi")), "every-byte")`. They are applied in one
 * fixed order, whatever the order of wrapping: events are left out, pinged and damaged first, bytes are then
 * limited (cut, hang), and what remains is split and gated.
 */

/** The connection ends after that many body bytes, without a proper end. */
export function cutAfter(bytes: number, reply: Reply, options: { readonly by?: "close" | "reset" } = {}): Reply {
  return wrap(reply, { cutAfterBytes: bytes, ...(options.by === undefined ? {} : { cutBy: options.by }) });
}

/** Sends so many bytes or events, then nothing until the client leaves (`server.clientLeft(n)`). */
export function hangAfter(limit: number | Limit, reply: Reply): Reply {
  return wrap(reply, { hangAfter: typeof limit === "number" ? { bytes: limit } : limit });
}

/** Accepts the request and says nothing, not even headers. */
export function hang(): Reply {
  return { content: { kind: "silence" }, delivery: {} };
}

/** The event at that index (or the whole body, when there is no stream) holds half of its JSON. */
export function malformedFrame(reply: Reply, at = 0): Reply {
  return wrap(reply, { malformedAt: at });
}

/** Cuts the bytes into HTTP chunks of these sizes, over and over, through characters and lines alike. */
export function splitBytes(reply: Reply, sizes: readonly number[] | "every-byte"): Reply {
  if (sizes !== "every-byte" && !sizes.some((size) => size > 0)) throw new Error("A split needs a positive size.");
  return wrap(reply, { split: sizes });
}

/** Every step of so many events waits for one `server.release()`; headers go out at once. */
export function slow(reply: Reply, options: { readonly eventsPerRelease?: number } = {}): Reply {
  return wrap(reply, { eventsPerRelease: options.eventsPerRelease ?? 1 });
}

/** Adds response headers, or replaces them. */
export function withHeaders(reply: Reply, headers: Readonly<Record<string, string>>): Reply {
  return wrap(reply, { headers: { ...reply.delivery.headers, ...headers } });
}

/** Keep-alives early in the stream: `ping` events on the Anthropic wire, comments elsewhere. */
export function pings(count: number, reply: Reply): Reply {
  return wrap(reply, { pings: count });
}

/** The stream ends cleanly without its last word: `[DONE]`, `message_stop`, or the terminal response event. */
export function noDone(reply: Reply): Reply {
  return wrap(reply, { omit: "done" });
}

/** The stream ends cleanly right after its content: no finish reason, no usage, no last word. */
export function noFinish(reply: Reply): Reply {
  return wrap(reply, { omit: "finish" });
}

/** Lines end in CR LF. */
export function crlf(reply: Reply): Reply {
  return wrap(reply, { lineEnding: "\r\n" });
}

/** The provider reports a failure inside a stream that had begun well; by default after all content. */
export function failsMidway(reply: Reply, failure: Reply, options: { readonly afterEvents?: number } = {}): Reply {
  if (failure.content.kind !== "failure") throw new Error("failsMidway needs a failure, for example overloaded().");
  return wrap(reply, { midway: { failure: failure.content, ...options } });
}

function wrap(reply: Reply, change: Delivery): Reply {
  return { content: reply.content, delivery: { ...reply.delivery, ...change } };
}
