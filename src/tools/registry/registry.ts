import type { JsonSchema } from "#conversation";
import type { Logger } from "#foundation/files/logger";
import type { Tool, ToolOrigin } from "../contract/tool.ts";

const tier: Readonly<Record<ToolOrigin, number>> = { builtin: 2, plugin: 1, mcp: 0 };
const namePattern = /^[a-zA-Z0-9_-]{1,64}$/;

export type Registration = { readonly kind: "registered" } & Disposable;
export type Refusal = { readonly kind: "refused"; readonly reason: string } & Disposable;

export interface RegisterOptions {
  /** Names this registrant may take from a higher tier (`overrides_tools` of a plugin manifest). */
  readonly overrides?: readonly string[];
}

/**
 * All tools by name. Readers get a snapshot, so a change during a listing cannot tear it.
 *
 * 1. A name belongs to one tool. Of equals the later wins, with a warning when it changes toolset.
 * 2. A lower tier never takes a name from a higher one, unless it was allowed to by name; nor one MCP server from another.
 * 3. Disposing a registration removes the tool only while that registration still holds the name.
 */
export class ToolRegistry {
  #tools: ReadonlyMap<string, Tool> = new Map();
  #aliases: ReadonlyMap<string, string> = new Map();
  readonly #schemas = new WeakMap<object, JsonSchema>();
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  register(tool: Tool, options: RegisterOptions = {}): Registration | Refusal {
    const refusal = this.#refuses(tool, options);
    if (refusal !== undefined) {
      this.#logger.error("tool refused", { tool: tool.name, reason: refusal });
      return { kind: "refused", reason: refusal, [Symbol.dispose]: () => undefined };
    }
    const held = this.#tools.get(tool.name);
    if (held !== undefined && held.toolset !== tool.toolset) {
      this.#logger.warn("tool replaced by another toolset", { tool: tool.name, was: held.toolset, now: tool.toolset });
    }
    this.#tools = new Map(this.#tools).set(tool.name, tool);
    return { kind: "registered", [Symbol.dispose]: () => this.#remove(tool) };
  }

  /** Another name for a toolset, for example an MCP server's own name for `mcp-<server>`. */
  aliasToolset(alias: string, toolset: string): Disposable {
    const held = this.#aliases.get(alias);
    if (held !== undefined && held !== toolset) {
      this.#logger.warn("toolset alias now points elsewhere", { alias, was: held, now: toolset });
    }
    this.#aliases = new Map(this.#aliases).set(alias, toolset);
    return {
      [Symbol.dispose]: () => {
        if (this.#aliases.get(alias) !== toolset) return;
        const rest = new Map(this.#aliases);
        rest.delete(alias);
        this.#aliases = rest;
      },
    };
  }

  /** What is registered now; later changes do not show in it. */
  snapshot(): RegistrySnapshot {
    return { tools: this.#tools, aliases: this.#aliases, schemas: this.#schemas };
  }

  #refuses(tool: Tool, options: RegisterOptions): string | undefined {
    if (!namePattern.test(tool.name)) return `"${tool.name}" is not a tool name (letters, digits, _ and -, at most 64)`;
    const held = this.#tools.get(tool.name);
    if (held === undefined || options.overrides?.includes(tool.name) === true) return undefined;
    // Two servers may spell the same name; what was allowed under it must not become something else.
    if (isMcp(held) && isMcp(tool) && held.toolset !== tool.toolset)
      return `the name belongs to a tool of another server, "${held.toolset}"`;
    if (tier[tool.origin ?? "builtin"] >= tier[held.origin ?? "builtin"]) return undefined;
    return `the name belongs to a ${held.origin ?? "builtin"} tool of toolset "${held.toolset}"`;
  }

  #remove(tool: Tool): void {
    if (this.#tools.get(tool.name) !== tool) return;
    const rest = new Map(this.#tools);
    rest.delete(tool.name);
    this.#tools = rest;
    if ([...rest.values()].some((other) => other.toolset === tool.toolset)) return;
    this.#aliases = new Map([...this.#aliases].filter(([, toolset]) => toolset !== tool.toolset));
  }
}

export interface RegistrySnapshot {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly aliases: ReadonlyMap<string, string>;
  /** Parameters as strict backends accept them, made once for all sessions. */
  readonly schemas: WeakMap<object, JsonSchema>;
}

/** Tool names of each registered toolset, sorted. */
export function registeredToolsets(snapshot: RegistrySnapshot): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const tool of snapshot.tools.values()) {
    const list = groups.get(tool.toolset) ?? [];
    list.push(tool.name);
    groups.set(tool.toolset, list);
  }
  for (const list of groups.values()) list.sort();
  return groups;
}

function isMcp(tool: Tool): boolean {
  return tool.origin === "mcp";
}
