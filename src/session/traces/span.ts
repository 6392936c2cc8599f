import { createHash, randomBytes } from "node:crypto";

export type AttributeValue = string | number | boolean;
export type Attributes = Readonly<Record<string, AttributeValue>>;

/** One piece of work with a beginning and an end, as OpenTelemetry knows it. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string | undefined;
  readonly name: string;
  /** `client`: the work is done by somebody else, and this is the wait for it. */
  readonly kind: "internal" | "client";
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
  /** Why it failed, in one word; absent where it did not. */
  readonly error?: string | undefined;
}

/** Where spans go. Never throws and never waits. */
export interface SpanSink {
  /** Words of people, models and tools may go along. */
  readonly includesContent: boolean;
  add(span: Span): void;
}

/** The trace of a turn, and its first span: whoever knows the id of the turn knows both. */
export function traceOfTurn(turnId: string): { readonly traceId: string; readonly spanId: string } {
  const hash = createHash("sha256").update(turnId).digest("hex");
  return { traceId: hash.slice(0, 32), spanId: hash.slice(32, 48) };
}

export function newSpanId(): string {
  return randomBytes(8).toString("hex");
}
