import { readdirSync } from "node:fs";
import { systemErrorCode } from "#foundation/errors";
import type { HermesHome } from "#foundation/files/paths";

/** Names of the plugins in the home, for the one migration that lists them. */
export function installedPlugins(home: HermesHome): readonly string[] {
  try {
    const entries = readdirSync(home.plugins, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
      .map((entry) => entry.name)
      .sort();
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    return [];
  }
}
