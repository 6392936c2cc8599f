import type { ParsedScript, Word, WordPart } from "unbash";
import type { Ways } from "./pieces.ts";
import type { ShellState } from "./state.ts";

/** What expanding a word needs of whoever reads the script. */
export interface ExpandHost {
  readonly state: ShellState;
  readonly home: string;
  /** What a command substitution prints, and the names of the commands that print it. */
  substitute(script: ParsedScript | undefined): { readonly text: string; readonly sources: readonly string[] };
  /** The path that a process substitution stands for. */
  processSubstitution(part: Extract<WordPart, { type: "ProcessSubstitution" }>): string;
  /** Reads what a text would run if the shell expanded it once more. */
  readNested(text: string): void;
}

/** Where a part of a word stands, and how words inside it are expanded in turn. */
export interface PartContext {
  readonly host: ExpandHost;
  readonly isQuoted: boolean;
  wordWays(word: Word): Ways;
  partsWays(parts: readonly WordPart[], isQuoted: boolean): Ways;
}

/** IFS, which a line may set to make words of what does not look like words. */
export function separators(host: ExpandHost): string {
  const values = host.state.get("IFS");
  const [only] = values ?? [];
  return values === undefined || values.length !== 1 || typeof only !== "string" ? " \t\n" : only;
}
