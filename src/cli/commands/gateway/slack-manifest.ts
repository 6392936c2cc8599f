import path from "node:path";
import { writeFileAtomic } from "#foundation/files/files";
import { menuCommands, slackCommands, slackManifest } from "#gateway";
import { exitCodes, type Invocation } from "../../command.ts";
import { flagText, hasFlag } from "../../invocation.ts";
import { Output } from "../../output/output.ts";

/** Prints or writes what Slack's page for a new app is given. */
export async function printSlackManifest(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const url = flagText(invocation, "url");
  const manifest = hasFlag(invocation, "slashes-only")
    ? { slash_commands: slackCommands(menuCommands(), url) }
    : slackManifest(menuCommands(), {
        name: flagText(invocation, "name") ?? "Hermes",
        description: flagText(invocation, "description") ?? "A personal agent",
        url,
      });
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  const target = flagText(invocation, "write");
  if (target === undefined) {
    invocation.io.stdout.write(text);
    return exitCodes.ok;
  }
  const file = path.resolve(invocation.io.cwd, target);
  await writeFileAtomic(file, text);
  out.document({ file });
  out.line(file);
  out.note("At api.slack.com/apps: Create New App, From a manifest, and paste what the file holds.");
  return exitCodes.ok;
}
