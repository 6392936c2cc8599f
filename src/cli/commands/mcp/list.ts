import type { Invocation } from "../../command.ts";
import { Output } from "../../output/output.ts";
import { openMcpAccess } from "./open.ts";

export async function mcpList(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { loaded, tokens } = await openMcpAccess(invocation);
  const rows = await Promise.all(
    Object.entries(loaded.config.mcp_servers).map(async ([name, server]) => ({
      name,
      kind: server.url === undefined ? "stdio" : "http",
      target: server.url ?? [server.command, ...server.args].join(" "),
      is_enabled: server.enabled,
      auth: server.auth ?? (server.oauth === undefined ? "none" : "oauth"),
      is_logged_in: (await tokens.tokens(name)) !== undefined,
      include: server.tools.include ?? null,
      exclude: server.tools.exclude,
      trust: server.trust,
    })),
  );
  out.document({ servers: rows });
  if (rows.length === 0) {
    out.line("No MCP servers. Add one with: hermes mcp add <name> --command <program>, or --url <address>");
    return 0;
  }
  out.table(
    [{ title: "Name" }, { title: "" }, { title: "Server", isFlexible: true }, { title: "Login" }, { title: "Tools" }],
    rows.map((row) => [
      row.name,
      row.is_enabled ? "on" : "off",
      row.target,
      row.auth === "oauth" ? (row.is_logged_in ? "yes" : "needed") : "-",
      row.include !== null
        ? `only ${row.include.length}`
        : row.exclude.length > 0
          ? `all but ${row.exclude.length}`
          : "all",
    ]),
  );
  return 0;
}
