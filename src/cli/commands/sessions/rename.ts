import { UserError } from "#foundation/errors";
import { maxTitleLength } from "#store";
import type { Invocation } from "../../command.ts";
import { argument } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { openExistingStore } from "../../support/store.ts";
import { findSession } from "./find.ts";

export async function sessionsRename(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  await using store = await openExistingStore(invocation);
  const id = await findSession(store, argument(invocation, 0));
  const title = invocation.args.slice(1).join(" ");
  const outcome = (await store?.sessions.setTitle(id, title)) ?? { kind: "no-session" };
  switch (outcome.kind) {
    case "set":
      out.document({ id, title: outcome.title });
      out.line(`${id} is now called ${outcome.title}`);
      return 0;
    case "cleared":
      out.document({ id, title: null });
      out.line(`${id} no longer has a title.`);
      return 0;
    case "taken":
      throw new UserError(`Session ${outcome.by} has the title "${title}" already.`, {
        code: "title_taken",
        hint: `Choose another, or rename that one first: hermes sessions rename ${outcome.by} <title>`,
      });
    case "too-long":
      throw new UserError(`The title has ${outcome.length} characters.`, {
        code: "title_too_long",
        hint: `Use at most ${maxTitleLength}.`,
      });
    case "no-session":
      throw new UserError(`Session ${id} is gone.`, { code: "session_not_found" });
  }
}
