import type { HttpAnswer } from "#foundation/http/answer";
import { toHttpFailure } from "#foundation/http/failure";
import { deadline, isTimeout, raceAbort } from "#foundation/lifecycle/abort";
import type { Clock } from "#foundation/time/clock";
import type { CredentialHandle } from "../credential-handle.ts";
import type { AttemptFault } from "../failures/fault.ts";
import type { Frame, Lifted, WireRequest } from "../protocols/protocol.ts";
import type { ModelRequest } from "../request.ts";
import type { PostLimits } from "./connections.ts";
import { Watchdog } from "./watchdog.ts";

const endOfBodyMs = 10;

/** A model reads a long prompt for a while before it says anything; silence may last longer then. */
type PromptSize = "usual" | "large" | "huge";
const streamPatience: Readonly<Record<PromptSize, number>> = { usual: 1, large: 4 / 3, huge: 5 / 3 };
const wholePatience: Readonly<Record<PromptSize, number>> = { usual: 1, large: 3 / 2, huge: 2 };

/** By tokens at four characters each. */
function sizeOf(body: string): PromptSize {
  const tokens = body.length / 4;
  if (tokens > 100_000) return "huge";
  return tokens > 50_000 ? "large" : "usual";
}

/** The state of one attempt on the wire: its deadlines, what has been shown, and what a break means. */
export class AttemptExchange implements Disposable {
  readonly watchdog: Watchdog;
  readonly signal: AbortSignal;
  readonly #request: ModelRequest;
  /** Visible text has gone out, so that the attempt cannot silently be made again. */
  textShown = false;
  /** The last event has gone out. */
  isOver = false;
  #staleMs: number;

  constructor(request: ModelRequest, clock: Clock, signal: AbortSignal) {
    this.#request = request;
    this.signal = signal;
    this.#staleMs = request.target.timeouts.streamStaleMs;
    this.watchdog = new Watchdog(clock);
    this.watchdog.arm("total", request.target.timeouts.totalMs);
  }

  get credential(): CredentialHandle {
    return this.#request.target.credential;
  }

  limits({ framing, body }: Pick<WireRequest, "framing" | "body">): PostLimits {
    const { connectMs, streamReadMs, streamStaleMs, wholeStaleMs } = this.#request.target.timeouts;
    const size = sizeOf(body);
    if (framing === "json") {
      const silentMs = orNone(wholeStaleMs * wholePatience[size]);
      return { connectMs, firstByteMs: silentMs, idleMs: silentMs };
    }
    this.#staleMs = streamStaleMs * streamPatience[size];
    // Before the first byte the model may be reading a long prompt: the longer of the two counts.
    const firstByteMs = streamStaleMs === 0 ? orNone(streamReadMs) : Math.max(streamReadMs, this.#staleMs);
    return { connectMs, firstByteMs, idleMs: orNone(streamReadMs) };
  }

  startStale(): void {
    this.watchdog.arm("stale", this.#staleMs);
  }

  /** Pings show that the server lives, not that the model does. */
  noteFrame(frame: Frame): void {
    const isPing = frame.event === "ping" || (frame.data.length < 64 && /"type"\s*:\s*"ping"/.test(frame.data));
    if (!isPing && frame.data !== "") this.watchdog.touch("stale");
  }

  noteEvent(event: Lifted): void {
    if (event.type === "text-delta") this.textShown = true;
    else if (event.type === "attempt-end" || event.type === "stream-fault") this.isOver = true;
  }

  throwIfAborted(): void {
    this.signal.throwIfAborted();
  }

  /** What a broken connection means. Throws when it was the caller who broke it. */
  faultOf(error: unknown, url: URL): AttemptFault {
    this.signal.throwIfAborted();
    const { expired } = this.watchdog;
    if (expired === undefined) return { kind: "connection", failure: toHttpFailure(error, url, undefined) };
    if (expired.limit === "stale" || expired.limit === "idle" || expired.limit === "first-byte")
      return { kind: "stale", waitedMs: expired.waitedMs, textShown: this.textShown };
    return { kind: "connection", failure: toHttpFailure(error, url, "timeout") };
  }

  /** A body as text, up to a bound. */
  async readText(
    answer: HttpAnswer,
    options: { readonly maxBytes: number; readonly keepsPartial: boolean },
  ): Promise<{ readonly text: string } | AttemptFault> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    try {
      for await (const chunk of answer.body) {
        const room = options.maxBytes - size;
        chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
        size += chunk.length;
        if (size <= options.maxBytes) continue;
        if (options.keepsPartial) break;
        return { kind: "invalid", reason: `the answer is larger than ${options.maxBytes} bytes` };
      }
    } catch (error) {
      this.signal.throwIfAborted();
      if (!options.keepsPartial) return this.faultOf(error, new URL(this.#request.target.baseUrl));
    }
    this.isOver ||= size <= options.maxBytes;
    return { text: Buffer.concat(chunks).toString("utf8") };
  }

  /** Providers repeat what they were sent; a key must not come back in a message. */
  redact(fault: AttemptFault): AttemptFault {
    const secrets = this.credential.secrets.map((secret) => secret.reveal()).filter((text) => text.length > 3);
    const clean = (text: string): string => secrets.reduce((rest, secret) => rest.replaceAll(secret, "***"), text);
    if (secrets.length === 0) return fault;
    if (fault.kind === "http") return { ...fault, body: clean(fault.body) };
    if (fault.kind !== "stream") return fault;
    const { message, body } = fault.fault;
    return { ...fault, fault: { ...fault.fault, message: clean(message), body: clean(body) } };
  }

  /** Leaves nothing behind: a connection in the middle of an answer is closed, any other is kept. */
  async finish(answer: HttpAnswer): Promise<void> {
    this[Symbol.dispose]();
    if (!this.isOver || this.signal.aborted) {
      answer.destroy();
      return;
    }
    // The end of the body is usually there already; then the next attempt finds the connection free.
    const released = answer.release();
    using patience = deadline(endOfBodyMs);
    try {
      await raceAbort(released, patience.signal);
    } catch (error) {
      if (!isTimeout(error)) throw error;
    }
  }

  [Symbol.dispose](): void {
    this.watchdog[Symbol.dispose]();
  }
}

function orNone(ms: number): number | undefined {
  return ms > 0 ? ms : undefined;
}
