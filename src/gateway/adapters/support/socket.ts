import { WebSocket } from "ws";
import { isRecord, parseJson } from "#foundation/text/json";
import type { Fields } from "./fields.ts";

export interface SocketOptions {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  opened?(line: SocketLine): void;
  /** One after the other. A failure ends the socket, so that the service delivers again. */
  take(frame: Fields, line: SocketLine): Promise<void> | void;
  alive(): void;
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

/** Listens on a socket of JSON frames until it ends; says why. One that answers no pings is ended. */
export async function listenTo(options: SocketOptions, signal: AbortSignal): Promise<SocketEnd> {
  const { url, headers = {}, opened, take, alive } = options;
  const socket = new WebSocket(url, { headers, maxPayload: largestFrame, handshakeTimeout: 20_000 });
  let reason: string | undefined;
  let hasAnswered = true;
  let taken = Promise.resolve();
  const line: SocketLine = {
    write: (frame) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(frame));
    },
    end: (why) => {
      reason ??= why;
      socket.terminate();
    },
  };
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
  socket.on("message", (data) => {
    heard();
    const parsed = parseJson(String(data));
    if (!parsed.ok || !isRecord(parsed.value)) return;
    const frame = parsed.value;
    taken = taken
      .then(() => (signal.aborted ? undefined : take(frame, line)))
      .catch((error: unknown) => line.end(error instanceof Error ? error.message : String(error)));
  });
  const code = await new Promise<number>((resolve) => socket.once("close", resolve));
  clearInterval(pings);
  signal.removeEventListener("abort", stop);
  await taken;
  return { code, reason: reason ?? "closed" };
}
