import { plural } from "#foundation/text/figures";
import { systemClock } from "#foundation/time/clock";
import type { Invocation } from "../../command.ts";
import { argument } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { localTime } from "../../output/times.ts";
import { openModelAccess } from "../../support/models.ts";
import { findProvider, openPool, stateOf } from "../../support/provider.ts";

/** Exit 0 when the provider could be used now, 1 when not, so that scripts can ask. */
export async function authStatus(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { signal } = invocation.io;
  await using parts = await openModelAccess(invocation);
  const { context } = parts.models;
  const provider = findProvider(argument(invocation, 0), context);
  const members = await (await openPool(provider, context, signal)).members(signal);
  const flow = await context.flows.get(provider.key)?.status(signal);
  const nowMs = systemClock.now();
  const usable = members.filter((member) => stateOf(member, nowMs) === "ok").length;
  const expiresAtMs = flow?.kind === "logged-in" ? flow.expiresAtMs : undefined;
  out.document({
    provider: provider.key,
    is_usable: usable > 0,
    credentials: members.length,
    usable,
    login: flow === undefined ? null : flow.kind,
    expires_at_ms: expiresAtMs ?? null,
  });
  out.line(`${provider.label}: ${plural(members.length, "credential")}, ${usable} usable now`);
  if (flow !== undefined)
    out.line(
      `Login: ${flow.kind === "logged-in" ? `yes${flow.account === undefined ? "" : `, ${flow.account}`}` : "no"}`,
    );
  if (expiresAtMs !== undefined)
    out.line(`Expires: ${localTime(expiresAtMs)}${expiresAtMs < nowMs ? " (renewed when it is next used)" : ""}`);
  return usable > 0 ? 0 : 1;
}
