import type { IdSource } from "../ids.ts";
import type { Issued } from "../issued.ts";
import type { ReceivedRequest } from "../received-request.ts";

export type ChatDialect = "openai" | "openrouter";

/** What goes out, before faults. A body that is no stream is one `bytes` frame. */
export interface WireReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly frames: readonly Frame[];
}

/** `content` can be cut at will; `finish` says how it ended; `done` is the protocol's last word. */
export type Phase = "content" | "finish" | "done";

export type Frame =
  | { readonly kind: "event"; readonly phase: Phase; readonly event?: string; readonly data: string }
  | { readonly kind: "comment"; readonly text: string }
  | { readonly kind: "bytes"; readonly bytes: Buffer };

/** Prompt numbers of one request as the cache ledger sees them. */
export interface PromptUsage {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cacheWrite1h: number;
}

export interface RenderContext {
  readonly request: ReceivedRequest;
  readonly dialect: ChatDialect;
  readonly ids: IdSource;
  /** The same in the headers and in error bodies. */
  readonly requestId: string;
  readonly issued: Issued;
  readonly promptUsage: PromptUsage;
  readonly nowMs: number;
  /** For the wording of overflow errors. */
  readonly contextWindow: number;
  readonly promptTokens: number;
}

export function event(phase: Phase, data: unknown, name?: string): Frame {
  return { kind: "event", phase, data: JSON.stringify(data), ...(name === undefined ? {} : { event: name }) };
}

export function streamed(frames: readonly Frame[], headers: Readonly<Record<string, string>>): WireReply {
  return {
    status: 200,
    headers: { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache", ...headers },
    frames,
  };
}

export function whole(status: number, value: unknown, headers: Readonly<Record<string, string>>): WireReply {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const type = typeof value === "string" ? "text/plain; charset=utf-8" : "application/json";
  return {
    status,
    headers: { "content-type": type, ...headers },
    frames: [{ kind: "bytes", bytes: Buffer.from(text) }],
  };
}
