import { describe, UserError } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { isAbort, linkSignals } from "#foundation/lifecycle/abort";
import { isRecord } from "#foundation/text/json";
import type { Clock } from "#foundation/time/clock";
import type { Store } from "#store";
import type { Invocation } from "../../command.ts";
import { argument } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { openOrCreateStore } from "../../support/store.ts";

const kind = "env-cancel";
const lookMs = 1000;

/** Tells all machines that work on a shared run to stop. */
export async function envCancel(invocation: Invocation): Promise<number> {
  const name = argument(invocation, 0);
  await using store = await openOrCreateStore(invocation);
  if (store.kind !== "postgres")
    throw new UserError("Only runs shared through a database can be cancelled from elsewhere.", {
      hint: "Stop it where it runs with Ctrl-C, or set store.url to the PostgreSQL its machines use.",
      exitCode: 2,
    });
  await store.documents.put({ kind, key: name, value: { atMs: Date.now() } });
  new Output(invocation).line(`Machines that work on ${name} stop within seconds; finished work is kept.`);
  return 0;
}

/** A signal that fires when a shared run is cancelled after it began. */
export function watchCancel(
  { store, clock, logger }: { readonly store: Store; readonly clock: Clock; readonly logger: Logger },
  name: string,
  signal: AbortSignal,
): { readonly signal: AbortSignal } & AsyncDisposable {
  const startedMs = clock.now();
  const ended = new AbortController();
  const cancelled = new AbortController();
  const watching = (async () => {
    for (;;) {
      await clock.sleep(lookMs, ended.signal);
      // A database that is away for a moment is no reason to stop.
      const value = await store.documents.get(kind, name).then(
        (found) => found?.value,
        (error: unknown) => logger.warn("it is not known whether the run was cancelled", { error: describe(error) }),
      );
      if (isRecord(value) && Number(value["atMs"]) >= startedMs) return cancelled.abort();
    }
  })().catch((error: unknown) => {
    if (!isAbort(error)) throw error;
  });
  return {
    signal: linkSignals(signal, cancelled.signal),
    async [Symbol.asyncDispose]() {
      ended.abort();
      await watching;
    },
  };
}
