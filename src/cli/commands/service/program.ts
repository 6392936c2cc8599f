import { createHash } from "node:crypto";
import { homedir } from "node:os";
import path from "node:path";
import type { HermesHome } from "#foundation/files/paths";
import type { Invocation } from "../../command.ts";
import { loadSettings } from "../../support/settings.ts";

/** One home is the plain name; another one has its own. */
export function suffixOf(home: HermesHome, env: NodeJS.ProcessEnv): string {
  const usual = path.join(env["HOME"] ?? homedir(), ".hermes");
  if (home.root === usual) return "";
  const name = home.profileName;
  return `-${/^[a-z0-9][a-z0-9_-]*$/u.test(name) && name !== "default" ? name : createHash("sha256").update(home.root).digest("hex").slice(0, 8)}`;
}

/** What the manager starts: this program as it was started now. */
export function programOf({ global }: Invocation): readonly string[] {
  const profile = global.profile === undefined ? [] : ["--profile", global.profile];
  return [process.execPath, process.argv[1] ?? "hermes", ...profile, "gateway", "run", "--replace"];
}

/** How long the manager has to wait before it ends it by force: turns that run get their time first. */
export async function stopSeconds(invocation: Invocation): Promise<number> {
  const { loaded } = await loadSettings(invocation, { isQuiet: true });
  return Math.max(60, loaded.config.agent.restart_drain_timeout) + 30;
}
