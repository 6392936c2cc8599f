import type { HttpAnswer } from "#foundation/http/answer";
import { HttpClient, type HttpClientOptions } from "#foundation/http/client";
import { WireMemo } from "../protocols/wire-memo.ts";
import { Pacing } from "./pacing.ts";
import type { Watchdog } from "./watchdog.ts";

/** A POST on its way, with the limits that are kept for it. */
export interface Post {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
  readonly watchdog: Watchdog;
  readonly limits: PostLimits;
}

export interface PostLimits {
  readonly connectMs: number;
  /** From the request to the first byte of the answer. */
  readonly firstByteMs: number | undefined;
  /** Between two pieces of the body. */
  readonly idleMs: number | undefined;
}

/** The open connections to model endpoints; shared by all attempts, owned by whoever opened them. */
export interface Connections extends AsyncDisposable {
  /** Rejects with what broke the connection; the caller knows whether it was itself. */
  post(post: Post): Promise<HttpAnswer>;
  /** Idle connections are dropped and the next attempt opens its own; running ones go on. */
  fresh(): void;
  /** The distance between requests that endpoints ask for, kept by everybody who shares the connections. */
  readonly pacing: Pacing;
  /** What was written before; sessions that share the connections share it. */
  readonly memo: WireMemo;
}

export function openConnections(options: Pick<HttpClientOptions, "proxy" | "env"> = {}): Connections {
  const client = new HttpClient({ ...options, keepsConnections: true });
  return {
    pacing: new Pacing(),
    memo: new WireMemo(),
    post: (post) => send(post, client),
    fresh: () => client.fresh(),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

async function send({ watchdog, limits, signal, ...request }: Post, client: HttpClient): Promise<HttpAnswer> {
  watchdog.arm("connect", limits.connectMs);
  const answer = await client.send({
    ...request,
    method: "POST",
    signals: [signal, watchdog.signal],
    onConnected: () => {
      watchdog.disarm("connect");
      watchdog.arm("first-byte", limits.firstByteMs);
    },
  });
  watchdog.disarm("connect");
  watchdog.disarm("first-byte");
  watchdog.arm("idle", limits.idleMs);
  return { ...answer, body: watched(answer.body, watchdog) };
}

/** Every piece counts as a sign of life. */
function watched(body: HttpAnswer["body"], watchdog: Watchdog): HttpAnswer["body"] {
  return {
    [Symbol.asyncIterator]() {
      const bytes = body[Symbol.asyncIterator]();
      return {
        async next() {
          const piece = await bytes.next();
          if (piece.done !== true) watchdog.touch("idle");
          return piece;
        },
      };
    },
  };
}
