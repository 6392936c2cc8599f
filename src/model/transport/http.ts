import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import type { Readable } from "node:stream";
import { onAbort } from "#foundation/lifecycle/abort";
import type { Watchdog } from "./watchdog.ts";

/** A POST on its way: everything but the connection it takes. */
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

/** The answer's head; `body` is read once. */
export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
  /** The rest of the body is not needed: the connection is kept if the rest comes soon, else closed. Resolves when either is done. */
  release(): Promise<void>;
  /** Closes the connection. */
  destroy(): void;
}

/** How `node:http` or `node:https` sends. */
export interface Sender {
  readonly request: (url: URL, options: RequestOptions) => ClientRequest;
  readonly agent: Agent;
}

/** A kept connection turned out to be closed: the request reached nobody and may be sent again. */
export class DeadSocketError extends Error {
  override readonly name = "DeadSocketError";

  constructor(cause: Error) {
    super("the kept connection was closed", { cause });
  }
}

/** A reset before any byte of the answer, on a connection that had served before. */
function isUnused(request: ClientRequest, error: Error): boolean {
  const code = "code" in error ? error.code : undefined;
  return request.reusedSocket && (code === "ECONNRESET" || code === "EPIPE");
}

/** How long a connection may take to finish a body nobody reads, before it is given up. */
const drainMs = 1_000;

/**
 * One POST over Node's own HTTP client, which is the cheapest to load (13 ms to a first request; `fetch` 40,
 * undici 110 and more). Redirects are not followed: credentials would go along. Rejects with what broke the connection.
 */
export function sendPost(post: Post, sender: Sender): Promise<Answer> {
  return new Promise<Answer>((resolve, reject) => {
    const { watchdog, limits } = post;
    const request = sender.request(post.url, {
      method: "POST",
      agent: sender.agent,
      headers: { ...post.headers, "content-length": String(Buffer.byteLength(post.body)) },
    });
    const links = [post.signal, watchdog.signal].map((signal) =>
      onAbort(signal, (reason) => request.destroy(reason instanceof Error ? reason : new Error("cancelled"))),
    );
    const unlink = (): void => {
      for (const link of links) link[Symbol.dispose]();
    };
    watchdog.arm("connect", limits.connectMs);
    request.once("socket", (socket) => {
      const connected = (): void => {
        watchdog.disarm("connect");
        watchdog.arm("first-byte", limits.firstByteMs);
      };
      if (!socket.connecting && request.reusedSocket) connected();
      else socket.once(post.url.protocol === "https:" ? "secureConnect" : "connect", connected);
    });
    request.once("error", (error) => {
      unlink();
      reject(isUnused(request, error) ? new DeadSocketError(error) : error);
    });
    request.once("response", (response) => {
      watchdog.disarm("connect");
      watchdog.disarm("first-byte");
      watchdog.arm("idle", limits.idleMs);
      response.once("close", unlink);
      resolve(toAnswer(response, post));
    });
    request.end(post.body);
  });
}

function toAnswer(response: IncomingMessage, post: Post): Answer {
  const headers = Object.fromEntries(
    Object.entries(response.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : (value ?? ""),
    ]),
  );
  return {
    status: response.statusCode ?? 0,
    headers,
    ...bodyOf(readBody(response, headers["content-encoding"], post.watchdog), () => response.destroy()),
  };
}

/**
 * A body that outlives the loop over it: leaving the loop closes nothing, so that the end of an answer
 * can still pass by and the connection be used again.
 */
export function bodyOf(
  bytes: AsyncGenerator<Uint8Array, void>,
  destroy: () => void,
): Pick<Answer, "body" | "release" | "destroy"> {
  return {
    body: { [Symbol.asyncIterator]: () => ({ next: () => bytes.next() }) },
    release: () => drain(bytes, destroy),
    destroy,
  };
}

/** The bytes, unpacked; every piece counts as a sign of life. */
export async function* readBody(
  stream: Readable,
  encoding: string | undefined,
  watchdog: Watchdog,
): AsyncGenerator<Uint8Array, void> {
  const source = encoding === undefined || encoding === "identity" ? stream : await unpack(stream, encoding);
  for await (const chunk of source) {
    watchdog.touch("idle");
    yield chunk as Uint8Array;
  }
}

async function unpack(stream: Readable, encoding: string): Promise<Readable> {
  const zlib = await import("node:zlib");
  const { pipeline } = await import("node:stream");
  const flush = { flush: zlib.constants.Z_SYNC_FLUSH, finishFlush: zlib.constants.Z_SYNC_FLUSH };
  const operation = zlib.constants.BROTLI_OPERATION_FLUSH;
  const unpacker =
    encoding === "br"
      ? zlib.createBrotliDecompress({ flush: operation, finishFlush: operation })
      : zlib.createUnzip(flush);
  // The reader of the unpacked stream sees the error; nobody else needs to.
  return pipeline(stream, unpacker, () => undefined);
}

async function drain(bytes: AsyncGenerator<Uint8Array, void>, destroy: () => void): Promise<void> {
  const timer = setTimeout(destroy, drainMs);
  timer.unref();
  try {
    while ((await bytes.next()).done !== true);
  } catch {
    // Whatever breaks now breaks nothing that anyone waits for.
    destroy();
  } finally {
    clearTimeout(timer);
  }
}
