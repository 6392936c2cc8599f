import { createHash } from "node:crypto";

const maxNameLength = 64;

/** `mcp_<server>_<tool>`, with every other character as `_`, never longer than a tool name may be. */
export function mcpToolName(server: string, tool: string): string {
  const name = `mcp_${plain(server)}_${plain(tool)}`;
  if (name.length <= maxNameLength) return name;
  const hash = createHash("sha256").update(`${server}\0${tool}`).digest("hex").slice(0, 8);
  return `${name.slice(0, 55)}_${hash}`;
}

export function mcpToolset(server: string): string {
  return `mcp-${server}`;
}

/** The server whose toolset this is. */
export function serverOfToolset(toolset: string): string {
  return toolset.slice(mcpToolset("").length);
}

/** A name of its own for each tool of one server. Those that would read the same are left out: neither may answer for the other. */
export function distinctNames(
  server: string,
  tools: readonly string[],
  taken: readonly string[] = [],
): ReadonlyMap<string, string> {
  const all = [...tools.map((tool) => mcpToolName(server, tool)), ...taken];
  const counts = new Map<string, number>();
  for (const name of all) counts.set(name.toLowerCase(), (counts.get(name.toLowerCase()) ?? 0) + 1);
  const named = tools.map((tool) => [tool, mcpToolName(server, tool)] as const);
  return new Map(named.filter(([, name]) => counts.get(name.toLowerCase()) === 1));
}

function plain(part: string): string {
  return part.replace(/[^A-Za-z0-9_]/g, "_");
}
