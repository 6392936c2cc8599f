import type { Command } from "../../command.ts";

const list: Command["run"] = async (invocation) => (await import("../../commands/agents.ts")).agentsList(invocation);

export const agentsCommand: Command = {
  name: "agents",
  about: "Show the agents that tasks can be delegated to: your own and those of trusted projects",
  run: list,
  commands: [{ name: "list", about: "Show them", run: list }],
};
