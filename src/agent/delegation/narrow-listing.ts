import type { ToolDefinition } from "#conversation";
import { type Listing, sanitizeParameters, type Tool } from "#tools";

/** A listing with fewer tools; texts that speak of other tools are written anew for those that are left. */
export function narrowListing(listing: Listing, isKept: (tool: Tool) => boolean): Listing {
  const kept = [...listing.tools.values()].filter(isKept);
  const visible = new Set(kept.map((tool) => tool.name));
  const definitions = new Map(listing.definitions.map((definition) => [definition.name, definition]));
  const shown = kept.flatMap((tool) => {
    const definition = definitionFor(tool, definitions.get(tool.name), visible);
    return definition === undefined ? [] : [{ tool, definition }];
  });
  return {
    definitions: shown.map((one) => one.definition),
    tools: new Map(shown.map((one) => [one.tool.name, one.tool])),
    names: new Set(shown.map((one) => one.tool.name)),
    unavailable: [],
    unknownToolsets: [],
  };
}

function definitionFor(
  tool: Tool,
  shown: ToolDefinition | undefined,
  visible: ReadonlySet<string>,
): ToolDefinition | undefined {
  if (tool.patchDefinition === undefined) return shown;
  const plain = { name: tool.name, description: tool.description, parameters: tool.parameters };
  const patched = tool.patchDefinition(plain, visible);
  return patched === undefined ? undefined : { ...patched, parameters: sanitizeParameters(patched.parameters) };
}
