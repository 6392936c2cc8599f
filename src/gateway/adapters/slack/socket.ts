import { WebSocket } from "ws";
import { isRecord, parseJson } from "#foundation/text/json";

/** One envelope of a socket: answered by its id when what it holds is written down. */
export interface Envelope {
  readonly id: string;
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

export interface SocketHandlers {
  /** Acknowledged when this resolves; Slack delivers again what is not. */
  take(envelope: Envelope): Promise<void>;
  alive(): void;
  onFailure(error: unknown): void;
}

const pingEveryMs = 15_000;

/** Listens on a socket until it ends; says why. A socket that does not answer pings is ended. */
export async function listen(url: string, handlers: SocketHandlers, signal: AbortSignal): Promise<string> {
  const socket = new WebSocket(url, { maxPayload: 16 * 1024 * 1024, handshakeTimeout: 20_000 });
  let reason = "closed";
  let hasAnswered = true;
  let taken: Promise<void> = Promise.resolve();
  const pings = setInterval(() => {
    if (!hasAnswered) {
      reason = "no answer to a ping";
      socket.terminate();
      return;
    }
    hasAnswered = false;
    socket.ping();
  }, pingEveryMs);
  const stop = (): void => socket.terminate();
  signal.addEventListener("abort", stop, { once: true });
  const heard = (): void => {
    hasAnswered = true;
    handlers.alive();
  };
  socket.on("pong", heard);
  socket.on("ping", heard);
  socket.on("error", (error) => {
    reason = error.message;
  });
  socket.on("message", (data) => {
    heard();
    const parsed = parseJson(String(data));
    if (!parsed.ok || !isRecord(parsed.value)) return;
    const { type, envelope_id: id, payload, reason: why } = parsed.value;
    if (type === "disconnect") {
      reason = `asked to reconnect: ${String(why)}`;
      socket.close();
    }
    if (typeof id !== "string" || typeof type !== "string") return;
    // One after the other: what somebody said first is written down first.
    taken = taken
      .then(() => handlers.take({ id, type, payload: isRecord(payload) ? payload : {} }))
      .then(() => {
        if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ envelope_id: id }));
      })
      .catch((error: unknown) => handlers.onFailure(error));
  });
  await new Promise<void>((resolve) => socket.once("close", resolve));
  clearInterval(pings);
  signal.removeEventListener("abort", stop);
  await taken;
  return reason;
}
