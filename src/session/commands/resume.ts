import { plural, relativeTime } from "#foundation/text/figures";
import type { CommandView, PickerItem } from "../api.ts";
import { findSession } from "../lineage.ts";
import type { CommandContext, SlashCommand } from "./command.ts";
import { act, say, warn } from "./views.ts";

const mostListed = 20;

export const resumeCommand: SlashCommand = {
  name: "resume",
  description: "Go on with another session, by title or id",
  category: "Session",
  argsHint: "[name]",
  whileRunning: "busy",
  complete: sessionNames,
  async run(context) {
    const { args, deps, session } = context;
    if (args === "") return await pickerOf(context);
    const id = await findSession(deps.store, args);
    if (id === undefined) return warn(`No session is called ${args}. /resume alone lists them.`);
    if (id === session.info.id) return say("You are in that session already.");
    return act({ do: "switch-session", id });
  },
};

export const sessionsCommand: SlashCommand = {
  name: "sessions",
  description: "List the newest sessions",
  category: "Info",
  cliOnly: true,
  whileRunning: "now",
  run: pickerOf,
};

async function pickerOf(context: CommandContext): Promise<CommandView> {
  const items = await sessionItems(context);
  if (items.length === 0) return say("There are no sessions yet.");
  return { kind: "picker", title: "Sessions, newest first", items, command: "/resume" };
}

async function sessionItems({ deps, session, signal }: CommandContext): Promise<readonly PickerItem[]> {
  const sessions = await deps.store.sessions.list({ limit: mostListed, excludeSources: ["tool", "subagent"], signal });
  return sessions.map((one) => ({
    value: one.id,
    label: one.title ?? (one.preview === "" ? one.id : one.preview),
    detail: `${relativeTime(one.lastActiveMs, deps.clock.now())} · ${plural(one.messageCount, "message")} · ${one.source} · ${one.id}`,
    isCurrent: one.id === session.info.id,
  }));
}

async function sessionNames({ deps, signal }: CommandContext): Promise<readonly string[]> {
  const sessions = await deps.store.sessions.list({ limit: 50, excludeSources: ["tool", "subagent"], signal });
  return sessions.map((one) => one.title ?? one.id);
}
