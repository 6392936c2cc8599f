import type { JsonSchema, ToolDefinition } from "#conversation";
import type { SessionScope } from "../contract/session-scope.ts";
import type { Tool } from "../contract/tool.ts";
import type { AvailabilityProbes } from "./availability.ts";
import type { RegistrySnapshot } from "./registry.ts";
import { sanitizeParameters } from "./schema-sanitize.ts";
import type { Toolsets } from "./toolsets.ts";

export interface ListingOptions {
  /** Given, even empty: only these. */
  readonly enabledToolsets?: readonly string[];
  /** Taken away, from the enabled ones or from all. */
  readonly disabledToolsets?: readonly string[];
  /** Single tools taken away at the very end (`disabled_tools.<surface>`). */
  readonly disabledTools?: readonly string[];
}

/** The tools of one session: what the model is shown, sorted by name, and what answers its calls. */
export interface Listing {
  /** Whose tools these are. */
  readonly scope: SessionScope;
  readonly definitions: readonly ToolDefinition[];
  /** Those without a definition are found on demand. */
  readonly tools: ReadonlyMap<string, Tool>;
  readonly names: ReadonlySet<string>;
  /** Asked for but not usable here, with the reason. */
  readonly unavailable: readonly { readonly name: string; readonly reason: string }[];
  readonly unknownToolsets: readonly string[];
}

export interface ListingSource {
  /** Whose tools these are. */
  readonly scope: SessionScope;
  readonly snapshot: RegistrySnapshot;
  readonly toolsets: Toolsets;
  readonly probes: AvailabilityProbes;
}

export async function listTools(source: ListingSource, options: ListingOptions, signal: AbortSignal): Promise<Listing> {
  const asked = [...(options.enabledToolsets ?? []), ...(options.disabledToolsets ?? [])];
  const wanted = wantedNames(source.toolsets, options);
  const tools = [...wanted].flatMap((name) => source.snapshot.tools.get(name) ?? []);
  const answers = await source.probes.check(tools, source.scope, signal);
  const usable = tools.filter((tool) => answers.get(tool.name) === true).sort(byName);
  const visible = new Set(usable.map((tool) => tool.name));
  const shown = usable.flatMap((tool) => {
    const definition = definitionOf(tool, visible, source);
    return definition === undefined ? [] : [{ tool, definition }];
  });
  return {
    scope: source.scope,
    definitions: shown.map((one) => one.definition),
    tools: new Map(shown.map((one) => [one.tool.name, one.tool])),
    names: new Set(shown.map((one) => one.tool.name)),
    unavailable: tools.flatMap((tool) => {
      const answer = answers.get(tool.name);
      return answer === undefined || answer === true ? [] : [{ name: tool.name, reason: answer.reason }];
    }),
    unknownToolsets: [...new Set(asked.filter((name) => !source.toolsets.isKnown(name)))],
  };
}

function wantedNames(toolsets: Toolsets, options: ListingOptions): ReadonlySet<string> {
  const enabled = options.enabledToolsets ?? ["all"];
  const names = new Set(enabled.flatMap((name) => toolsets.resolve(name)));
  for (const toolset of options.disabledToolsets ?? [])
    for (const name of toolsets.resolve(toolset)) names.delete(name);
  for (const name of options.disabledTools ?? []) names.delete(name);
  return names;
}

/** The same listing with tools that are in no registry, such as those of a memory provider. What is there already stays. */
export function extendListing(listing: Listing, more: readonly Tool[]): Listing {
  const added = more.filter((tool) => !listing.names.has(tool.name));
  if (added.length === 0) return listing;
  const tools = [...listing.tools.values(), ...added].sort(byName);
  const names = new Set(tools.map((tool) => tool.name));
  const known = new Map(listing.definitions.map((definition) => [definition.name, definition]));
  const isNew = new Set(added);
  return {
    ...listing,
    tools: new Map(tools.map((tool) => [tool.name, tool])),
    names,
    definitions: tools.flatMap(
      (tool) => known.get(tool.name) ?? (isNew.has(tool) ? definitionOf(tool, names, listing) : undefined) ?? [],
    ),
  };
}

function definitionOf(
  tool: Tool,
  visible: ReadonlySet<string>,
  { scope, snapshot }: { readonly scope: SessionScope; readonly snapshot?: RegistrySnapshot },
): ToolDefinition | undefined {
  const plain: ToolDefinition = { name: tool.name, description: tool.description, parameters: tool.parameters };
  const patched = tool.patchDefinition === undefined ? plain : tool.patchDefinition(plain, visible, scope);
  if (patched === undefined) return undefined;
  const { description, parameters } = patched;
  return { name: tool.name, description, parameters: sanitized(parameters, snapshot?.schemas) };
}

function sanitized(parameters: JsonSchema, known: WeakMap<object, JsonSchema> = new WeakMap()): JsonSchema {
  const schema = known.get(parameters) ?? sanitizeParameters(parameters);
  known.set(parameters, schema);
  return schema;
}

function byName(left: Tool, right: Tool): number {
  return left.name < right.name ? -1 : left.name > right.name ? 1 : 0;
}
