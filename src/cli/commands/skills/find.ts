import { defined } from "#foundation/defined";
import type { HubEntry, SearchOutcome } from "#skills";
import type { Invocation } from "../../command.ts";
import { flagNumber, flagText } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { openSkillHub } from "../../support/skills.ts";

export async function skillsSearch(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { hub } = await openSkillHub(invocation);
  const query = invocation.args.join(" ");
  const outcome = await hub.search(query, {
    ...requestOf(invocation),
    limit: flagNumber(invocation, "limit", { usual: 20 }),
  });
  return report(out, outcome, { query });
}

export async function skillsBrowse(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { hub } = await openSkillHub(invocation);
  const page = flagNumber(invocation, "page", { usual: 1 });
  const size = flagNumber(invocation, "size", { usual: 20, max: 200 });
  const outcome = await hub.browse({ ...requestOf(invocation), page, size });
  const code = report(out, outcome, { page, has_more: outcome.hasMore });
  if (outcome.hasMore) out.line(out.style.dim(`More: hermes skills browse --page ${page + 1}`));
  return code;
}

function requestOf(invocation: Invocation): { readonly signal: AbortSignal; readonly source?: string } {
  const source = flagText(invocation, "source");
  return { signal: invocation.io.signal, ...defined({ source }) };
}

/** Hubs that could not be asked are named; when none could, that is a failure. */
function report(out: Output, { entries, failures }: SearchOutcome, more: Readonly<Record<string, unknown>>): number {
  out.document({ ...more, skills: entries, failures });
  if (entries.length === 0) out.line("Nothing was found.");
  else
    out.table(
      [{ title: "Identifier" }, { title: "Trust" }, { title: "About", isFlexible: true }],
      entries.map((entry: HubEntry) => [entry.identifier, entry.trust, entry.description]),
    );
  for (const { source, reason } of failures) out.note(`${source} could not be reached: ${reason}`);
  return entries.length === 0 && failures.length > 0 ? 1 : 0;
}
