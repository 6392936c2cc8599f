import type { Hermes } from "#app";
import type { Deliverer } from "#cron";
import { quietly } from "#foundation/files/quietly";

export interface HostedDeps {
  readonly hermes: Hermes;
  readonly deliverer: Deliverer;
}

/** What the gateway's process does beside the chats, from now until it is disposed: it runs the jobs that are due. */
export function startHosted({ hermes, deliverer }: HostedDeps): AsyncDisposable {
  const stop = new AbortController();
  const { logger } = hermes;
  const running = quietly("running scheduled jobs", () => hermes.scheduler({ deliverer }).run(stop.signal), {
    logger,
    level: "error",
  });
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}
