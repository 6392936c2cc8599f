import type { Invocation } from "../../command.ts";
import { flagNumber, flagText, hasFlag } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { agreed } from "../../support/ask.ts";
import { openExistingStore } from "../../support/store.ts";

/** Only sessions that have ended, however old an open one is. */
export async function sessionsPrune(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { io } = invocation;
  const olderThanDays = flagNumber(invocation, "older-than", { usual: 90, min: 0 });
  const source = flagText(invocation, "source");
  const of = source === undefined ? "" : ` of ${source}`;
  const question = `Delete ended sessions${of} that began more than ${olderThanDays} days ago?`;
  if (!(await agreed(question, { io, isYes: hasFlag(invocation, "yes") }))) {
    out.line("Nothing was deleted.");
    return 1;
  }
  await using store = await openExistingStore(invocation);
  const deleted =
    (await store?.sessions.prune({
      olderThanDays,
      includeTitled: hasFlag(invocation, "include-titled"),
      signal: io.signal,
      ...(source === undefined ? {} : { source }),
    })) ?? 0;
  if (deleted > 0) await store?.maintenance.compact(io.signal);
  out.document({ deleted, older_than_days: olderThanDays });
  out.line(`Deleted ${deleted} ${deleted === 1 ? "session" : "sessions"}.`);
  return 0;
}
