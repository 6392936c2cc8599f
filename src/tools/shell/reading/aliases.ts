import type { Argument } from "../simple-command.ts";
import type { ShellState } from "./state.ts";

/** The lines that an alias and the words behind it may come to. Behind one that ends in a blank the next word may be an alias too. */
export function aliasLines(
  body: string,
  [next, ...rest]: readonly Argument[],
  state: Pick<ShellState, "aliasNamed">,
): readonly string[] {
  const seconds = next !== undefined && /\s$/.test(body) ? state.aliasNamed(next.text) : [];
  const firsts = next === undefined ? [] : [rewritten(next)];
  const ways = seconds.length === 0 ? [firsts] : [firsts, ...seconds.map((one) => [one])];
  return ways.map((way) => [body, ...way, ...rest.map(rewritten)].join(" "));
}

/** A word that was read, written down once more so that reading it again gives the same: what is not known stays so. */
function rewritten(word: Argument): string {
  const quoted = (text: string): string => (text === "" ? "" : `'${text.replaceAll("'", "'\\''")}'`);
  if (word.text === "") return "''";
  if (!word.mayBeMany && !word.hasGlob) return quoted(word.text);
  return word.text
    .split(/([\ufdd0-\ufdd2]|[*?[\]])/)
    .map((piece) => {
      if (/^[\ufdd0-\ufdd2]$/.test(piece)) return word.mayBeMany ? "$HERMES_UNKNOWN_WORD" : quoted(piece);
      return word.hasGlob && /^[*?[\]]$/.test(piece) ? piece : quoted(piece);
    })
    .join("");
}
