import { isRecord } from "#foundation/text/json";
import { listenTo, type SocketOptions } from "../support/socket.ts";

/** One envelope of a socket: answered by its id when what it holds is written down. */
export interface Envelope {
  readonly id: string;
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

export interface SocketHandlers {
  readonly ports: SocketOptions["ports"];
  /** Acknowledged when this resolves; Slack delivers again what is not. */
  take(envelope: Envelope): Promise<void>;
  alive(): void;
}

/** Listens on a socket until it ends; says why. */
export async function listen(
  url: string,
  { ports, take, alive }: SocketHandlers,
  signal: AbortSignal,
): Promise<string> {
  const { reason } = await listenTo(
    {
      url,
      ports,
      alive,
      async take({ type, envelope_id: id, payload, reason: why }, line) {
        if (type === "disconnect") return line.end(`asked to reconnect: ${String(why)}`);
        if (typeof id !== "string" || typeof type !== "string") return;
        await take({ id, type, payload: isRecord(payload) ? payload : {} });
        line.write({ envelope_id: id });
      },
    },
    signal,
  );
  return reason;
}
