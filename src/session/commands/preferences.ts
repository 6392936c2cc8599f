import { describe } from "#foundation/errors";
import type { CommandView } from "../api.ts";
import type { CommandContext, SlashCommand } from "./command.ts";
import { say, warn } from "./views.ts";

const notHere = "Settings cannot be changed from here.";

export const configCommand: SlashCommand = {
  name: "config",
  description: "Show the settings that are in force",
  category: "Configuration",
  cliOnly: true,
  whileRunning: "now",
  async run({ deps }) {
    const rows = (await deps.preferences?.describe()) ?? [];
    if (rows.length === 0) return say("Every setting has its default value. `hermes config` shows and changes them.");
    return { kind: "table", title: "Settings", columns: ["Setting", "Value"], rows };
  },
};

export const reloadCommand: SlashCommand = {
  name: "reload",
  description: "Read keys and settings again",
  category: "Tools & Skills",
  cliOnly: true,
  whileRunning: "now",
  async run({ deps, signal }) {
    return deps.preferences === undefined ? warn(notHere) : say(await deps.preferences.reload(signal));
  },
};

export const profileCommand: SlashCommand = {
  name: "profile",
  description: "Show the active profile and where it lives",
  category: "Info",
  whileRunning: "now",
  async run({ deps }) {
    const home = deps.preferences?.homePath ?? deps.home?.root;
    const name = deps.preferences?.profile ?? deps.home?.profileName ?? "default";
    return say(`Profile: ${name}${home === undefined ? "" : `\nHome: ${home}`}`);
  },
};

/** Keeps a choice beyond this session. Saving that fails is said, and the choice counts for the session all the same. */
export async function saved(
  { deps }: CommandContext,
  setting: { readonly key: string; readonly value: string | boolean },
  done: string,
): Promise<CommandView> {
  if (deps.preferences === undefined) return say(`${done} It counts for this session.`);
  try {
    await deps.preferences.save(setting.key, setting.value);
    return say(`${done} Saved.`);
  } catch (error) {
    return warn(`${done} It could not be saved: ${describe(error)}`);
  }
}
