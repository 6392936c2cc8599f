import { usableProviders } from "#model";
import type { Invocation } from "../../command.ts";
import { Output } from "../../output/output.ts";
import { openModelAccess } from "../../support/models.ts";
import { endpointsOf } from "../../support/provider.ts";

interface Row {
  readonly id: string;
  readonly label: string;
  /** Where its credential comes from, or the address of an endpoint of one's own. */
  readonly source: string | null;
}

/** Every name that can stand before the colon of `provider:model`. */
export async function modelProviders(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  await using parts = await openModelAccess(invocation);
  const { context } = parts.models;
  const usable = await usableProviders(context, invocation.io.signal);
  const sources = new Map(usable.map(({ profile, source }) => [profile.id, source]));
  const rows: readonly Row[] = [
    ...context.registry.all().map(({ id, label }) => ({ id, label, source: sources.get(id) ?? null })),
    ...endpointsOf(context).endpoints.map(({ slug, name, baseUrl }) => ({ id: slug, label: name, source: baseUrl })),
  ];
  out.document({ providers: rows });
  out.table(
    [{ title: "Provider" }, { title: "Name", isFlexible: true }, { title: "Credential" }],
    rows.map(({ id, label, source }) => [id, label, source ?? "-"]),
  );
  out.line("");
  out.line("Connect one with: hermes auth add <provider>");
  return 0;
}
