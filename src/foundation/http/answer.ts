import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";

/** The head of an answer; `body` is read once, unpacked. */
export interface HttpAnswer {
  readonly status: number;
  /** Names in lower case; a header that came several times is joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  /** Leaving the loop over it closes nothing: the end of an answer can still pass by and the connection be used again. */
  readonly body: AsyncIterable<Uint8Array>;
  /** The rest of the body is not needed: the connection is kept if the rest comes soon, else closed. Resolves when either is done. */
  release(): Promise<void>;
  /** Closes the connection. */
  destroy(): void;
}

/** How long a connection may take to finish a body nobody reads, before it is given up. */
const drainMs = 1_000;

export function toAnswer(response: IncomingMessage): HttpAnswer {
  const headers = Object.fromEntries(
    Object.entries(response.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : (value ?? ""),
    ]),
  );
  const bytes = readBody(response, headers["content-encoding"]);
  const destroy = (): void => void response.destroy();
  return {
    status: response.statusCode ?? 0,
    headers,
    body: { [Symbol.asyncIterator]: () => ({ next: () => bytes.next() }) },
    release: () => drain(bytes, destroy),
    destroy,
  };
}

async function* readBody(stream: Readable, encoding: string | undefined): AsyncGenerator<Uint8Array, void> {
  const isPacked = encoding !== undefined && /^(?:x-)?gzip$|^deflate$|^br$/i.test(encoding);
  for await (const chunk of isPacked ? await unpack(stream, encoding.toLowerCase()) : stream) yield chunk as Uint8Array;
}

/** Pieces come out as they come in, which a stream of events needs. */
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
