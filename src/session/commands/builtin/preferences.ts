import { describe } from "#foundation/errors";
import type { CommandView } from "../../api.ts";
import type { Preferences } from "../../services/preferences.ts";
import { defineCommand } from "../command.ts";
import { say, warn } from "../views.ts";

export const configCommand = defineCommand({
  name: "config",
  description: "Show the settings in effect",
  category: "Configuration",
  cliOnly: true,
  whileRunning: "now",
  takes: ["preferences"],
  async run(_call, { preferences }) {
    const rows = await preferences.describe();
    if (rows.length === 0) return say("Every setting has its default value. `hermes config` shows and changes them.");
    return { kind: "table", title: "Settings", columns: ["Setting", "Value"], rows };
  },
});

export const reloadCommand = defineCommand({
  name: "reload",
  description: "Reload keys and settings",
  category: "Tools & Skills",
  cliOnly: true,
  whileRunning: "now",
  takes: ["preferences"],
  run: async ({ signal }, { preferences }) => say(await preferences.reload(signal)),
});

export const profileCommand = defineCommand({
  name: "profile",
  description: "Show the active profile and where it lives",
  category: "Info",
  whileRunning: "now",
  takes: ["home"],
  run: (_call, { home }) => Promise.resolve(say(`Profile: ${home.profileName}\nHome: ${home.root}`)),
});

/** Keeps a choice beyond this session. If saving fails, the choice counts for the session all the same. */
export async function saved(
  preferences: Preferences,
  setting: { readonly key: string; readonly value: string | boolean },
  done: string,
): Promise<CommandView> {
  try {
    await preferences.save(setting.key, setting.value);
    return say(`${done} Saved.`);
  } catch (error) {
    return warn(`${done} It could not be saved: ${describe(error)}`);
  }
}
