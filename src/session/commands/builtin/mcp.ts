import { defineCommand } from "../command.ts";
import { say } from "../views.ts";

export const mcpCommand = defineCommand({
  name: "mcp",
  description: "List the MCP servers and whether they are connected",
  category: "Tools & Skills",
  cliOnly: true,
  whileRunning: "now",
  takes: ["tools"],
  async run(_call, { tools }) {
    const servers = tools.mcpServers();
    if (servers.length === 0) return say("No MCP servers are configured; `hermes mcp add` adds one.");
    const rows = servers.map((one) => [one.name, one.state, String(one.tools)]);
    return { kind: "table", title: "MCP servers", columns: ["Server", "State", "Tools"], rows };
  },
});

export const reloadMcpCommand = defineCommand({
  name: "reload-mcp",
  aliases: ["reload_mcp"],
  description: "Reconnect to the MCP servers",
  category: "Tools & Skills",
  whileRunning: "busy",
  takes: ["tools"],
  run: async ({ signal }, { tools }) => say(await tools.reloadMcp(signal)),
});
