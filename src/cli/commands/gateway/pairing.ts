import { UserError } from "#foundation/errors";
import { systemClock } from "#foundation/time/clock";
import { type PairedPerson, Pairing, platformIds } from "#gateway";
import { exitCodes, type Invocation } from "../../command.ts";
import { Output } from "../../output/output.ts";
import { homeOf } from "../../support/home.ts";
import { version } from "../../version.ts";

export async function pairingList(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const pairing = pairingOf(invocation);
  const found = await Promise.all(
    platformIds.map(async (platform) => ({
      platform,
      paired: await pairing.paired(platform),
      pending: await pairing.pending(platform),
    })),
  );
  out.document({ platforms: found });
  for (const { platform, paired, pending } of found) {
    for (const { userId, userName } of paired) out.line(`${platform}  paired   ${userId}  ${userName}`);
    for (const { code, userName, userId } of pending)
      out.line(`${platform}  waiting  ${code}  ${userId === "" ? "(whoever sends it)" : `${userId}  ${userName}`}`);
  }
  if (found.every(({ paired, pending }) => paired.length + pending.length === 0))
    out.line("Nobody is paired, and no codes are pending.");
  return exitCodes.ok;
}

export async function pairingApprove(invocation: Invocation): Promise<number> {
  const [, code = ""] = invocation.args;
  const platform = platformOf(invocation);
  const outcome = await pairingOf(invocation).approve(platform, code);
  const out = new Output(invocation);
  if (outcome.kind === "approved") {
    const { userId, userName } = outcome.person;
    await tellInChat(invocation, platform, outcome.person);
    out.document({ platform, user_id: userId, user_name: userName });
    out.line(`${userName || userId} may now talk to Hermes on ${platform}.`);
    return exitCodes.ok;
  }
  if (outcome.kind === "locked")
    throw new UserError("Too many wrong codes: approvals for this platform are locked for an hour.", {
      hint: `Try again at ${new Date(outcome.untilMs).toLocaleTimeString()}.`,
      exitCode: exitCodes.denied,
    });
  throw new UserError("There is no such code. Codes expire after an hour.", { hint: "See: hermes pairing list" });
}

/** They hear of it where they asked; a gateway sends it, or this process where none runs. */
async function tellInChat({ io, global }: Invocation, platform: string, person: PairedPerson): Promise<void> {
  if (person.chatId === undefined) return;
  const [{ openHermes }, { targetsOf }] = await Promise.all([import("#app"), import("../../support/targets.ts")]);
  await using hermes = await openHermes({
    env: io.env,
    cwd: io.cwd,
    version,
    onNotice: () => undefined,
    profile: global.profile,
    ignoreUserConfig: global.ignoresUserConfig,
  });
  const { deliverer, sendOwed } = await targetsOf(hermes, io);
  const about = { text: "You may write to me now.", key: `paired:${platform}:${person.userId}:${person.atMs}` };
  const rows = await deliverer.rows({ word: `${platform}:${person.chatId}`, origin: undefined }, about);
  if (typeof rows === "string") return;
  await hermes.store.outbox.owe(rows);
  await sendOwed(io.signal);
}

export async function pairingRevoke(invocation: Invocation): Promise<number> {
  const [, userId = ""] = invocation.args;
  const platform = platformOf(invocation);
  const wasPaired = await pairingOf(invocation).revoke(platform, userId);
  const out = new Output(invocation);
  out.document({ platform, user_id: userId, was_paired: wasPaired });
  out.line(wasPaired ? `${userId} may no longer talk to Hermes on ${platform}.` : `${userId} was not paired.`);
  return wasPaired ? exitCodes.ok : exitCodes.failed;
}

export async function pairingClear(invocation: Invocation): Promise<number> {
  const pairing = pairingOf(invocation);
  const chosen = invocation.args[0] === undefined ? platformIds : [platformOf(invocation)];
  let count = 0;
  for (const platform of chosen) count += await pairing.clearPending(platform);
  const out = new Output(invocation);
  out.document({ cleared: count });
  out.line(`${count} ${count === 1 ? "code" : "codes"} discarded.`);
  return exitCodes.ok;
}

function pairingOf(invocation: Invocation): Pairing {
  return new Pairing(homeOf(invocation).pairing, systemClock);
}

function platformOf({ args }: Invocation): string {
  const [platform = ""] = args;
  if (platformIds.includes(platform)) return platform;
  throw new UserError(`There is no platform ${platform}.`, { hint: `There are: ${platformIds.join(", ")}` });
}
