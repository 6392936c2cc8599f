import { defined } from "#foundation/defined";
import { nearest } from "#foundation/text/text";
import type { PluginCommand } from "../plugin-command.ts";
import type { QuickCommandSetting } from "../settings.ts";
import type { CommandSurface, SlashCommand } from "./command.ts";

/** Everything a line starting with a slash can mean, at this moment and on this surface. */
export interface CommandCatalog {
  readonly builtins: readonly SlashCommand[];
  readonly quick: Readonly<Record<string, QuickCommandSetting>>;
  readonly plugins: readonly PluginCommand[];
  readonly skills: readonly { readonly slug: string; readonly description: string }[];
  readonly surface: CommandSurface;
  /** Settings that open gated commands in chats. */
  readonly openGates: ReadonlySet<string>;
}

export function isAvailable(command: SlashCommand, catalog: Pick<CommandCatalog, "surface" | "openGates">): boolean {
  if (catalog.surface === "cli") return command.gatewayOnly !== true;
  if (command.gatewayConfigGate !== undefined) return catalog.openGates.has(command.gatewayConfigGate);
  return command.cliOnly !== true;
}

export function namesOf(command: SlashCommand): readonly string[] {
  return [command.name, ...(command.aliases ?? [])];
}

/** What a typed line is. Finding out has no effects, so completion, help and dispatch cannot disagree. */
export type ResolvedLine =
  /** Words for the model. */
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "builtin"; readonly def: SlashCommand; readonly args: string }
  | { readonly kind: "quick"; readonly name: string; readonly def: QuickCommandSetting; readonly args: string }
  | { readonly kind: "plugin"; readonly def: PluginCommand; readonly args: string }
  | { readonly kind: "skill"; readonly slug: string; readonly args: string }
  | { readonly kind: "ambiguous"; readonly name: string; readonly candidates: readonly string[] }
  /** Exists, but not on this surface. */
  | { readonly kind: "unavailable"; readonly name: string }
  | { readonly kind: "unknown"; readonly name: string; readonly suggestion?: string };

const maxNameLength = 64;

/**
 * Order: built-in by name or alias, quick command, plugin command, skill, then the beginning of a built-in's or
 * a skill's name. Case does not count in names and is kept in arguments. A first word with another slash
 * in it is a path, and so the line is text.
 */
export function resolveCommand(line: string, catalog: CommandCatalog): ResolvedLine {
  const split = splitCommand(line);
  if (split === undefined) return { kind: "text", text: line };
  const { name, args } = split;
  const builtin = catalog.builtins.find((command) => namesOf(command).includes(name));
  if (builtin !== undefined && isAvailable(builtin, catalog)) return { kind: "builtin", def: builtin, args };
  const own = ownCommand(name, args, catalog);
  if (own !== undefined) return own;
  if (builtin !== undefined) return { kind: "unavailable", name: builtin.name };
  return byPrefix(name, args, catalog);
}

/** The name in lower case and what follows it; undefined for text and paths. */
export function splitCommand(line: string): { readonly name: string; readonly args: string } | undefined {
  const match = /^\s*\/([^\s/]*)(?:\s+([\s\S]*))?$/.exec(line);
  if (match === null || (match[1] ?? "").length > maxNameLength) return undefined;
  return { name: (match[1] ?? "").toLowerCase(), args: (match[2] ?? "").trim() };
}

function ownCommand(name: string, args: string, catalog: CommandCatalog): ResolvedLine | undefined {
  const quick = Object.entries(catalog.quick).find(([key]) => key.toLowerCase() === name);
  if (quick !== undefined) return { kind: "quick", name: quick[0], def: quick[1], args };
  const plugin = catalog.plugins.find((command) => command.name.toLowerCase() === name);
  if (plugin !== undefined) return { kind: "plugin", def: plugin, args };
  const slug = name.replaceAll("_", "-");
  const skill = catalog.skills.find((one) => one.slug === slug);
  return skill === undefined ? undefined : { kind: "skill", slug: skill.slug, args };
}

interface Candidate {
  readonly name: string;
  /** The same for all names of one command. */
  readonly owner: string;
  resolve(args: string): ResolvedLine;
}

function byPrefix(name: string, args: string, catalog: CommandCatalog): ResolvedLine {
  const all = candidates(catalog);
  const matches = name === "" ? [] : all.filter((one) => one.name.startsWith(name));
  const [first] = matches;
  if (first === undefined) {
    const suggestion = nearest(
      name,
      all.map((one) => one.name),
    );
    return { kind: "unknown", name, ...defined({ suggestion }) };
  }
  if (ownersOf(matches) === 1) return first.resolve(args);
  const shortest = Math.min(...matches.map((one) => one.name.length));
  const best = matches.filter((one) => one.name.length === shortest);
  const [only] = best;
  if (only !== undefined && ownersOf(best) === 1) return only.resolve(args);
  return { kind: "ambiguous", name, candidates: matches.map((one) => one.name).sort() };
}

function candidates(catalog: CommandCatalog): readonly Candidate[] {
  const builtins = catalog.builtins
    .filter((command) => isAvailable(command, catalog))
    .flatMap((def) =>
      namesOf(def).map((name) => ({
        name,
        owner: `builtin:${def.name}`,
        resolve: (args: string): ResolvedLine => ({ kind: "builtin", def, args }),
      })),
    );
  const skills = catalog.skills.map(({ slug }) => ({
    name: slug,
    owner: `skill:${slug}`,
    resolve: (args: string): ResolvedLine => ({ kind: "skill", slug, args }),
  }));
  return [...builtins, ...skills];
}

function ownersOf(matches: readonly Candidate[]): number {
  return new Set(matches.map((one) => one.owner)).size;
}
