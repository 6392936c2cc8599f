import { Deferred } from "#foundation/lifecycle/deferred";
import { isRecord } from "#foundation/text/json";
import { ConnectionError, type ConnectionPorts } from "../../platform/platform.ts";
import { listenTo, type SocketOptions } from "../support/socket.ts";
import { failureOf, isAuthError, type SlackApi } from "./api.ts";
import { connectionError } from "./connection-error.ts";

const firstWaitMs = 1_000;
const longestWaitMs = 30_000;
const mostTries = 10;

/** What Slack hands over: answered when what it holds is written down. */
export interface Envelope {
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** How events reach us. */
export interface Way {
  readonly lost: Promise<ConnectionError>;
  close(): Promise<void>;
}

interface Staying {
  readonly appApi: SlackApi;
  readonly ports: ConnectionPorts;
  take(envelope: Envelope): Promise<void>;
}

/** Socket Mode: resolves with the first socket that is open. */
export async function stayOnSocket(staying: Staying): Promise<Way> {
  const lost = new Deferred<ConnectionError>();
  const stop = new AbortController();
  const isListening = new Deferred<void>();
  if (staying.ports.isSendOnly === true) return { lost: lost.promise, close: () => Promise.resolve() };
  const running = keepListening({ ...staying, onListening: () => isListening.resolve() }, stop.signal).catch(
    (error: unknown) => {
      const failure = connectionError(error);
      isListening.reject(failure);
      lost.resolve(failure);
    },
  );
  await isListening.promise;
  return {
    lost: lost.promise,
    async close() {
      stop.abort();
      await running;
    },
  };
}

interface Listening extends Staying {
  onListening(): void;
}

/** Slack ends every socket after a while; the next one is opened at once. */
async function keepListening({ appApi, ports, take, onListening }: Listening, signal: AbortSignal): Promise<void> {
  for (let failures = 0; !signal.aborted; ) {
    try {
      const { url } = await appApi("apps.connections.open", {}, signal);
      const alive = (): void => {
        failures = 0;
        ports.alive();
        onListening();
      };
      const reason = await listen(String(url), { ports, take, alive }, signal);
      if (signal.aborted) return;
      ports.logger.info("the socket ended", { platform: "slack", reason });
    } catch (error) {
      if (signal.aborted) return;
      if (isAuthError(error)) throw error;
      ports.logger.warn("no socket", { platform: "slack", message: failureOf(error).message });
    }
    failures += 1;
    if (failures > mostTries)
      throw new ConnectionError("slack_network", "Slack cannot be reached.", { isRetryable: true });
    if (failures > 1) {
      const waitMs = Math.min(longestWaitMs, firstWaitMs * 2 ** (failures - 2));
      await ports.clock.sleep(waitMs, signal).catch(() => undefined);
    }
  }
}

interface SocketHandlers {
  readonly ports: SocketOptions["ports"];
  /** Acknowledged when this resolves; Slack delivers again what is not. */
  take(envelope: Envelope): Promise<void>;
  alive(): void;
}

/** Listens on a socket until it ends; says why. */
async function listen(url: string, { ports, take, alive }: SocketHandlers, signal: AbortSignal): Promise<string> {
  const { reason } = await listenTo(
    {
      url,
      ports,
      alive,
      async take({ type, envelope_id: id, payload, reason: why }, line) {
        if (type === "disconnect") return line.end(`asked to reconnect: ${String(why)}`);
        if (typeof id !== "string" || typeof type !== "string") return;
        await take({ type, payload: isRecord(payload) ? payload : {} });
        line.write({ envelope_id: id });
      },
    },
    signal,
  );
  return reason;
}
