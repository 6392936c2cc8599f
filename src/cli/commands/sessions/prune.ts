import { defined } from "#foundation/defined";
import type { Invocation } from "../../command.ts";
import { flagNumber, flagText, hasFlag } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { agreed } from "../../support/ask.ts";
import { openExistingStore } from "../../support/store.ts";

/** Sessions that ended, or that nobody has said anything in since the cut-off; none that is open. */
export async function sessionsPrune(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { io } = invocation;
  const olderThanDays = flagNumber(invocation, "older-than", { usual: 90, min: 0 });
  const source = flagText(invocation, "source");
  const of = source === undefined ? "" : ` of ${source}`;
  const question = `Delete sessions${of} that began more than ${olderThanDays} days ago and have ended or rested since?`;
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
      ...defined({ source }),
    })) ?? 0;
  if (deleted > 0) await store?.maintenance.compact(io.signal);
  out.document({ deleted, older_than_days: olderThanDays });
  out.line(`Deleted ${deleted} ${deleted === 1 ? "session" : "sessions"}.`);
  return 0;
}
