/** One word of a command, as far as it can be known without running anything. */
export interface Argument {
  /** The text; unknown parts stand as `\u0000`. */
  readonly text: string;
  /** True when nothing in it depends on running something. */
  readonly isKnown: boolean;
  /** True when it holds an unquoted glob. */
  readonly hasGlob: boolean;
}

export interface OutputRedirect {
  readonly target: Argument;
  readonly isAppend: boolean;
}

/** One command that would run, with wrappers (`sudo`, `env`, …) taken off. */
export interface SimpleCommand {
  /** Base name; empty for a bare assignment or redirect; undefined when it cannot be known. */
  readonly name: string | undefined;
  readonly args: readonly Argument[];
  readonly writes: readonly OutputRedirect[];
  readonly reads: readonly Argument[];
  /** Text fed to it: here-document, here-string. */
  readonly input: string | undefined;
  /** How its name was made, when not written down plainly. */
  readonly nameFrom: "literal" | "variable" | "substitution";
  /** Absolute directory it runs in, as far as `cd` in the same line tells; undefined when unknown. */
  readonly cwd: string | undefined;
  /** Wrappers that were taken off, outermost first. */
  readonly wrappers: readonly string[];
  /** Commands whose output flows into this one, nearest last; itself not included. */
  readonly upstream: readonly SimpleCommand[];
  /** Names of the commands its own output flows into. */
  readonly downstream: readonly string[];
  readonly isBackground: boolean;
  /** Scripts given inside process substitutions (`<(…)`). */
  readonly substituted: readonly SimpleCommand[];
}

/** What a whole command line comes down to. */
export interface CommandLine {
  readonly commands: readonly SimpleCommand[];
  /** Names of functions that call themselves in a pipeline: fork bombs. */
  readonly forkBombs: readonly string[];
  /** The parser could not make sense of it, or it is nested too deeply to follow. */
  readonly problems: readonly string[];
}

export const unknownText = "\u0000";

export function literal(text: string): Argument {
  return { text, isKnown: true, hasGlob: false };
}
