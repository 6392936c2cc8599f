import type { ToolDefinition } from "#conversation";
import type { Listing } from "#tools";
import type { ToolsetInfo } from "../api.ts";

export interface McpServerState {
  readonly name: string;
  /** In words, with the reason where it is not connected. */
  readonly state: string;
  readonly tools: number;
}

export interface ToolService {
  /** The groups of tools the model has now. */
  describe(): readonly ToolsetInfo[];
  /** What the model is shown of them. */
  definitions(): readonly ToolDefinition[];
  /** Whether there is nothing to let in before the next turn. */
  readonly isCurrent: boolean;
  /** Between two turns: lets changed tools in; says what came and went. */
  refresh(signal: AbortSignal): Promise<string | undefined>;
  /** Takes effect by a new session; a message for the person. */
  setEnabled(names: readonly string[], isEnabled: boolean): Promise<string>;
  mcpServers(): readonly McpServerState[];
  /** Connects to the MCP servers again; a message for the person. */
  reloadMcp(signal: AbortSignal): Promise<string>;
}

export interface ToolServiceDeps extends Pick<ToolService, "setEnabled" | "mcpServers" | "reloadMcp"> {
  /** What the model of this session is shown; it changes between turns only. */
  readonly shown: {
    readonly listing: Listing;
    readonly isCurrent: boolean;
    refresh(signal: AbortSignal): Promise<boolean>;
  };
}

export function toolService({ shown, setEnabled, mcpServers, reloadMcp }: ToolServiceDeps): ToolService {
  return {
    setEnabled,
    mcpServers,
    reloadMcp,
    describe: () => toolsetsOf(shown.listing),
    definitions: () => shown.listing.definitions,
    get isCurrent() {
      return shown.isCurrent;
    },
    async refresh(signal) {
      const before = shown.listing.names;
      if (!(await shown.refresh(signal))) return undefined;
      const now = shown.listing.names;
      const came = [...now].filter((name) => !before.has(name));
      const went = [...before].filter((name) => !now.has(name));
      return changeWords(came, went);
    },
  };
}

/** So many names fit into the one line that is said about it. */
const mostNamed = 3;

function changeWords(came: readonly string[], went: readonly string[]): string | undefined {
  const changes = [...namesOrCount(came, "new"), ...namesOrCount(went, "gone")];
  return changes.length === 0 ? undefined : `Tools changed: ${changes.join("; ")}. /tools lists them.`;
}

function namesOrCount(names: readonly string[], what: string): readonly string[] {
  if (names.length === 0) return [];
  return [names.length > mostNamed ? `${names.length} ${what}` : `${what}: ${names.join(", ")}`];
}

function toolsetsOf(listing: Listing): readonly ToolsetInfo[] {
  const tools = [...listing.tools.values()];
  const names = [...new Set(tools.map((tool) => tool.toolset))].sort();
  const known = names.map((name) => ({
    name,
    tools: tools.filter((tool) => tool.toolset === name).map((tool) => tool.name),
    unavailable: [],
  }));
  if (listing.unavailable.length === 0) return known;
  return [...known, { name: "unavailable", tools: [], unavailable: listing.unavailable }];
}
