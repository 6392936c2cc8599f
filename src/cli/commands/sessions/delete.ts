import { plural } from "#foundation/text/figures";
import type { Invocation } from "../../command.ts";
import { argument, hasFlag } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { agreed } from "../../support/ask.ts";
import { openExistingStore } from "../../support/store.ts";
import { findSession } from "./find.ts";

export async function sessionsDelete(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  await using store = await openExistingStore(invocation);
  const id = await findSession(store, argument(invocation, 0));
  const count = (await store?.messages.count(id)) ?? 0;
  const question = `Delete session ${id} with its ${plural(count, "message")}?`;
  if (!(await agreed(question, { io: invocation.io, isYes: hasFlag(invocation, "yes") }))) {
    out.line("Nothing was deleted.");
    return 1;
  }
  const isDeleted = (await store?.sessions.delete(id)) ?? false;
  out.document({ id, deleted: isDeleted });
  out.line(isDeleted ? `Deleted ${id}.` : `${id} was already gone.`);
  return isDeleted ? 0 : 1;
}
