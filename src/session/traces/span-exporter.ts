import type { Logger } from "#foundation/files/logger";
import { ask, type Exchange } from "#foundation/http/ask";
import { deadline, linkSignals } from "#foundation/lifecycle/abort";
import type { Clock } from "#foundation/time/clock";
import { otlpTraces } from "./otlp.ts";
import type { Attributes, AttributeValue, Span, SpanSink } from "./span.ts";

export interface SpanExporterOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What all spans of this process have in common. */
  readonly resource: Attributes;
  readonly includesContent: boolean;
  redact(text: string): string;
  readonly clock: Clock;
  readonly logger: Logger;
}

const mostWaiting = 2_048;
const batchSize = 256;
/** Spans of one turn end close together; one call takes them all. */
const gatherMs = 1_000;
const callTimeoutMs = 10_000;
const lastCallTimeoutMs = 2_000;
const firstRetryMs = 1_000;
const longestRetryMs = 30_000;
const mostTries = 5;
const passing: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** A value is shortened only after secrets are out of it: half a secret would not be found. */
const longestRead = 16_384;
const longestValue = 4_096;

/**
 * Sends spans to an OpenTelemetry collector, behind the work they tell of.
 *
 * 1. Adding a span neither waits nor fails. What is too much, or cannot be sent, is dropped and the log says so.
 * 2. Secrets are taken out before anything leaves.
 * 3. Disposing sends what waits, in a short time or not at all.
 */
export class SpanExporter implements SpanSink, AsyncDisposable {
  readonly includesContent: boolean;
  readonly #options: SpanExporterOptions;
  readonly #ending = new AbortController();
  #waiting: Span[] = [];
  #dropped = 0;
  #hasTrouble = false;
  #sending: Promise<void> | undefined;

  constructor(options: SpanExporterOptions) {
    this.#options = options;
    this.includesContent = options.includesContent;
  }

  add(span: Span): void {
    if (this.#waiting.length >= mostWaiting) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.push(span);
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await this.#sending;
    using limit = deadline(lastCallTimeoutMs);
    while (this.#waiting.length > 0 && !limit.signal.aborted) await this.#send(this.#takeBatch(), limit.signal);
  }

  async #sendAll(): Promise<void> {
    const { clock, logger } = this.#options;
    const { signal } = this.#ending;
    while (this.#waiting.length > 0 && !signal.aborted) {
      await clock.sleep(gatherMs, signal).catch(() => undefined);
      if (signal.aborted) return;
      const batch = this.#takeBatch();
      const isSent = await this.#deliver(batch, signal);
      // Whoever disposes this has a last try at them.
      if (!isSent && signal.aborted) this.#waiting.unshift(...batch);
      if (this.#dropped > 0) logger.warn("traces were dropped", { spans: this.#dropped });
      this.#dropped = 0;
    }
  }

  #takeBatch(): readonly Span[] {
    return this.#waiting.splice(0, batchSize);
  }

  async #deliver(batch: readonly Span[], signal: AbortSignal): Promise<boolean> {
    for (let tries = 1; ; tries += 1) {
      const outcome = await this.#send(batch, signal);
      if (outcome === "sent") return true;
      if (signal.aborted) return false;
      if (outcome === "refused" || tries === mostTries) {
        this.#dropped += batch.length;
        return false;
      }
      const waitMs = Math.min(longestRetryMs, firstRetryMs * 2 ** (tries - 1));
      await this.#options.clock.sleep(waitMs, signal).catch(() => undefined);
    }
  }

  async #send(batch: readonly Span[], signal: AbortSignal): Promise<"sent" | "later" | "refused"> {
    const { url, headers, resource } = this.#options;
    using limit = deadline(callTimeoutMs);
    const value = otlpTraces(
      batch.map((span) => this.#cleaned(span)),
      resource,
    );
    const answer = await ask(
      url,
      { method: "POST", headers, body: { kind: "json", value }, timeoutMs: callTimeoutMs },
      linkSignals(signal, limit.signal),
    ).catch((error: unknown): Exchange => ({ kind: "unreachable", message: String(error) }));
    if (answer.kind === "answer" && answer.status < 300) {
      this.#hasTrouble = false;
      return "sent";
    }
    if (!signal.aborted) this.#complain(answer);
    return answer.kind === "unreachable" || passing.has(answer.status) ? "later" : "refused";
  }

  /** Once for each time it begins. */
  #complain(answer: Exchange): void {
    if (this.#hasTrouble) return;
    this.#hasTrouble = true;
    const reason = answer.kind === "answer" ? `status ${answer.status}` : answer.message;
    this.#options.logger.warn("traces could not be sent", { reason });
  }

  #cleaned(span: Span): Span {
    const { redact } = this.#options;
    const clean = (value: AttributeValue): AttributeValue =>
      typeof value === "string" ? redact(value.slice(0, longestRead)).slice(0, longestValue) : value;
    const attributes = Object.fromEntries(Object.entries(span.attributes).map(([key, value]) => [key, clean(value)]));
    return { ...span, name: String(clean(span.name)), attributes };
  }
}
