import type { Command } from "./command.ts";

/** Names that no profile and no plugin may take. */
export function commandNames(root: Command): readonly string[] {
  return (root.commands ?? []).flatMap((command) => [command.name, ...(command.aliases ?? [])]);
}
