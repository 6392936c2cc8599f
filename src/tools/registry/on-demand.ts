import type { JsonSchema, ToolDefinition } from "#conversation";
import { isRecord } from "#foundation/text/json";
import { defineTool } from "../contract/define-tool.ts";
import { result } from "../contract/result.ts";
import type { Tool } from "../contract/tool.ts";
import { extendListing, type Listing } from "./listing.ts";

/** `tool_search` of the settings. */
export interface OnDemandSettings {
  readonly mode: "auto" | "on" | "off";
  /** `auto`: from this many tokens of schemas on. */
  readonly threshold_tokens: number;
}

const shownAtOnce = 8;
const charactersPerToken = 4;

/**
 * The listing with the schemas of MCP servers and plugins left out: the model finds them with `tool_search` and calls them through
 * `tool_call`. What it is shown stays the same, byte for byte, whatever it finds and whatever a server adds.
 */
export function onDemand(listing: Listing, { mode, threshold_tokens }: OnDemandSettings): Listing {
  if (mode === "off") return listing;
  const isForeign = ({ name }: ToolDefinition): boolean => {
    const origin = listing.tools.get(name)?.origin;
    return origin === "mcp" || origin === "plugin";
  };
  const foreign = listing.definitions.filter(isForeign);
  const tokens = foreign.reduce((sum, one) => sum + JSON.stringify(one).length, 0) / charactersPerToken;
  if (foreign.length === 0 || (mode === "auto" && tokens < threshold_tokens)) return listing;
  const toolsets = [...new Set(foreign.map(({ name }) => listing.tools.get(name)?.toolset ?? ""))].sort();
  const shown = { ...listing, definitions: listing.definitions.filter((one) => !isForeign(one)) };
  return extendListing(shown, [searchTool(foreign, toolsets), callTool]);
}

function searchTool(definitions: readonly ToolDefinition[], toolsets: readonly string[]): Tool {
  return defineTool({
    name: "tool_search",
    toolset: "tool_search",
    emoji: "🔎",
    effects: "none",
    concurrency: "safe",
    isHousekeeping: true,
    description:
      `Finds further tools, with their parameters, from: ${toolsets.join(", ")}. Search by what you want to do, or by an exact name; then use ` +
      "tool_call. Search before you say that something cannot be done.",
    parameters: {
      type: "object",
      properties: {
        query: { type: "string", description: "Words, or names of tools" },
        limit: { type: "integer", description: `Usually ${shownAtOnce}` },
      },
      required: ["query"],
    },
    run: async ({ query, limit }, { enabledTools }) => {
      const usable = definitions.filter(({ name }) => enabledTools.has(name));
      const found = bestOf(usable, query).slice(0, Math.max(1, limit ?? shownAtOnce));
      const others = found.length === 0 ? usable.map(({ name }) => name) : undefined;
      return result({ tools: found, ...(others === undefined ? {} : { nothing_found_among: others.slice(0, 100) }) });
    },
  });
}

const callTool: Tool = {
  ...defineTool({
    name: "tool_call",
    toolset: "tool_search",
    emoji: "🧩",
    effects: "elsewhere",
    description: "Calls a tool that tool_search found.",
    parameters: {
      type: "object",
      properties: {
        name: { type: "string", description: "As tool_search gave it" },
        arguments: { type: "object", description: "As its parameters say" },
      },
      required: ["name"],
    },
    run: async () => result({ error: "Name the tool to call." }, { isError: true }),
  }),
  forwards: ({ name, arguments: args }) =>
    typeof name === "string" ? { tool: name, args: isRecord(args) ? args : {} } : undefined,
};

/** Those that share words with the query, the closest first; a name counts for more than a description. */
function bestOf(definitions: readonly ToolDefinition[], query: string): readonly ToolDefinition[] {
  const words = wordsIn(query);
  return definitions
    .map((definition) => ({ definition, score: scoreOf(definition, { query, words }) }))
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score)
    .map(({ definition }) => definition);
}

interface Query {
  readonly query: string;
  readonly words: readonly string[];
}

function scoreOf({ name, description, parameters }: ToolDefinition, { query, words }: Query): number {
  if (query.includes(name)) return 1_000;
  const inName = new Set(wordsIn(name));
  const inText = new Set([...wordsIn(description), ...fieldsOf(parameters).flatMap(wordsIn)]);
  const score = (word: string): number => (hasWord(inName, word) ? 4 : 0) + (hasWord(inText, word) ? 1 : 0);
  return words.reduce((sum, word) => sum + score(word), 0);
}

/** `issue` finds `issues`. */
function hasWord(words: ReadonlySet<string>, word: string): boolean {
  return words.has(word) || [...words].some((one) => word.length > 3 && (one.startsWith(word) || word.startsWith(one)));
}

function wordsIn(text: string): readonly string[] {
  return (
    text
      .replace(/([a-z])([A-Z])/g, "$1 $2")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  ).filter((word) => word.length > 1);
}

function fieldsOf(parameters: JsonSchema): readonly string[] {
  return isRecord(parameters["properties"]) ? Object.keys(parameters["properties"]) : [];
}
