import { defined } from "#foundation/defined";
import type { Argument, Command, CommandIo, CompletionKind, Flag } from "../command.ts";
import { globalFlags, readGlobalFlags } from "../global-flags.ts";
import { oneLine } from "../output/table.ts";
import { findCommand } from "../parse.ts";
import { dynamicNames } from "./dynamic-names.ts";

export interface Candidate {
  readonly word: string;
  readonly about: string;
}

/** What a shell asks: the words after `hermes`, the last one unfinished. Never fails: no candidates is an answer. */
export async function complete(
  words: readonly string[],
  { root, io }: { readonly root: Command; readonly io: CommandIo },
): Promise<number> {
  const current = words.at(-1) ?? "";
  const location = standing(root, words.slice(0, -1));
  const profile = defined({ profile: location.profile });
  const names = (kind: CompletionKind) =>
    dynamicNames(kind, { io, root, args: [], flags: profile, global: readGlobalFlags(profile, io) });
  const candidates = await candidatesFor(location, current, names);
  for (const { word, about } of candidates.filter((one) => one.word.startsWith(current) || one.word === ":files")) {
    io.stdout.write(about === "" ? `${word}\n` : `${word}\t${oneLine(about)}\n`);
  }
  return 0;
}

interface Standing {
  readonly command: Command;
  /** How many arguments of the command are given already. */
  readonly argsSupplied: number;
  /** The option whose value is being typed. */
  readonly open: Flag | undefined;
  readonly profile: string | undefined;
}

/** Walks over the finished words. */
function standing(root: Command, words: readonly string[]): Standing {
  let command = root;
  let argsSupplied = 0;
  let open: Flag | undefined;
  let profile: string | undefined;
  for (const word of words) {
    if (open !== undefined) {
      if (open.name === "profile") profile = word;
      open = undefined;
      continue;
    }
    if (word.startsWith("-")) {
      const flag = flagsOf(command).find((one) => word === `--${one.name}` || word === `-${one.short}`);
      open = flag === undefined || flag.kind === "switch" ? undefined : flag;
      continue;
    }
    const child = argsSupplied === 0 ? findCommand(command.commands ?? [], word) : undefined;
    if (child === undefined) argsSupplied += 1;
    else command = child;
  }
  return { command, argsSupplied, open, profile };
}

async function candidatesFor(
  { command, argsSupplied, open }: Standing,
  current: string,
  names: (kind: CompletionKind) => Promise<readonly Candidate[]>,
): Promise<readonly Candidate[]> {
  if (open !== undefined) return await valuesOf(open, names);
  if (current.startsWith("-")) {
    return flagsOf(command)
      .filter((flag) => flag.isHidden !== true)
      .map((flag) => ({ word: `--${flag.name}`, about: flag.about }));
  }
  const commands = argsSupplied > 0 ? [] : (command.commands ?? []).filter((one) => one.isHidden !== true);
  const argument = argumentAt(command.args ?? [], argsSupplied);
  return [
    ...commands.map(({ name, about }) => ({ word: name, about })),
    ...(argument === undefined ? [] : await valuesOf(argument, names)),
  ];
}

const flagsOf = (command: Command): readonly Flag[] => [...(command.flags ?? []), ...globalFlags];

function argumentAt(args: readonly Argument[], index: number): Argument | undefined {
  const last = args.at(-1);
  return args[index] ?? (last?.isRest === true ? last : undefined);
}

async function valuesOf(
  { choices, completes }: Pick<Flag, "choices" | "completes">,
  names: (kind: CompletionKind) => Promise<readonly Candidate[]>,
): Promise<readonly Candidate[]> {
  if (choices !== undefined) return choices.map((word) => ({ word, about: "" }));
  return completes === undefined ? [] : await names(completes);
}
