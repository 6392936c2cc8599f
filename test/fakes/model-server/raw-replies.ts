import type { Reply } from "./reply.ts";

/** Any bytes; captured traffic is replayed with this. */
export function raw(status: number, body: string | Buffer, headers: Readonly<Record<string, string>> = {}): Reply {
  const bytes = typeof body === "string" ? Buffer.from(body, "utf8") : body;
  return { content: { kind: "raw", status, headers, chunks: bytes.length === 0 ? [] : [bytes] }, delivery: {} };
}

/** A web page where JSON was expected, as proxies and captive portals send it. */
export function html(status: number, body = "<html><body><h1>Bad Gateway</h1></body></html>"): Reply {
  return raw(status, body, { "content-type": "text/html; charset=utf-8" });
}

/** A status and nothing else. */
export function emptyBody(status: number): Reply {
  return raw(status, "");
}

/** Any JSON value. */
export function json(status: number, value: unknown): Reply {
  return raw(status, JSON.stringify(value), { "content-type": "application/json" });
}

/** An event stream written by hand: data texts, or event name and data. */
export function events(list: readonly (string | { readonly event: string; readonly data: string })[]): Reply {
  const chunks = list.map((item) =>
    Buffer.from(typeof item === "string" ? `data: ${item}\n\n` : `event: ${item.event}\ndata: ${item.data}\n\n`),
  );
  return {
    content: { kind: "raw", status: 200, headers: { "content-type": "text/event-stream; charset=utf-8" }, chunks },
    delivery: {},
  };
}
