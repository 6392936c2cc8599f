import type { ParsedScript, Word, WordPart } from "unbash";
import { hasUnknown } from "../simple-command.ts";
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
  pieceWays(parts: readonly WordPart[], isQuoted: boolean): Ways;
}

/**
 * Every value IFS may have; a line may set it to make words of what does not look like words. Undefined when it may be
 * anything.
 */
export function separators(host: ExpandHost): readonly string[] | undefined {
  const values = host.state.get("IFS");
  if (values === undefined) return undefined;
  if (values.length === 0) return [" \t\n"];
  const texts = values.map((value) => (typeof value === "string" ? value : (value[0] ?? "")));
  return texts.some(hasUnknown) ? undefined : texts;
}
