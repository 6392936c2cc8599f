import type { SlashCommand } from "./command.ts";
import { say, warn } from "./views.ts";

export const stopCommand: SlashCommand = {
  name: "stop",
  description: "End background processes; in a chat also the running turn",
  category: "Session",
  whileRunning: "now",
  async run({ session, surface }) {
    const wasBusy = session.info.isBusy;
    if (surface === "gateway" && wasBusy) await session.stopTurn();
    const ended = await session.handle.stopProcesses();
    const turn = surface === "gateway" && wasBusy ? "The turn was stopped. " : "";
    return say(
      `${turn}${ended === 0 ? "No background process was running." : `${ended} background process${ended === 1 ? "" : "es"} ended.`}`,
    );
  },
};

export const approveCommand: SlashCommand = {
  name: "approve",
  description: "Allow what is being asked about",
  category: "Session",
  argsHint: "[session|always]",
  subcommands: ["session", "always"],
  gatewayOnly: true,
  whileRunning: "now",
  async run({ session, words }) {
    const scope = words[0]?.toLowerCase();
    const choice = scope === "session" || scope === "always" ? scope : "once";
    return session.approveOpen(choice) ? { kind: "nothing" } : warn("Nothing is waiting for permission.");
  },
};

export const denyCommand: SlashCommand = {
  name: "deny",
  description: "Refuse what is being asked about",
  category: "Session",
  gatewayOnly: true,
  whileRunning: "now",
  async run({ session }) {
    return session.approveOpen("deny") ? { kind: "nothing" } : warn("Nothing is waiting for permission.");
  },
};
