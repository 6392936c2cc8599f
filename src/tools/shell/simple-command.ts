/**
 * Marks in a text for what cannot be known without running something. They are no characters, and a line that holds
 * one of them itself is asked about for that alone.
 */
export const unknownText = "\ufdd0";
/** One file name, or a piece of one: what a glob finds. */
export const unknownName = "\ufdd1";
export const unknownNumber = "\ufdd2";

/** One word of a command, as far as it can be known without running anything. */
export interface Argument {
  /** The text; unknown pieces stand as marks. */
  readonly text: string;
  /** True when nothing in it depends on running something. */
  readonly isKnown: boolean;
  /** True when it holds an unquoted glob. */
  readonly hasGlob: boolean;
  /** True when an unknown piece stands outside quotes, so that it may be no word, or many. */
  readonly mayBeMany: boolean;
  /** Where unknown pieces come from: `$NAME` for a variable, `name` for a command whose output it is. */
  readonly sources: readonly string[];
}

export interface OutputRedirect {
  readonly target: Argument;
  readonly isAppend: boolean;
}

/** What stands on standard input: nothing of this line, or text that is known as far as marks allow. */
export type Input = string | undefined;

/** One command that would run, with wrappers (`sudo`, `env`, …) taken off. */
export interface SimpleCommand {
  /** Base name; empty for a bare assignment or redirect; undefined when it cannot be known. */
  readonly name: string | undefined;
  /** The name as it is called, with its folders. */
  readonly path: string;
  readonly args: readonly Argument[];
  readonly writes: readonly OutputRedirect[];
  readonly reads: readonly Argument[];
  /** Text fed to it: here-document, here-string, what a pipe brings. */
  readonly input: Input;
  /** True for a here-document or here-string of its own. */
  readonly hasHereText: boolean;
  /** Where the unknown pieces of its name come from. */
  readonly sources: readonly string[];
  /** The text of the script it runs, where the line or the session wrote that. */
  readonly scriptText: string | undefined;
  /** How its name was made, when not written down plainly. */
  readonly nameFrom: "literal" | "variable" | "substitution";
  /** Variables set for this command only, or by it. */
  readonly assigns: readonly Assignment[];
  /** Absolute directory it runs in, as far as `cd` in the same line tells; undefined when unknown. */
  readonly cwd: string | undefined;
  /** Wrappers that were taken off, outermost first. */
  readonly wrappers: readonly string[];
  /** Commands whose output flows into this one, nearest last; itself not included. */
  readonly upstream: readonly SimpleCommand[];
  readonly isBackground: boolean;
  /** Scripts given inside process substitutions (`<(…)`). */
  readonly substituted: readonly SimpleCommand[];
}

export interface Assignment {
  readonly name: string;
  readonly value: Argument;
}

/** Something about a whole line that needs a person's word. */
export type LineTrait =
  /** Runs without an end and without waiting. */
  | "endless-loop"
  /** Starts children without an end. */
  | "spawning-loop"
  /** Characters that are not seen, or that look like syntax and are none. */
  | "deceiving-characters";

/** What a whole command line comes down to. */
export interface CommandLine {
  readonly commands: readonly SimpleCommand[];
  /** Names of functions that call themselves in a pipeline: fork bombs. */
  readonly forkBombs: readonly string[];
  readonly traits: ReadonlySet<LineTrait>;
  /** The parser could not make sense of it, or it is nested too deeply to follow. */
  readonly problems: readonly string[];
  /** Commands that run a script which is not written here. */
  readonly unknownScripts: ReadonlySet<SimpleCommand>;
}

const marks = /[\ufdd0-\ufdd2]/;

export function literal(text: string): Argument {
  return { text, isKnown: true, hasGlob: false, mayBeMany: false, sources: [] };
}

/** A word of which nothing is known. */
export function unknownArgument(...sources: readonly string[]): Argument {
  return { text: unknownText, isKnown: false, hasGlob: false, mayBeMany: true, sources };
}

export function hasUnknown(text: string): boolean {
  return marks.test(text);
}

/** Nothing in the text is certain to be there. */
export function mayBeEmpty(text: string): boolean {
  return /^[\ufdd0\ufdd1]*$/.test(text);
}

/** The argument with another text, still from the same sources. */
export function withText(argument: Argument, text: string): Argument {
  return { ...argument, text, isKnown: !marks.test(text) };
}
