import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { deadline, linkSignals } from "#foundation/lifecycle/abort";
import type { Clock } from "#foundation/time/clock";
import { type Connection, ConnectionError, type ConnectionPorts, type Platform } from "../platform/platform.ts";

export type PlatformState =
  /** `standby`: another process has the account; this one takes over when that is gone. */
  | { readonly state: "connecting" | "connected" | "disconnected" | "standby" }
  | { readonly state: "retrying" | "fatal"; readonly errorCode: string; readonly errorMessage: string };

export interface SupervisorDeps {
  readonly platform: Platform;
  readonly ports: Omit<ConnectionPorts, "alive">;
  /** What is done with a connection while it lasts: sending what is owed. */
  whileConnected(connection: Connection, signal: AbortSignal): Promise<void>;
  onState(state: PlatformState): void;
  readonly connectTimeoutMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A connection that says nothing for this long is deaf, whatever its socket believes; with the next look that is a minute at most. */
const longestSilenceMs = 50_000;
const lookEveryMs = 10_000;
/** A connection that lasted so long was a good one: it is made again at once. */
const goodAfterMs = 30_000;
const againMs = 1_000;
const retryDelaysMs = [30_000, 60_000, 120_000, 240_000, 300_000];
const patientAfter = 20;
const patientDelayMs = 900_000;

/** Keeps one platform connected: until the signal, or until trying again cannot help. */
export class PlatformSupervisor {
  readonly #deps: SupervisorDeps;
  #heardAtMs = 0;
  #connectedAtMs = Number.POSITIVE_INFINITY;

  constructor(deps: SupervisorDeps) {
    this.#deps = deps;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { platform, onState, clock, logger } = this.#deps;
    for (let failures = 0; !signal.aborted; ) {
      this.#connectedAtMs = Number.POSITIVE_INFINITY;
      const failure = await this.#connectOnce(signal);
      if (signal.aborted) break;
      const { code: errorCode, message: errorMessage, isRetryable } = failure;
      logger.warn("a platform is not connected", { platform: platform.id, errorCode, errorMessage, isRetryable });
      if (!isRetryable) return onState({ state: "fatal", errorCode, errorMessage });
      onState({ state: "retrying", errorCode, errorMessage });
      failures = clock.now() - this.#connectedAtMs > goodAfterMs ? 0 : failures + 1;
      await clock.sleep(delayMs(failures), signal).catch(() => undefined);
    }
    onState({ state: "disconnected" });
  }

  async #connectOnce(signal: AbortSignal): Promise<ConnectionError> {
    const { platform, ports, onState, clock, connectTimeoutMs } = this.#deps;
    onState({ state: "connecting" });
    const alive = (): void => {
      this.#heardAtMs = clock.now();
    };
    using limit = deadline(connectTimeoutMs, `no connection within ${connectTimeoutMs / 1000} s`);
    try {
      const connection = await platform.connect({ ...ports, alive }, linkSignals(signal, limit.signal));
      alive();
      this.#connectedAtMs = clock.now();
      onState({ state: "connected" });
      return await this.#hold(connection, signal);
    } catch (error) {
      if (error instanceof ConnectionError) return error;
      return new ConnectionError("connect_failed", describe(error), { isRetryable: true, cause: error });
    }
  }

  /** Until the connection is lost, falls silent, or the program ends. */
  async #hold(connection: Connection, signal: AbortSignal): Promise<ConnectionError> {
    const end = new AbortController();
    const during = linkSignals(signal, end.signal);
    const work = this.#deps.whileConnected(connection, during);
    try {
      return await Promise.race([connection.lost, this.#silence(during), work.then(ended)]);
    } finally {
      end.abort();
      await Promise.allSettled([work]);
      await connection[Symbol.asyncDispose]();
    }
  }

  async #silence(signal: AbortSignal): Promise<ConnectionError> {
    const { clock } = this.#deps;
    while (!signal.aborted) {
      await clock.sleep(lookEveryMs, signal).catch(() => undefined);
      const silentMs = clock.now() - this.#heardAtMs;
      if (silentMs > longestSilenceMs)
        return new ConnectionError("silent", `nothing was heard for ${Math.round(silentMs / 1000)} s`, {
          isRetryable: true,
        });
    }
    return ended();
  }
}

function ended(): ConnectionError {
  return new ConnectionError("ended", "the connection was given up", { isRetryable: true });
}

/** With some chance in it, so that many programs do not come back at the same moment; never sooner. */
function delayMs(failures: number): number {
  const usual = failures === 0 ? againMs : (retryDelaysMs[failures - 1] ?? 300_000);
  const base = failures > patientAfter ? patientDelayMs : usual;
  return Math.round(base * (1 + Math.random() * 0.2));
}
