import { defined } from "#foundation/defined";
import { describe, UserError } from "#foundation/errors";
import type { AddedCommands } from "./added-commands.ts";
import { type Command, type CommandIo, exitCodes, type Invocation } from "./command.ts";
import { globalFlags, readGlobalFlags, workingFolder } from "./global-flags.ts";
import { helpText } from "./help.ts";
import { refusedByDisk } from "./output/disk-words.ts";
import { schemaVersion } from "./output/json.ts";
import { asStarted } from "./output/program-words.ts";
import { createStyle } from "./output/style.ts";
import { findCommand, firstWord, nameOf, type ParsedLine, parseLine } from "./parse.ts";
import { commandTree, helpGroups } from "./tree.ts";
import { usageError } from "./usage-error.ts";
import { versionLine } from "./version.ts";

/** Runs one line over the command tree. Never throws: what goes wrong is said, and the exit code tells. */
export async function runLine(argv: readonly string[], io: CommandIo): Promise<number> {
  try {
    return await dispatch(argv, io);
  } catch (error) {
    return report(await damageIn(error), argv, io);
  }
}

async function dispatch(argv: readonly string[], io: CommandIo): Promise<number> {
  // The words of a line being completed are nobody's options.
  if (argv[0] === "__complete") {
    const { complete } = await import("./completion/complete.ts");
    return complete(argv.slice(1), { root: commandTree, io });
  }
  await using opened = await treeFor(argv, io);
  const { tree } = opened;
  const line = parseLine(tree, asQuestion(argv));
  const global = readGlobalFlags(line.flags, io);
  const command = line.path.at(-1) ?? tree;
  if (line.flags["version"] === true) {
    io.stdout.write(`${versionLine()}\n`);
    return exitCodes.ok;
  }
  const help = (path: readonly Command[]): number => {
    io.stdout.write(helpText(path, { style: createStyle(global.hasColor), groups: helpGroups }));
    return exitCodes.ok;
  };
  if (line.flags["help"] === true) return help(line.path);
  if (command.name === "help") return help(helpPath(tree, line.args));
  if (command.run === undefined) {
    help(line.path);
    return exitCodes.usage;
  }
  const invocation: Invocation = {
    flags: line.flags,
    args: line.args,
    io: inFolder(io, workingFolder(line.flags, io)),
    global,
    root: tree,
  };
  refuseWithoutTerminal(command, line, io);
  return await command.run(invocation);
}

/** `hermes "what is this?"`: words with a space in them are no command but a question. */
function asQuestion(argv: readonly string[]): readonly string[] {
  const word = firstWord(argv, [...(commandTree.flags ?? []), ...globalFlags]);
  return word !== undefined && /\S\s+\S/.test(word) ? ["chat", ...argv] : argv;
}

/** The commands of plugins are looked for only when the first word is none of ours, or help is asked for. */
async function treeFor(argv: readonly string[], io: CommandIo): Promise<AddedCommands> {
  const word = firstWord(argv, [...(commandTree.flags ?? []), ...globalFlags]);
  const isOurs = word !== undefined && findCommand(commandTree.commands ?? [], word) !== undefined;
  const asksForHelp = argv.some((one) => one === "--help" || one === "-h") || word === "help";
  if ((word === undefined && !asksForHelp) || (isOurs && word !== "help")) {
    return { tree: commandTree, [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  const { withAddedCommands } = await import("./added-commands.ts");
  return await withAddedCommands(commandTree, argv, io);
}

/** What help is asked for; words that name no command are a mistake, not a wish for everything. */
function helpPath(tree: Command, words: readonly string[]): readonly Command[] {
  const { path, args } = parseLine(tree, [...words, "--help"]);
  const [unknown] = args;
  if (unknown === undefined || (path.length > 1 && (path.at(-1)?.commands ?? []).length === 0)) return path;
  throw usageError(`There is no command "${[...words].join(" ")}".`, "See them with: hermes help");
}

/** The same streams in another folder. Copying them one by one would open the standard input. */
function inFolder(io: CommandIo, cwd: string): CommandIo {
  const { stdout, stderr, env, signal } = io;
  return {
    get stdin() {
      return io.stdin;
    },
    stdout,
    stderr,
    env,
    cwd,
    signal,
  };
}

function refuseWithoutTerminal(command: Command, line: ParsedLine, io: CommandIo): void {
  if (command.interactiveOnly === undefined) return;
  if (io.stdin.isTTY === true && io.stdout.isTTY === true) return;
  throw new UserError(`${nameOf(line.path)} needs a terminal.`, {
    code: "terminal_needed",
    exitCode: exitCodes.failed,
    hint: command.interactiveOnly,
  });
}

/** A database that is damaged is no defect of the program either, wherever in a command it is met. */
async function damageIn(error: unknown): Promise<unknown> {
  if (error instanceof UserError) return error;
  const { isStoreDamaged } = await import("#store");
  if (!isStoreDamaged(error)) return error;
  return new UserError("The session database is damaged.", {
    code: "store_damaged",
    hint: "Rebuild it from what can be read, and keep the old one: hermes sessions fsck --repair",
    cause: error,
  });
}

function report(error: unknown, argv: readonly string[], io: CommandIo): number {
  const wasStopped = io.signal.aborted;
  const { code, message, hint, exitCode } = facts(error, wasStopped);
  if (argv.includes("--json")) {
    const fields = { code, message, ...defined({ hint }) };
    io.stdout.write(`${JSON.stringify({ schema_version: schemaVersion, error: fields }, undefined, 2)}\n`);
  } else {
    io.stderr.write(asStarted(`${message}\n${hint === undefined ? "" : `${hint}\n`}`, io.env));
  }
  if (!(error instanceof UserError) && error instanceof Error && io.env["HERMES_DEBUG"] !== undefined) {
    io.stderr.write(`${error.stack}\n`);
  }
  return exitCode;
}

function facts(
  error: unknown,
  wasStopped: boolean,
): { readonly code: string; readonly message: string; readonly hint?: string | undefined; readonly exitCode: number } {
  if (wasStopped) return { code: "interrupted", message: "Interrupted.", exitCode: exitCodes.interrupted };
  if (error instanceof UserError) {
    return { code: error.code, message: error.message, hint: error.hint, exitCode: error.exitCode };
  }
  const refused = refusedByDisk(error);
  if (refused !== undefined) return facts(refused, wasStopped);
  return {
    code: "internal",
    message: `Unexpected error: ${describe(error)}`,
    exitCode: exitCodes.failed,
  };
}
