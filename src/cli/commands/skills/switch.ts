import { editConfig } from "#config";
import { plural } from "#foundation/text/figures";
import { listInstalled } from "#skills";
import type { Invocation } from "../../command.ts";
import { Output } from "../../output/output.ts";
import { chooseMany } from "../../support/choose-many.ts";
import { editOptions } from "../../support/settings.ts";
import { openOwnSkills } from "../../support/skills.ts";

export async function skillsConfig(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { home, hub, library } = await openOwnSkills(invocation);
  const rows = await listInstalled({ home, library, locked: await hub.installed() }, "cli", invocation.io.signal);
  const items = rows
    .filter((row) => row.state !== "unsupported")
    .map((row) => ({ name: row.name, detail: row.description.slice(0, 60), isOn: row.state === "usable" }));
  if (items.length === 0) {
    out.line("No skills. Find some with: hermes skills browse");
    return 0;
  }
  const wanted = await chooseMany(invocation.io, "Skills", items);
  if (wanted === undefined) {
    out.line("Nothing was changed.");
    return 0;
  }
  const value = items.map((item) => item.name).filter((name) => !wanted.includes(name));
  await editConfig([{ kind: "set", path: ["skills", "disabled"], value }], editOptions(invocation, home));
  out.line(`On: ${plural(wanted.length, "skill")}, off: ${value.length}. This takes effect with the next session.`);
  return 0;
}
