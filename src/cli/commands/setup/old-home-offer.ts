import { existsSync } from "node:fs";
import type { Invocation } from "../../command.ts";
import type { Output } from "../../output/output.ts";
import { openAsker } from "../../support/ask.ts";
import { loadSettings } from "../../support/settings.ts";
import { migrateFrom } from "../claw/migrate.ts";
import { findOldHomes } from "../claw/old-home.ts";

/** On the first run: whoever comes from OpenClaw need not tell everything twice. A no is not asked about again here. */
export async function offerOldHome(invocation: Invocation, out: Output): Promise<void> {
  const { home, loaded } = await loadSettings(invocation, { isQuiet: true });
  const [old] = await findOldHomes(invocation.io.env);
  if (old === undefined || loaded.config.model.default !== "" || existsSync(home.at("migration", "openclaw"))) return;
  const wanted = await askRequest(invocation, old);
  if (wanted === undefined) {
    out.line("You can do it later with: hermes claw migrate\n");
    return;
  }
  await migrateFrom(old, invocation, { preset: "full", overwrites: false, skillConflict: "skip", ...wanted });
  out.line();
}

async function askRequest({ io }: Invocation, old: string): Promise<{ readonly takesSecrets: boolean } | undefined> {
  using asker = openAsker(io);
  const question = `There is an OpenClaw home, ${old}. Import character, notes, skills and settings from it?`;
  if (!(await asker.confirm(question, true))) return undefined;
  return { takesSecrets: await asker.confirm("Import known keys and tokens too? They go into .env.", false) };
}
