import type { Hermes } from "#app";
import type { Deliverer } from "#cron";
import { describe } from "#foundation/errors";
import { quietly } from "#foundation/files/quietly";
import { serveApiOf } from "../../support/api-server.ts";

export interface HostedDeps {
  readonly hermes: Hermes;
  readonly deliverer: Deliverer;
  readonly cwd: string;
  readonly hasApi: boolean;
  readonly hasScheduler: boolean;
  say(text: string): void;
  /** The API cannot be served, and will not be. */
  onApiFailed(): void;
}

/** What the gateway's process does beside the chats, from now until it is disposed: scheduled jobs and the HTTP API. */
export function startHosted(deps: HostedDeps): AsyncDisposable {
  const { hermes, deliverer, cwd, hasApi, hasScheduler, say } = deps;
  const stop = new AbortController();
  const { logger } = hermes;
  const running: Promise<unknown>[] = [];
  const schedule = async () => (await hermes.scheduler({ deliverer })).run(stop.signal);
  if (hasScheduler) running.push(quietly("running scheduled jobs", schedule, { logger, level: "error" }));
  if (hasApi) running.push(servedApi());
  async function servedApi(): Promise<void> {
    try {
      const onReady = (url: string): void => say(`api_server: connected (${url}/v1)`);
      await serveApiOf({ hermes, cwd, deliverer, onReady }, stop.signal);
    } catch (error) {
      // Chats go on without it.
      logger.error("the API server cannot run", { error: describe(error) });
      say(`api_server: fatal: ${describe(error)}`);
      deps.onApiFailed();
    }
  }
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await Promise.all(running);
    },
  };
}
