import { UserError } from "#foundation/errors";
import { silentLogger } from "#foundation/files/logger";
import { plural } from "#foundation/text/figures";
import { systemClock } from "#foundation/time/clock";
import { findTraces, forget, platformIds } from "#gateway";
import { exitCodes, type Invocation } from "../../command.ts";
import { hasFlag } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { agreed } from "../../support/ask.ts";
import { homeOf } from "../../support/home.ts";
import { openOrCreateStore } from "../../support/store.ts";

/** `hermes gateway forget telegram 12345`: leaves nothing of a person or a chat. */
export async function gatewayForget(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const [platform = "", id = ""] = invocation.args;
  if (!platformIds.includes(platform))
    throw new UserError(`There is no platform ${platform}.`, { hint: `There are: ${platformIds.join(", ")}` });
  await using store = await openOrCreateStore(invocation);
  const deps = { store, home: homeOf(invocation), clock: systemClock, logger: silentLogger };
  const who = { platform, id };
  const found = await findTraces(who, deps);
  const amounts = [
    plural(found.chats.length, "chat"),
    plural(found.sessions.length, "session"),
    plural(found.received.length, "message"),
    plural(found.media.length, "file"),
  ].join(", ");
  const question = `Forget ${id} on ${platform} (${amounts}, and the pairing)? This cannot be undone.`;
  if (!(await agreed(question, { io: invocation.io, isYes: hasFlag(invocation, "yes") }))) {
    out.line("Nothing was forgotten.");
    return exitCodes.failed;
  }
  const { wasPaired } = await forget(who, found, deps);
  const { chats, sessions, shared, received, media } = found;
  out.document({
    platform,
    id,
    chats,
    sessions,
    shared,
    received: received.length,
    media: media.length,
    was_paired: wasPaired,
  });
  out.line(`Forgotten: ${amounts}${wasPaired ? ", and the pairing" : ""}.`);
  if (shared.length > 0)
    out.line(
      `In ${plural(shared.length, "conversation")} with others the transcript stays. To forget one as well, name its chat: ${shared.join(" ")}`,
    );
  return exitCodes.ok;
}
