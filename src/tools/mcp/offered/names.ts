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

/**
 * A name of its own for each tool of one server, in the order given. Two that would read the same get
 * a number, so that neither silently answers for the other.
 */
export function distinctNames(server: string, tools: readonly string[]): ReadonlyMap<string, string> {
  const taken = new Set<string>();
  const names = new Map<string, string>();
  for (const tool of tools) {
    if (names.has(tool)) continue;
    const wanted = mcpToolName(server, tool);
    let name = wanted;
    for (let number = 2; taken.has(name); number += 1) {
      const suffix = `_${number}`;
      name = `${wanted.slice(0, maxNameLength - suffix.length)}${suffix}`;
    }
    taken.add(name);
    names.set(tool, name);
  }
  return names;
}

function plain(part: string): string {
  return part.replace(/[^A-Za-z0-9_]/g, "_");
}
