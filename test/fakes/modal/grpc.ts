import { createServer, type Http2Server, type IncomingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import { Message } from "./protobuf.ts";

export const status = { notFound: 5, unauthenticated: 16, failedPrecondition: 9, unimplemented: 12 } as const;

/** What a method answers when it refuses. */
export class GrpcError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** A call in progress. */
export interface Call {
  readonly request: Message;
  readonly headers: IncomingHttpHeaders;
  /** Sends one message of an answer that has several; false when the reader should be waited for. */
  send(message: Buffer): boolean;
  onDrain(listener: () => void): void;
  /** Told when the caller no longer listens. */
  onClose(listener: () => void): void;
}

/** Answers with one message, or with none after it has sent them itself. */
export type Method = (call: Call) => Promise<Buffer | undefined> | Buffer | undefined;

/** Methods by `/service/name`, over HTTP/2 without encryption. */
export function grpcServer(find: (name: string) => Method | undefined): Http2Server {
  const server = createServer({ settings: { initialWindowSize: 1_048_576 } });
  server.on("stream", (stream, headers) => {
    const pieces: Buffer[] = [];
    stream.on("error", () => undefined);
    stream.on("data", (piece: Buffer) => pieces.push(piece));
    stream.on("end", () => {
      const method = find(String(headers[":path"]));
      void answer(stream, { method, body: Buffer.concat(pieces), headers });
    });
  });
  return server;
}

async function answer(
  stream: ServerHttp2Stream,
  at: { readonly method: Method | undefined; readonly body: Buffer; readonly headers: IncomingHttpHeaders },
): Promise<void> {
  let isOpen = false;
  const open = (): void => {
    if (isOpen || stream.destroyed) return;
    isOpen = true;
    stream.respond({ ":status": 200, "content-type": "application/grpc+proto" }, { waitForTrailers: true });
  };
  const send = (message: Buffer): boolean => {
    open();
    return stream.destroyed || stream.write(framed(message));
  };
  let trailers: Record<string, string> = { "grpc-status": "0" };
  stream.on("wantTrailers", () => stream.sendTrailers(trailers));
  try {
    if (at.method === undefined) throw new GrpcError(status.unimplemented, `no method ${String(at.headers[":path"])}`);
    const message = await at.method({
      request: new Message(at.body.subarray(5, 5 + at.body.readUInt32BE(1))),
      headers: at.headers,
      send,
      onDrain: (listener) => void stream.on("drain", listener),
      onClose: (listener) => void stream.on("close", listener),
    });
    if (message !== undefined) send(message);
  } catch (error) {
    const code = error instanceof GrpcError ? error.code : 13;
    trailers = { "grpc-status": String(code), "grpc-message": encodeURIComponent(String(error)) };
  }
  open();
  if (!stream.destroyed) stream.end();
}

function framed(message: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}
