import type { Completion } from "../api.ts";
import { type CommandCall, type CommandServices, takenFrom } from "../commands/command.ts";
import { isAvailable, namesOf, resolveCommand, splitCommand } from "../commands/registry.ts";
import { looksLikePath, pathEntries } from "./paths.ts";
import type { ProjectFiles } from "./project-files.ts";
import { completeReference } from "./references.ts";

export interface CompletionContext {
  readonly call: Omit<CommandCall, "args" | "words">;
  readonly services: CommandServices;
  readonly files: ProjectFiles;
}

/** What the line up to the cursor may go on with, best first. */
export async function completeLine(line: string, context: CompletionContext): Promise<readonly Completion[]> {
  const command = splitCommand(line);
  const isName = command !== undefined && !/\s/.test(line.trimStart());
  if (isName) return commandNames(line, context);
  if (command !== undefined) {
    const found = await commandArguments(line, context);
    if (found.length > 0) return found;
  }
  const from = lastWordStart(line);
  const word = line.slice(from);
  const { session, signal } = context.call;
  const { cwd } = session.info;
  if (word.startsWith("@")) return await completeReference({ text: word, from }, { cwd, files: context.files }, signal);
  if (!looksLikePath(word)) return [];
  const entries = await pathEntries(word, { cwd }, signal);
  return entries.map((entry) => ({ from, text: entry.text, label: entry.name, detail: entry.detail }));
}

function commandNames(line: string, { call: { catalog } }: CompletionContext): readonly Completion[] {
  const from = line.indexOf("/");
  const typed = line.slice(from + 1).toLowerCase();
  const builtins = catalog.builtins
    .filter((command) => isAvailable(command, catalog))
    .flatMap((command) => {
      // An alias is offered only to somebody who is typing it.
      const name = command.name.startsWith(typed)
        ? command.name
        : namesOf(command).find((one) => one.startsWith(typed));
      return name === undefined ? [] : [[name, command.description, command.argsHint ?? ""] as const];
    });
  const others = [
    ...Object.keys(catalog.quick).map((name) => [name, "your own command", ""] as const),
    ...catalog.plugins.map((one) => [one.name, one.description, one.argsHint ?? ""] as const),
    ...catalog.skills.map((one) => [one.slug, one.description, ""] as const),
  ].filter(([name]) => name.toLowerCase().startsWith(typed));
  return [...builtins, ...others].map(([name, detail, hint]) => ({
    from,
    text: `/${name}`,
    label: hint === "" ? `/${name}` : `/${name} ${hint}`,
    detail,
  }));
}

async function commandArguments(line: string, { call, services }: CompletionContext): Promise<readonly Completion[]> {
  const resolved = resolveCommand(line, call.catalog);
  if (resolved.kind !== "builtin") return [];
  const { def } = resolved;
  const start = /^\s*\/\S+\s+/.exec(line)?.[0].length ?? line.length;
  const words = line.slice(start).split(/\s+/);
  const finished = words.slice(0, -1);
  const last = words.at(-1) ?? "";
  const fixed = finished.length === 0 ? (def.subcommands ?? []) : [];
  const own =
    (await def.complete?.({ ...call, args: line.slice(start), words: finished }, takenFrom(services, def))) ?? [];
  // A title or a model name may have blanks in it, so the whole of what was typed counts as its beginning.
  const whole = line.slice(start);
  return [...new Set([...fixed, ...own])].flatMap((text) => {
    if (finished.length > 0 && text.toLowerCase().startsWith(whole.toLowerCase()))
      return [{ from: start, text, label: text, detail: "" }];
    const isWord = text.toLowerCase().startsWith(last.toLowerCase()) && (finished.length === 0 || !text.includes(" "));
    return isWord ? [{ from: line.length - last.length, text, label: text, detail: "" }] : [];
  });
}

function lastWordStart(line: string): number {
  return line.length - (/\S*$/.exec(line)?.[0].length ?? 0);
}
