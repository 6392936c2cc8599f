/**
 * Which words of which programs need a person's say, as data. A row names programs (`mkfs.*` is a beginning), then:
 * `sub`: sub-commands, alternatives separated by commas; `a/b` is either word, `*` any word, `~word` stands anywhere among
 *   the operands, also as the beginning of `word-…` or the end of `…:word`;
 * `any`: options of which one must be given; `unless`: options or operands that make it harmless;
 * `operand`: an expression that one operand, or the value of an option, must match;
 * `except`: the everyday sub-commands, written like `sub`: any other one needs a person's say.
 */
export interface RiskRow {
  readonly key: string;
  readonly on: string;
  readonly sub?: string;
  readonly any?: string;
  readonly unless?: string;
  readonly operand?: RegExp;
  readonly except?: string;
}

export function row(key: string, on: string, cells: Omit<RiskRow, "key" | "on"> = {}): RiskRow {
  return { key, on, ...cells };
}
