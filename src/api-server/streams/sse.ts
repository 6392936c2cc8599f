import type { Clock } from "#foundation/time/clock";

/** One stream of events to a client. What is written after the client has gone is dropped. */
export interface SseWriter {
  /** Ends when the client has gone, or does not read any more. */
  readonly signal: AbortSignal;
  data(value: unknown, options?: { readonly event?: string; readonly id?: number }): void;
  comment(text: string): void;
  /** As it is, for marks such as `[DONE]`. */
  raw(text: string): void;
}

export interface SseOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly keepAliveMs: number;
  readonly clock: Clock;
}

/** A client that leaves so much unread is not served any longer. */
const mostUnreadBytes = 8_388_608;

/** The response of a stream; `work` writes it, and is over when it is. */
export function sseResponse(work: (out: SseWriter) => Promise<void>, options: SseOptions): Response {
  const gone = new AbortController();
  const encoder = new TextEncoder();
  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const over = new AbortController();
        let isSilent = true;
        const send = (text: string): void => {
          if (gone.signal.aborted || over.signal.aborted) return;
          isSilent = false;
          controller.enqueue(encoder.encode(text));
          if ((controller.desiredSize ?? 0) < -mostUnreadBytes) gone.abort(new Error("the client does not read"));
        };
        const out: SseWriter = {
          signal: gone.signal,
          data(value, { event, id } = {}) {
            const head = `${id === undefined ? "" : `id: ${id}\n`}${event === undefined ? "" : `event: ${event}\n`}`;
            send(`${head}data: ${JSON.stringify(value)}\n\n`);
          },
          comment: (text) => send(`: ${text}\n\n`),
          raw: (text) => send(text),
        };
        const keepAlive = async (): Promise<void> => {
          for (;;) {
            await options.clock.sleep(options.keepAliveMs, over.signal);
            if (isSilent) out.comment("keepalive");
            isSilent = true;
          }
        };
        keepAlive().catch(() => undefined);
        const finish = (): void => {
          over.abort();
          if (!gone.signal.aborted) controller.close();
        };
        work(out).then(finish, finish);
      },
      cancel: () => gone.abort(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: 65_536 }),
  );
  return new Response(stream, {
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache",
      "x-accel-buffering": "no",
      ...options.headers,
    },
  });
}
