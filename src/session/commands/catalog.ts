import type { QuickCommandSetting } from "../settings.ts";
import type { CommandSurface, PluginCommand, SlashCommand } from "./command.ts";

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

/** Why these commands cannot stand in one list; empty when they can. */
export function catalogProblems(commands: readonly SlashCommand[]): readonly string[] {
  const owners = new Map<string, string>();
  const problems: string[] = [];
  for (const command of commands) {
    for (const name of namesOf(command)) {
      const other = owners.get(name);
      if (other !== undefined) problems.push(`/${name} belongs to ${other} and to ${command.name}`);
      else owners.set(name, command.name);
      if (!/^[a-z0-9][a-z0-9_-]*$/.test(name)) problems.push(`/${name} cannot be typed as a command`);
    }
    if (command.cliOnly === true && command.gatewayOnly === true) problems.push(`/${command.name} is offered nowhere`);
  }
  return problems;
}

/** Why a plugin may not have this name; undefined when it may. */
export function pluginConflict(name: string, builtins: readonly SlashCommand[]): string | undefined {
  const wanted = name.toLowerCase().replace(/^\//, "");
  const owner = builtins.find((command) => namesOf(command).includes(wanted));
  return owner === undefined ? undefined : `/${wanted} is a built-in command (${owner.description}).`;
}
