import type { JsonSchema } from "#conversation";
import type { Logger } from "#foundation/files/logger";
import { canonicalJson } from "#foundation/text/json";
import type { ToolFilter } from "../../contract/mcp-settings.ts";
import type { SessionScope } from "../../contract/session-scope.ts";
import type { Tool } from "../../contract/tool.ts";
import { distinctNames, mcpToolset } from "../../registry/mcp-names.ts";
import type { ToolRegistry } from "../../registry/registry.ts";
import { confirmChange } from "../consent.ts";
import type { McpToolDefinition } from "../definition.ts";
import type { McpDeps } from "../deps.ts";
import type { McpServer } from "../server.ts";
import { readDescription } from "./descriptions.ts";
import type { PinChange, PinStore } from "./pins.ts";
import { readInputSchema } from "./schema.ts";
import { adaptTool } from "./tool-adapter.ts";
import { utilityTools } from "./utility-tools.ts";

export interface ServerToolsOptions {
  readonly deps: McpDeps;
  readonly registry: ToolRegistry;
  readonly pins: PinStore;
}

interface Held {
  /** What the registration was made from; the same print means it is left alone. */
  readonly print: string;
  readonly registration: Disposable;
}

/**
 * What one server has in the registry. A sync compares and changes only what differs; a tool whose
 * definition is not the pinned one is taken out until somebody accepts it.
 */
export class ServerTools implements Disposable {
  readonly #server: McpServer;
  readonly #options: ServerToolsOptions;
  readonly #logger: Logger;
  #held = new Map<string, Held>();
  #alias: Disposable | undefined;
  #pending = new Map<string, PinChange>();
  readonly #asked = new Set<string>();
  /** Changes about which nobody could be asked yet. */
  readonly #unheard = new Set<string>();

  constructor(server: McpServer, options: ServerToolsOptions) {
    this.#server = server;
    this.#options = options;
    this.#logger = options.deps.logger;
  }

  get pending(): readonly PinChange[] {
    return [...this.#pending.values()];
  }

  get hasUnheard(): boolean {
    return this.#unheard.size > 0;
  }

  /** Brings the registry up to date; names what was added or removed. */
  async sync(scope: SessionScope, signal: AbortSignal): Promise<readonly string[]> {
    if (!this.#server.isConnected) return [];
    const { settings, catalogue } = this.#server;
    const allowed = catalogue.tools.filter((tool) => isAllowed(settings.filter, tool.name));
    await this.#checkPins(allowed, scope, signal);
    const usable = allowed.filter((tool) => !this.#pending.has(tool.name));
    const wanted = new Map<string, { readonly print: string; readonly tool: Tool }>();
    const utilities = this.#utilities();
    const taken = utilities.map(({ tool }) => tool.name);
    for (const one of [...this.#adapt(usable, taken), ...utilities]) wanted.set(one.tool.name, one);
    return this.#apply(wanted);
  }

  async confirm(tool: string): Promise<boolean> {
    const change = this.#pending.get(tool);
    const definition = this.#server.catalogue.tools.find((one) => one.name === tool);
    if (change === undefined || definition === undefined) return false;
    await this.#options.pins.confirm(this.#server.settings.name, definition, change.renamedFrom);
    this.#pending.delete(tool);
    return true;
  }

  [Symbol.dispose](): void {
    for (const { registration } of this.#held.values()) registration[Symbol.dispose]();
    this.#held.clear();
    this.#alias?.[Symbol.dispose]();
    this.#alias = undefined;
  }

  async #checkPins(tools: readonly McpToolDefinition[], scope: SessionScope, signal: AbortSignal): Promise<void> {
    const { name, trust } = this.#server.settings;
    if (trust === "trusted") return;
    const changes = await this.#options.pins.check(name, tools);
    this.#pending = new Map(changes.map((change) => [change.tool, change]));
    for (const change of changes) {
      if (this.#asked.has(change.diff)) continue;
      if (!this.#unheard.has(change.diff))
        this.#logger.warn("a tool of an MCP server changed and is off until confirmed", {
          server: name,
          tool: change.tool,
        });
      const consent = await confirmChange(change, scope, signal);
      if (consent === "nobody") {
        this.#unheard.add(change.diff);
        continue;
      }
      this.#unheard.delete(change.diff);
      this.#asked.add(change.diff);
      if (consent === "yes") await this.confirm(change.tool);
    }
  }

  #adapt(
    tools: readonly McpToolDefinition[],
    taken: readonly string[],
  ): readonly { readonly print: string; readonly tool: Tool }[] {
    const { name: server, trust } = this.#server.settings;
    const names = distinctNames(
      server,
      tools.map((tool) => tool.name),
      taken,
    );
    return tools.flatMap((definition) => {
      const name = names.get(definition.name);
      const schema = readInputSchema(definition.inputSchema);
      if (name === undefined || schema.kind === "unusable") {
        const reason = schema.kind === "unusable" ? schema.reason : "another tool of the server reads the same";
        this.#logger.warn("a tool of an MCP server was left out", { server, tool: definition.name, reason });
        return [];
      }
      const described = readDescription(definition.description, {
        server,
        name: definition.name,
        isTrusted: trust === "trusted",
      });
      if (described.findings.length > 0) {
        this.#logger.warn("the description of an MCP tool is suspicious", {
          server,
          tool: definition.name,
          findings: described.findings,
        });
      }
      const adapted = { name, description: described.text, parameters: schema.schema, definition };
      return [
        {
          print: printOf(name, described.text, [schema.schema, definition]),
          tool: adaptTool(this.#server, adapted, this.#options.deps),
        },
      ];
    });
  }

  #utilities(): readonly { readonly print: string; readonly tool: Tool }[] {
    return utilityTools(this.#server).map((tool) => ({
      print: printOf(tool.name, tool.description, [tool.parameters, undefined]),
      tool,
    }));
  }

  #apply(wanted: ReadonlyMap<string, { readonly print: string; readonly tool: Tool }>): readonly string[] {
    const { registry } = this.#options;
    const { name: server } = this.#server.settings;
    const removed = [...this.#held].filter(([name, held]) => wanted.get(name)?.print !== held.print);
    for (const [name, held] of removed) {
      held.registration[Symbol.dispose]();
      this.#held.delete(name);
    }
    const added: string[] = [];
    for (const [name, { print, tool }] of wanted) {
      if (this.#held.has(name)) continue;
      const registration = registry.register(tool);
      if (registration.kind === "refused") continue;
      this.#held.set(name, { print, registration });
      added.push(name);
    }
    if (this.#held.size > 0) this.#alias = registry.aliasToolset(server, mcpToolset(server));
    const gone = removed.map(([name]) => name).filter((name) => !added.includes(name));
    // Each change breaks the prompt prefix once; whoever wonders why finds it here.
    if (added.length + gone.length > 0)
      this.#logger.info("tools of an MCP server changed", { server, added, removed: gone });
    return [...added, ...gone];
  }
}

function isAllowed(filter: ToolFilter, name: string): boolean {
  return filter.include === undefined ? !filter.exclude.includes(name) : filter.include.includes(name);
}

function printOf(
  name: string,
  description: string,
  [schema, definition]: readonly [JsonSchema, McpToolDefinition | undefined],
): string {
  return canonicalJson([name, description, schema, definition ?? null]);
}
