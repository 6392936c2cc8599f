import { type Argument, withText } from "../simple-command.ts";

/** How a program reads its options. */
export interface OptionStyle {
  /** Options that take a value, besides those written with `=`. */
  readonly valued?: string;
  /** Options are whole words behind one dash (`find -name`), not clusters of letters. */
  readonly isSingleDash?: boolean;
  /** Options end at the first word that is none. */
  readonly stopsAtOperand?: boolean;
}

export interface SuppliedOption {
  /** As it is spelled in full: `-f`, `--force`, `-delete`. */
  readonly name: string;
  readonly value: Argument | undefined;
}

/** The words of a command, told apart. */
export interface OptionWords {
  readonly options: readonly SuppliedOption[];
  readonly operands: readonly Argument[];
}

const lists = new Map<string, ReadonlySet<string>>();

/** The words of a table cell as a set; every cell is split once. */
export function wordSet(cell: string): ReadonlySet<string> {
  const known = lists.get(cell);
  if (known !== undefined) return known;
  const made = new Set(cell.split(" ").filter((word) => word !== ""));
  lists.set(cell, made);
  return made;
}

/** Tells options from operands, and gives each option its value. */
export function readOptions(args: readonly Argument[], style: OptionStyle): OptionWords {
  const valued = wordSet(style.valued ?? "");
  const options: SuppliedOption[] = [];
  const operands: Argument[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at];
    if (arg === undefined) break;
    const { text } = arg;
    if (text === "--") {
      operands.push(...args.slice(at + 1));
      break;
    }
    if (!text.startsWith("-") || text === "-") {
      operands.push(arg);
      if (style.stopsAtOperand !== true) continue;
      operands.push(...args.slice(at + 1));
      break;
    }
    const read = text.startsWith("--") || style.isSingleDash === true ? longOption(arg, valued) : cluster(arg, valued);
    const last = read.at(-1);
    const takesNext = last !== undefined && last.value === undefined && valued.has(last.name);
    options.push(...(takesNext ? [...read.slice(0, -1), { name: last.name, value: args[at + 1] }] : read));
    if (takesNext) at += 1;
  }
  return { options, operands };
}

function longOption(arg: Argument, valued: ReadonlySet<string>): readonly SuppliedOption[] {
  const at = arg.text.indexOf("=");
  const name = at < 0 ? arg.text : arg.text.slice(0, at);
  const value = at < 0 ? undefined : withText(arg, arg.text.slice(at + 1));
  return [{ name: spelledOut(name, valued), value }];
}

/** A long option may be cut short as long as it is clear. */
function spelledOut(name: string, known: ReadonlySet<string>): string {
  if (known.has(name) || !name.startsWith("--") || name.length < 4) return name;
  const full = [...known].filter((one) => one.startsWith(name));
  return full.length === 1 ? (full[0] ?? name) : name;
}

/** `-xvf a` is `-x -v -f a`; behind a letter that takes a value, the rest of the word is that value. */
function cluster(arg: Argument, valued: ReadonlySet<string>): readonly SuppliedOption[] {
  const found: SuppliedOption[] = [];
  for (let at = 1; at < arg.text.length; at += 1) {
    const name = `-${arg.text[at] ?? ""}`;
    const rest = arg.text.slice(at + 1);
    if (valued.has(name))
      return [...found, { name, value: rest === "" ? undefined : withText(arg, rest.replace(/^=/, "")) }];
    found.push({ name, value: undefined });
  }
  return found;
}

/** Whether an option was given, also when it is cut short: `--rec` is `--recursive`. */
export function isOption(input: string, wanted: string): boolean {
  if (input === wanted) return true;
  return input.startsWith("--") && input.length >= 4 && wanted.startsWith(input);
}

export function hasAny(words: OptionWords, wanted: string): boolean {
  const names = wordSet(wanted);
  return words.options.some(({ name }) => names.has(name) || [...names].some((one) => isOption(name, one)));
}

/** The values of the options of these names. */
export function valuesOf(words: OptionWords, wanted: string): readonly Argument[] {
  const names = [...wordSet(wanted)];
  return words.options.flatMap(({ name, value }) =>
    value !== undefined && names.some((one) => isOption(name, one)) ? [value] : [],
  );
}
