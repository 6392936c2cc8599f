import { nearest } from "#foundation/text/text";
import type { Argument, Command, Flag, FlagValue } from "./command.ts";
import { globalFlags } from "./global-flags.ts";
import { usageError } from "./usage-error.ts";

/** What a line of words came to. */
export interface ParsedLine {
  /** From the program itself down to the command that was named. */
  readonly path: readonly Command[];
  readonly flags: Readonly<Record<string, FlagValue>>;
  readonly args: readonly string[];
}

/**
 * Takes a line apart over the command tree. Words name commands until the first that does not; options may stand
 * anywhere; what follows `--` is never an option. Mistakes are a usage error with what was probably meant.
 */
export function parseLine(root: Command, argv: readonly string[]): ParsedLine {
  const wantsHelp = hasHelpFlag(argv);
  const line = new Line(root, wantsHelp);
  line.read(argv);
  if (!wantsHelp) line.check();
  return { path: line.path, flags: line.flags, args: line.args };
}

/** The words by which a command is called: `hermes sessions list`. */
export function nameOf(path: readonly Command[]): string {
  return path.map((command) => command.name).join(" ");
}

function hasHelpFlag(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  const words = end < 0 ? argv : argv.slice(0, end);
  return words.includes("--help") || words.includes("-h");
}

class Line {
  readonly path: Command[];
  readonly flags: Record<string, FlagValue> = {};
  readonly args: string[] = [];
  readonly #isLenient: boolean;
  /** Options given before the command was named, to be checked against it. */
  readonly #early: Flag[] = [];

  constructor(root: Command, isLenient: boolean) {
    this.path = [root];
    this.#isLenient = isLenient;
  }

  get #command(): Command {
    const last = this.path.at(-1);
    if (last === undefined) throw new Error("a line always has a command");
    return last;
  }

  get #flags(): readonly Flag[] {
    return [...(this.#command.flags ?? []), ...globalFlags];
  }

  read(argv: readonly string[]): void {
    const words = [...argv];
    for (let word = words.shift(); word !== undefined; word = words.shift()) {
      if (word === "--") {
        this.args.push(...words.splice(0));
      } else if (word.startsWith("--")) {
        this.#long(word.slice(2), words);
      } else if (word.startsWith("-") && word.length > 1 && !/^-\d/.test(word)) {
        this.#short(word.slice(1), words);
      } else {
        this.#word(word);
      }
    }
  }

  check(): void {
    const known = new Set(this.#flags.map((flag) => flag.name));
    const foreign = this.#early.find((flag) => !known.has(flag.name));
    if (foreign !== undefined) throw this.#unknownFlag(`--${foreign.name}`);
    const wanted = this.#command.args ?? [];
    const missing = wanted.find((argument, index) => argument.isOptional !== true && this.args[index] === undefined);
    if (missing !== undefined) {
      throw usageError(`${nameOf(this.path)} needs ${argumentText(missing)}.`, this.#helpHint());
    }
    const extra = wanted.at(-1)?.isRest === true ? undefined : this.args[wanted.length];
    if (extra !== undefined) {
      throw usageError(`${nameOf(this.path)} does not know what to do with "${extra}".`, this.#helpHint());
    }
    for (const [index, argument] of wanted.entries()) {
      const input = this.args[index];
      if (input !== undefined) this.#checkChoice(input, argument, argument.name);
    }
  }

  #word(word: string): void {
    const { commands = [], args = [] } = this.#command;
    const child = this.args.length > 0 ? undefined : findCommand(commands, word);
    if (child !== undefined) {
      this.path.push(child);
    } else if (commands.length > 0 && args.length === 0 && !this.#isLenient) {
      throw this.#unknownCommand(word, commands);
    } else {
      this.args.push(word);
    }
  }

  #long(text: string, rest: string[]): void {
    const at = text.indexOf("=");
    const name = at < 0 ? text : text.slice(0, at);
    // Scripts of older programs write the dashes as underscores.
    const flag = this.#flags.find((one) => one.name === name || one.name === name.replaceAll("_", "-"));
    if (flag === undefined) {
      if (this.#isLenient) return;
      if (this.#command.hasDottedFlags !== true || !name.includes(".")) throw this.#unknownFlag(`--${name}`);
      this.flags[name] = at < 0 ? dottedValue(rest) : text.slice(at + 1);
      return;
    }
    this.#set(flag, at < 0 ? undefined : text.slice(at + 1), rest);
  }

  /** `-n 50`, `-n50`, and switches together: `-qv`. */
  #short(text: string, rest: string[]): void {
    const flag = this.#flags.find((one) => one.short === text[0]);
    if (flag === undefined) {
      if (this.#isLenient) return;
      throw this.#unknownFlag(`-${text[0]}`);
    }
    const attached = text.slice(1);
    if (flag.kind === "switch") {
      this.#set(flag, undefined, rest);
      if (attached !== "") this.#short(attached, rest);
      return;
    }
    this.#set(flag, attached === "" ? undefined : attached.replace(/^=/, ""), rest);
  }

  #set(flag: Flag, attached: string | undefined, rest: string[]): void {
    if (!globalFlags.includes(flag)) this.#early.push(flag);
    switch (flag.kind) {
      case "switch":
        if (attached !== undefined) throw usageError(`--${flag.name} takes no value.`, this.#helpHint());
        this.flags[flag.name] = true;
        return;
      case "optional-text": {
        const follows = rest[0] !== undefined && !rest[0].startsWith("-");
        this.flags[flag.name] = attached ?? (follows ? rest.shift() : true);
        return;
      }
      case "text":
        this.flags[flag.name] = this.#value(flag, attached, rest);
        return;
      case "list": {
        const before = this.flags[flag.name];
        const items = this.#value(flag, attached, rest).split(",");
        const added = items.map((item) => item.trim()).filter((item) => item !== "");
        this.flags[flag.name] = [...(Array.isArray(before) ? before : []), ...added];
        return;
      }
    }
  }

  #value(flag: Flag, attached: string | undefined, rest: string[]): string {
    const next = rest[0];
    const isFlag =
      next !== undefined && this.#flags.some((one) => next === `--${one.name}` || next === `-${one.short}`);
    const value = attached ?? (isFlag ? undefined : rest.shift());
    if (value === undefined) {
      if (this.#isLenient) return "";
      throw usageError(`--${flag.name} needs a value: ${flag.value ?? "<text>"}.`, this.#helpHint());
    }
    this.#checkChoice(value, flag, `--${flag.name}`);
    return value;
  }

  #checkChoice(value: string, { choices }: Pick<Flag, "choices">, name: string): void {
    if (choices === undefined || choices.includes(value) || this.#isLenient) return;
    const meant = nearest(value, choices);
    const guess = meant === undefined ? "" : ` Did you mean ${meant}?`;
    throw usageError(`Invalid ${name}: "${value}".${guess}`, `Choose one of: ${choices.join(", ")}.`);
  }

  #unknownFlag(written: string): Error {
    const meant = nearest(
      written.replace(/^-+/, ""),
      this.#flags.filter((flag) => flag.isHidden !== true).map((flag) => flag.name),
    );
    const guess = meant === undefined || !written.startsWith("--") ? "" : ` Did you mean --${meant}?`;
    return usageError(`${nameOf(this.path)} has no option "${written}".${guess}`, this.#helpHint());
  }

  #unknownCommand(word: string, commands: readonly Command[]): Error {
    const names = commands.filter((one) => one.isHidden !== true).flatMap((one) => [one.name, ...(one.aliases ?? [])]);
    const meant = nearest(word, names);
    const guess = meant === undefined ? "" : ` Did you mean ${meant}?`;
    const written = [...this.path.slice(1).map((command) => command.name), word].join(" ");
    return usageError(`There is no command "${written}".${guess}`, this.#helpHint());
  }

  #helpHint(): string {
    return `Run: ${nameOf(this.path)} --help`;
  }
}

/** The first word of a line that is neither an option nor the value of one. */
export function firstWord(argv: readonly string[], flags: readonly Flag[]): string | undefined {
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? "";
    if (word === "--" || word === "-" || !word.startsWith("-")) return word === "--" ? argv[at + 1] : word;
    const flag = flags.find((one) => word === `--${one.name}` || (one.short !== undefined && word === `-${one.short}`));
    const next = argv[at + 1];
    if (flag?.kind === "text" || flag?.kind === "list") at += 1;
    if (flag?.kind === "optional-text" && next !== undefined && !next.startsWith("-")) at += 1;
  }
  return undefined;
}

export function findCommand(commands: readonly Command[], word: string): Command | undefined {
  return commands.find((command) => command.name === word || command.aliases?.includes(word) === true);
}

/** An argument as help writes it: `<key>`, `[name]`, `<name...>`. */
export function argumentText({ name, isOptional, isRest }: Argument): string {
  const text = `${name}${isRest === true ? "..." : ""}`;
  return isOptional === true ? `[${text}]` : `<${text}>`;
}

/** What follows, unless it is a flag itself; a negative number is none. A flag alone is true. */
function dottedValue(rest: string[]): string | true {
  const next = rest[0];
  const isValue = next !== undefined && (!next.startsWith("-") || /^-\d/.test(next));
  return isValue ? (rest.shift() ?? true) : true;
}
