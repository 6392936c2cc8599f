/** A command by the names it can be called. */
export interface NamedCommand {
  readonly name: string;
  readonly aliases?: readonly string[] | undefined;
}

export type ResolvedName =
  | {
      readonly kind: "one";
      readonly name: string /** It was written out, by its name or another one it has. */;
      readonly isWhole: boolean;
    }
  | { readonly kind: "several"; readonly candidates: readonly string[] }
  | { readonly kind: "none" };

/**
 * The command that somebody means: by its name, by another one it has, or by a beginning of two letters or more that fits no
 * other. Some menus cannot show hyphens, so underscores count as such. Of several that fit, the one with the shortest name is meant.
 */
export function resolveName(typed: string, commands: readonly NamedCommand[]): ResolvedName {
  const name = typed.replaceAll("_", "-");
  const named = commands.flatMap((command) =>
    [command.name, ...(command.aliases ?? [])].map((one) => ({ name: one, owner: command.name })),
  );
  const whole = named.find((one) => one.name === name);
  if (whole !== undefined) return { kind: "one", name: whole.owner, isWhole: true };
  const matches = name.length < 2 ? [] : named.filter((one) => one.name.startsWith(name));
  const shortest = Math.min(...matches.map((one) => one.name.length));
  for (const fitting of [matches, matches.filter((one) => one.name.length === shortest)]) {
    const owners = new Set(fitting.map(({ owner }) => owner));
    const [only] = owners;
    if (only !== undefined && owners.size === 1) return { kind: "one", name: only, isWhole: false };
  }
  if (matches.length === 0) return { kind: "none" };
  return { kind: "several", candidates: matches.map((one) => one.name).sort() };
}
