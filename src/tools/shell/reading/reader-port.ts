import type { Argument, Input, SimpleCommand } from "../simple-command.ts";
import type { ShellState } from "./state.ts";

/** Where in a script a command stands. */
export interface Frame {
  readonly depth: number;
  readonly wrappers: readonly string[];
  readonly input: Input;
  /** Commands whose output flows into what is read here. */
  readonly upstream: readonly SimpleCommand[];
  readonly isBackground: boolean;
}

/** What a command printed: known as far as marks allow, or not at all. */
export type Output = string | undefined;

/** What builtins and programs need of the reader that found them. */
export interface ReaderPort {
  readonly state: ShellState;
  readonly home: string;
  readonly tempDir: string;
  /** Folders that are sure to be there. */
  readonly standing: readonly string[];
  /** Reads a script in the shell that runs now. */
  readScript(text: string, frame: Frame): Output;
  /** Reads a script in a shell of its own. */
  readSubshell(text: string, frame: Frame): Output;
  /** Runs words as a command in the same place. */
  runWords(words: readonly Argument[], base: SimpleCommand, frame: Frame): Output;
  /** What a text would run if the shell expanded it. */
  readNested(text: string, frame: Frame): void;
  /** The command runs a script that nobody can see here. */
  markUnknown(command: SimpleCommand): void;
  /** The text of a file, where the line or the session wrote it; undefined otherwise. */
  readFile(argument: Argument): string | undefined;
}

/** A command that runs, with its place. */
export interface Call {
  readonly command: SimpleCommand;
  readonly name: string;
  readonly args: readonly Argument[];
  readonly frame: Frame;
}
