import { Deferred } from "#foundation/lifecycle/deferred";
import type { ConnectionError, ConnectionPorts } from "../../platform/platform.ts";
import { connectionErrorOf, type Service } from "./service-error.ts";

export interface LineOptions {
  readonly service: Service;
  readonly ports: ConnectionPorts;
  /** How long it waits after the first, second, … failure in a row; the last one repeats. */
  readonly waitsMs: readonly number[];
  /**
   * One stay on the line. Calls `ready` when events come in. Resolves with the reason when the line ended, rejects when
   * it could not be had.
   */
  stay(ready: () => void, signal: AbortSignal): Promise<string>;
}

/** A line to a service that is made again when it breaks. */
export interface Line extends AsyncDisposable {
  /** Rejects when the first attempt fails. */
  readonly ready: Promise<void>;
  readonly lost: Promise<ConnectionError>;
}

const mostTries = 10;

export function openLine(options: LineOptions): Line {
  // Nobody listens.
  if (options.ports.isSendOnly === true)
    return {
      ready: Promise.resolve(),
      lost: new Promise(() => undefined),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  const ready = new Deferred<void>();
  const lost = new Deferred<ConnectionError>();
  const stop = new AbortController();
  const running = keepTrying(options, { ready: () => ready.resolve(), signal: stop.signal }).then(
    () => ready.resolve(),
    (error: unknown) => {
      const failure = connectionErrorOf(options.service, error);
      ready.reject(failure);
      lost.resolve(failure);
    },
  );
  ready.promise.catch(() => undefined);
  return {
    ready: ready.promise,
    lost: lost.promise,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}

async function keepTrying(
  { service, ports, waitsMs, stay }: LineOptions,
  { ready, signal }: { readonly ready: () => void; readonly signal: AbortSignal },
): Promise<void> {
  let wasReady = false;
  for (let failures = 0; !signal.aborted; ) {
    const onReady = (): void => {
      failures = 0;
      wasReady = true;
      ready();
    };
    try {
      const reason = await stay(onReady, signal);
      if (signal.aborted) return;
      ports.logger.info("the line ended", { platform: service.id, reason });
      if (!wasReady) throw new Error(reason);
    } catch (error) {
      if (signal.aborted) return;
      const failure = connectionErrorOf(service, error);
      if (!wasReady || !failure.isRetryable || failures >= mostTries) throw failure;
      ports.logger.warn("no line", { platform: service.id, message: failure.message });
    }
    failures += 1;
    const waitMs = waitsMs[Math.min(failures, waitsMs.length) - 1] ?? 0;
    await ports.clock.sleep(waitMs * (1 + Math.random() * 0.2), signal).catch(() => undefined);
  }
}
