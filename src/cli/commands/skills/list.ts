import { listInstalled } from "#skills";
import type { Invocation } from "../../command.ts";
import { flagText, hasFlag } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { openOwnSkills } from "../../support/skills.ts";

export async function skillsList(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { signal } = invocation.io;
  const { home, hub, library } = await openOwnSkills(invocation);
  const wanted = flagText(invocation, "source") ?? "all";
  const all = await listInstalled({ home, library, locked: await hub.installed() }, "cli", signal);
  const rows = all
    .filter((row) => wanted === "all" || row.source === wanted)
    .filter((row) => row.state === "usable" || !hasFlag(invocation, "enabled-only"));
  out.document({ skills: rows });
  if (rows.length === 0) {
    out.line("No skills. Find some with: hermes skills browse");
    return 0;
  }
  out.table(
    [
      { title: "Name" },
      { title: "Category" },
      { title: "Source" },
      { title: "Trust" },
      { title: "State" },
      { title: "About", isFlexible: true },
    ],
    rows.map((row) => [row.name, row.category, row.source, row.trust, row.state, row.description]),
  );
  return 0;
}
