import { type RegistrySnapshot, registeredToolsets } from "./registry.ts";
import {
  compositeToolsets,
  leafToolsets,
  legacyToolsets,
  presetToolsets,
  type ToolsetEntry,
} from "./toolset-catalogue.ts";

/** `custom_toolsets` of the configuration: names of toolsets or tools. */
export type CustomToolsets = Readonly<Record<string, readonly string[]>>;

/** Every toolset there is: built in, the user's own, and what plugins and MCP servers registered. */
export class Toolsets {
  readonly #static: ReadonlyMap<string, ToolsetEntry>;
  readonly #registered: ReadonlyMap<string, readonly string[]>;
  readonly #aliases: ReadonlyMap<string, string>;
  readonly #toolNames: ReadonlySet<string>;
  /** Built-in first. */
  readonly #names: ReadonlySet<string>;
  /** Custom names that hide a built-in one; worth a warning where the configuration is checked. */
  readonly shadowed: readonly string[];

  constructor(snapshot: RegistrySnapshot, custom: CustomToolsets = {}) {
    const builtin = { ...leafToolsets, ...compositeToolsets, ...presetToolsets };
    const entries = new Map<string, ToolsetEntry>(Object.entries(builtin));
    this.#registered = registeredToolsets(snapshot);
    this.#aliases = snapshot.aliases;
    this.#toolNames = new Set(snapshot.tools.keys());
    this.shadowed = Object.keys(custom).filter((name) => entries.has(name));
    for (const [name, members] of Object.entries(custom)) {
      entries.set(name, { description: "Your own toolset", tools: [], includes: members });
    }
    this.#static = entries;
    this.#names = new Set([...entries.keys(), ...this.#registered.keys()]);
  }

  /** The tool names of a toolset, sorted; cycles are cut, unknown names give none. */
  resolve(name: string): readonly string[] {
    const tools = new Set<string>();
    this.#collect(name, tools, new Set());
    return [...tools].sort();
  }

  isKnown(name: string): boolean {
    return name === "all" || name === "*" || this.#names.has(name) || this.#aliases.has(name) || name in legacyToolsets;
  }

  /** Names of all toolsets, built-in first. */
  names(): readonly string[] {
    return [...this.#names];
  }

  describe(name: string): string {
    return this.#static.get(name)?.description ?? "";
  }

  #collect(name: string, tools: Set<string>, visited: Set<string>): void {
    if (visited.has(name)) return;
    visited.add(name);
    if (name === "all" || name === "*") {
      for (const one of this.#names) this.#collect(one, tools, visited);
      return;
    }
    const entry = this.#static.get(name);
    if (entry !== undefined) {
      for (const tool of entry.tools) tools.add(tool);
      for (const member of entry.includes ?? []) this.#collectMember(member, tools, visited);
      return;
    }
    const members = legacyToolsets[name] ?? this.#registered.get(this.#aliases.get(name) ?? name) ?? [];
    for (const tool of members) tools.add(tool);
  }

  /** A member may be a toolset or, in a user's own toolset, a single tool. */
  #collectMember(member: string, tools: Set<string>, visited: Set<string>): void {
    if (!this.isKnown(member) && this.#toolNames.has(member)) tools.add(member);
    else this.#collect(member, tools, visited);
  }
}
