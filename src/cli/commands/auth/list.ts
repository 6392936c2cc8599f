import { systemClock } from "#foundation/time/clock";
import { maskKey, type PoolMember } from "#model";
import type { Invocation } from "../../command.ts";
import { Output } from "../../output/output.ts";
import { openModelAccess } from "../../support/models.ts";
import { endpointsOf, findProvider, type NamedProvider, openPool, stateOf } from "../../support/provider.ts";

/** Every credential there is, with where it comes from; what they are stays hidden but for a few characters. */
export async function authList(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { signal } = invocation.io;
  await using parts = await openModelAccess(invocation);
  const { context } = parts.models;
  const asked = invocation.args[0];
  const providers = asked === undefined ? allProviders(context) : [findProvider(asked, context)];
  const rows: { readonly provider: NamedProvider; readonly members: readonly PoolMember[] }[] = [];
  for (const provider of providers) {
    const members = await (await openPool(provider, context, signal)).members(signal);
    if (members.length > 0) rows.push({ provider, members });
  }
  const nowMs = systemClock.now();
  out.document({
    providers: rows.map(({ provider, members }) => ({
      provider: provider.key,
      credentials: members.map((member, index) => ({
        number: index + 1,
        id: member.id,
        label: member.label,
        source: member.source,
        type: member.authType === "oauth" ? "oauth" : "api-key",
        masked: maskKey(member.secret),
        state: stateOf(member, nowMs) === "ok" ? "ok" : "exhausted",
        rests_until_ms: member.exhausted?.untilMs ?? null,
        request_count: member.requestCount,
      })),
    })),
  });
  if (rows.length === 0)
    out.line(
      asked === undefined
        ? "No credentials yet. Add one: hermes auth add <provider>"
        : `${asked} has no credentials. Add one: hermes auth add ${asked}`,
    );
  for (const { provider, members } of rows) {
    out.heading(`${provider.label} (${provider.key})`);
    for (const [index, member] of members.entries()) {
      const state = stateOf(member, nowMs);
      const shown = state === "ok" ? out.style.good(state) : out.style.caution(state);
      out.line(
        `  ${index + 1}  ${member.id}  ${member.label}  ${maskKey(member.secret)}  ${out.style.dim(member.source)}  ${shown}`,
      );
    }
  }
  return 0;
}

type Context = Parameters<typeof findProvider>[1];

export function allProviders(context: Context): readonly NamedProvider[] {
  const builtin = context.registry
    .all()
    .filter((profile) => profile.isOwnEndpoint !== true)
    .map((profile): NamedProvider => ({ kind: "profile", key: profile.id, label: profile.label, profile }));
  const own = endpointsOf(context).endpoints.map(
    ({ slug, name, baseUrl }): NamedProvider => ({ kind: "endpoint", key: slug, label: name, baseUrl }),
  );
  return [...builtin, ...own];
}
