import { UserError } from "#foundation/errors";
import { plural } from "#foundation/text/figures";
import type { PoolMember } from "#model";
import type { Invocation } from "../../command.ts";
import { argument } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { openModelAccess } from "../../support/models.ts";
import { findProvider, openPool } from "../../support/provider.ts";

export async function authRemove(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { signal } = invocation.io;
  await using parts = await openModelAccess(invocation);
  const provider = findProvider(argument(invocation, 0), parts.models.context);
  const pool = await openPool(provider, parts.models.context, signal);
  const member = pick(await pool.members(signal), argument(invocation, 1), provider.key);
  await pool.remove(member.id, signal);
  const isManual = member.source === "manual";
  out.document({ provider: provider.key, id: member.id, source: member.source, stays_away: !isManual });
  out.line(`Removed ${member.label} (${member.source}) from ${provider.label}.`);
  if (!isManual)
    out.line(
      `${member.source} is no longer used, even while it is set. Use it again with: hermes auth reset ${provider.key}`,
    );
  return 0;
}

function pick(members: readonly PoolMember[], wanted: string, provider: string): PoolMember {
  const byNumber = /^\d{1,3}$/.test(wanted) ? members[Number(wanted) - 1] : undefined;
  const found = byNumber ?? members.find((one) => one.id === wanted) ?? onlyOne(members, wanted);
  if (found !== undefined) return found;
  throw new UserError(`${provider} has no single credential "${wanted}".`, {
    code: "credential_not_found",
    hint: `See them with: hermes auth list ${provider}`,
  });
}

function onlyOne(members: readonly PoolMember[], label: string): PoolMember | undefined {
  const fitting = members.filter((one) => one.label.toLowerCase() === label.toLowerCase());
  return fitting.length === 1 ? fitting[0] : undefined;
}

export async function authReset(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { signal } = invocation.io;
  await using parts = await openModelAccess(invocation);
  const provider = findProvider(argument(invocation, 0), parts.models.context);
  const pool = await openPool(provider, parts.models.context, signal);
  const before = await pool.members(signal);
  await pool.reset(signal);
  const resting = before.filter((one) => one.exhausted !== undefined).length;
  const returned = (await pool.members(signal)).filter(({ id }) => before.every((one) => one.id !== id));
  out.document({ provider: provider.key, reset: resting, returned: returned.map(({ source }) => source) });
  if (resting > 0) out.line(`${plural(resting, "credential")} of ${provider.label} may be used again.`);
  for (const { source } of returned) out.line(`${source} is used again.`);
  if (resting + returned.length === 0) out.line(`No credential of ${provider.label} was paused or removed.`);
  return 0;
}
