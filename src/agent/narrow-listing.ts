import type { ToolDefinition } from "#conversation";
import { type Listing, type SessionScope, sanitizeParameters, type Tool } from "#tools";

/** A listing with fewer tools. What is found on demand stays so while there is a tool to find it with; texts that speak of other tools are written anew for those that are left. */
export function narrowListing(listing: Listing, isKept: (tool: Tool) => boolean): Listing {
  const kept = [...listing.tools.values()].filter(isKept);
  const visible = new Set(kept.map((tool) => tool.name));
  const definitions = new Map(listing.definitions.map((definition) => [definition.name, definition]));
  const canSearch = kept.some((tool) => tool.forwards !== undefined);
  const isFound = (tool: Tool): boolean => canSearch && !definitions.has(tool.name);
  const shown = kept.flatMap((tool) => {
    if (isFound(tool)) return [];
    const isPlain = tool.patchDefinition === undefined && definitions.has(tool.name);
    const definition = isPlain ? definitions.get(tool.name) : patched(tool, visible, listing.scope);
    return definition === undefined ? [] : [{ tool, definition }];
  });
  const tools = kept.filter((tool) => isFound(tool) || shown.some((one) => one.tool === tool));
  return {
    scope: listing.scope,
    definitions: shown.map((one) => one.definition),
    tools: new Map(tools.map((tool) => [tool.name, tool])),
    names: new Set(tools.map((tool) => tool.name)),
    unavailable: [],
    unknownToolsets: [],
  };
}

function patched(tool: Tool, visible: ReadonlySet<string>, scope: SessionScope): ToolDefinition | undefined {
  const plain = { name: tool.name, description: tool.description, parameters: tool.parameters };
  const written = tool.patchDefinition === undefined ? plain : tool.patchDefinition(plain, visible, scope);
  return written === undefined ? undefined : { ...written, parameters: sanitizeParameters(written.parameters) };
}
