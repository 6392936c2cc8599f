import type { ToolDefinition } from "#conversation";
import { type Listing, type SessionScope, sanitizeParameters, type Tool } from "#tools";

/** A listing with fewer tools; texts that speak of other tools are written anew for those that are left. */
export function narrowListing(listing: Listing, isKept: (tool: Tool) => boolean): Listing {
  const kept = [...listing.tools.values()].filter(isKept);
  const visible = new Set(kept.map((tool) => tool.name));
  const definitions = new Map(listing.definitions.map((definition) => [definition.name, definition]));
  const shown = kept.flatMap((tool) => {
    const definition =
      tool.patchDefinition === undefined ? definitions.get(tool.name) : patched(tool, visible, listing.scope);
    return definition === undefined ? [] : [{ tool, definition }];
  });
  return {
    scope: listing.scope,
    definitions: shown.map((one) => one.definition),
    tools: new Map(shown.map((one) => [one.tool.name, one.tool])),
    names: new Set(shown.map((one) => one.tool.name)),
    unavailable: [],
    unknownToolsets: [],
  };
}

function patched(tool: Tool, visible: ReadonlySet<string>, scope: SessionScope): ToolDefinition | undefined {
  const plain = { name: tool.name, description: tool.description, parameters: tool.parameters };
  const written = tool.patchDefinition?.(plain, visible, scope);
  return written === undefined ? undefined : { ...written, parameters: sanitizeParameters(written.parameters) };
}
