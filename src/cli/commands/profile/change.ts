import { type AliasResult, Profiles } from "#config";
import { defined } from "#foundation/defined";
import type { Invocation } from "../../command.ts";
import { commandNames } from "../../command-names.ts";
import { argument, flagText, hasFlag } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { agreed } from "../../support/ask.ts";

export async function profileUse(invocation: Invocation): Promise<number> {
  const name = argument(invocation, 0);
  await new Profiles(invocation.io.env).use(name);
  const out = new Output(invocation);
  out.document({ active: name });
  out.line(`Profile ${name} is now in use.`);
  if ((invocation.io.env["HERMES_HOME"] ?? "") !== "") out.note("HERMES_HOME is set and overrides this choice.");
  return 0;
}

export async function profileCreate(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const name = argument(invocation, 0);
  const source = flagText(invocation, "clone-from");
  const isWhole = hasFlag(invocation, "clone-all");
  const from = isWhole ? "clone-all" : hasFlag(invocation, "clone") || source !== undefined ? "clone" : "blank";
  const { home, alias } = await new Profiles(invocation.io.env).create(name, {
    from,
    ...defined({ source }),
    noAlias: hasFlag(invocation, "no-alias"),
    commands: commandNames(invocation.root),
  });
  out.document({ name, home: home.root, from, alias: aliasDocument(alias) });
  out.line(`Created profile ${name} at ${home.root}`);
  out.line(aliasLine(alias));
  if (from === "blank") out.line(`Connect a model: hermes -p ${name} setup`);
  return 0;
}

export async function profileRename(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const [from, to] = [argument(invocation, 0), argument(invocation, 1)];
  const home = await new Profiles(invocation.io.env).rename(from, to, commandNames(invocation.root));
  out.document({ from, to, home: home.root });
  out.line(`Profile ${from} is now ${to} at ${home.root}`);
  return 0;
}

export async function profileDelete(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const name = argument(invocation, 0);
  const profiles = new Profiles(invocation.io.env);
  const home = await profiles.find(name);
  const question = `Delete profile ${name} with its settings, credentials, sessions and memory (${home.root})?`;
  if (!(await agreed(question, { io: invocation.io, isYes: hasFlag(invocation, "yes") }))) {
    out.line("Nothing was deleted.");
    return 1;
  }
  await profiles.delete(name);
  out.document({ deleted: name });
  out.line(`Deleted profile ${name}.`);
  return 0;
}

export function aliasLine(alias: AliasResult): string {
  switch (alias.kind) {
    case "written":
      return `Command: ${alias.path}`;
    case "removed":
      return `Removed ${alias.path}`;
    case "skipped":
      return `No command was created: ${alias.reason}.`;
  }
}

export function aliasDocument(alias: AliasResult): Readonly<Record<string, string>> {
  return { ...alias };
}
