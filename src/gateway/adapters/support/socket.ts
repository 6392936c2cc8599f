import { WebSocket } from "ws";
import { proxyFor } from "#foundation/http/proxy";
import { tunnelAgent } from "#foundation/http/tunnel";
import { isRecord, parseJson } from "#foundation/text/json";
import type { ConnectionPorts } from "../../platform/platform.ts";
import type { Fields } from "./fields.ts";
import { InOrder } from "./in-order.ts";

export interface SocketOptions {
  readonly url: string;
  /** Through which proxy it goes, and how much may wait in memory. */
  readonly ports: Pick<ConnectionPorts, "proxy" | "config">;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  opened?(line: SocketLine): void;
  /** One after the other. A failure ends the socket, so that the service delivers again. */
  take(frame: Fields, line: SocketLine): Promise<void> | void;
  alive(): void;
  /** How frames are written where they are not JSON. */
  readonly codec?: FrameCodec | undefined;
}

export interface FrameCodec {
  /** Undefined for what is no frame; it is passed over. */
  read(data: Buffer): Fields | undefined;
  write(frame: Fields): string | Buffer;
}

export interface SocketLine {
  write(frame: Fields): void;
  /** Ends the socket; the reason is what `listen` gives. */
  end(reason: string): void;
}

export interface SocketEnd {
  readonly code: number;
  readonly reason: string;
}

const pingEveryMs = 15_000;
const largestFrame = 16 * 1024 * 1024;

const json: FrameCodec = {
  read(data) {
    const parsed = parseJson(data.toString("utf8"));
    return parsed.ok && isRecord(parsed.value) ? parsed.value : undefined;
  },
  write: (frame) => JSON.stringify(frame),
};

/**
 * Listens on a socket of frames until it ends; says why. One that answers no pings is ended. While too many frames wait
 * to be taken, nothing is read.
 */
export async function listenTo(options: SocketOptions, signal: AbortSignal): Promise<SocketEnd> {
  const { opened, take, alive, codec = json } = options;
  const most = options.ports.config.gateway.limits.adapter_queue;
  const socket = openSocket(options, signal);
  let reason: string | undefined;
  let hasAnswered = true;
  const line: SocketLine = {
    write: (frame) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(codec.write(frame));
    },
    end: (why) => {
      reason ??= why;
      socket.terminate();
    },
  };
  const frames = new InOrder((error) => line.end(error instanceof Error ? error.message : String(error)));
  const pings = setInterval(() => {
    if (!hasAnswered) return line.end("no answer to a ping");
    hasAnswered = false;
    if (socket.readyState === WebSocket.OPEN) socket.ping();
  }, pingEveryMs);
  const stop = (): void => line.end("closed");
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  const heard = (): void => {
    hasAnswered = true;
    alive();
  };
  socket.on("open", () => opened?.(line));
  socket.on("pong", heard);
  socket.on("ping", heard);
  socket.on("error", (error) => {
    reason ??= error.message;
  });
  socket.on("message", (data: Buffer) => {
    heard();
    const frame = codec.read(data);
    if (frame === undefined) return;
    frames.take(async () => {
      if (!signal.aborted) await take(frame, line);
      if (socket.isPaused) socket.resume();
    });
    if (frames.waiting >= most) socket.pause();
  });
  const code = await new Promise<number>((resolve) => socket.once("close", resolve));
  clearInterval(pings);
  signal.removeEventListener("abort", stop);
  await frames.settled;
  return { code, reason: reason ?? "closed" };
}

function openSocket({ url, headers = {}, ports }: SocketOptions, signal: AbortSignal): WebSocket {
  const limits = { maxPayload: largestFrame, handshakeTimeout: 20_000 };
  const proxy = proxyFor(new URL(url), ports.proxy);
  if (proxy === undefined) return new WebSocket(url, { headers, ...limits });
  const tunnel = { proxy, address: undefined, signals: [signal] };
  return new WebSocket(url, { headers, ...limits, agent: tunnelAgent({ tunnel }, new URL(url).protocol) });
}
