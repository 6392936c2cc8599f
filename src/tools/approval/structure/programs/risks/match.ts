import type { Argument } from "../../simple-command.ts";
import { hasAny, type OptionWords, readOptions, wordSet } from "../option-words.ts";
import { styleOf } from "../styles.ts";
import { machineRisks } from "./machine.ts";
import type { RiskRow } from "./row.ts";
import { serviceRisks } from "./services.ts";
import { softwareRisks } from "./software.ts";

const rows: readonly RiskRow[] = [...machineRisks, ...softwareRisks, ...serviceRisks];
const byName = new Map<string, RiskRow[]>();
const byBeginning: (readonly [string, RiskRow])[] = [];
for (const row of rows) {
  for (const name of wordSet(row.on)) {
    if (name.endsWith(".*")) byBeginning.push([name.slice(0, -1), row]);
    else byName.set(name, [...(byName.get(name) ?? []), row]);
  }
}

/** The findings of the tables for one call of a program, by their keys. */
export function riskKeys(name: string, args: readonly Argument[]): readonly string[] {
  if (asksForHelp(args)) return [];
  const candidates = rowsOf(name);
  if (candidates.length === 0) return [];
  const words = readOptions(args, styleOf(name));
  return [...new Set(candidates.filter((row) => applies(row, words)).map((row) => row.key))];
}

export function isRisky(name: string): boolean {
  return rowsOf(name).length > 0;
}

/** A call that only asks what the program is. */
export function asksForHelp(args: readonly Argument[]): boolean {
  const [only, ...more] = args;
  return more.length === 0 && /^(?:--help|--version|-h|-V|-version|help|version)$/.test(only?.text ?? "");
}

function rowsOf(name: string): readonly RiskRow[] {
  const named = byName.get(name) ?? [];
  const begun = byBeginning.filter(([beginning]) => name.startsWith(beginning)).map(([, row]) => row);
  return [...named, ...begun];
}

function applies(row: RiskRow, words: OptionWords): boolean {
  const operands = words.operands.map((operand) => operand.text);
  if (row.sub !== undefined && !row.sub.split(",").some((one) => beginsWith(operands, one.trim()))) return false;
  if (row.any !== undefined && !hasAny(words, row.any)) return false;
  if (row.unless !== undefined && isHarmless(row.unless, words)) return false;
  if (row.operand === undefined) return true;
  const { operand } = row;
  const values = words.options.flatMap(({ name, value }) => [name, ...(value === undefined ? [] : [value.text])]);
  return [...operands, ...values].some((text) => operand.test(text));
}

function isHarmless(unless: string, words: OptionWords): boolean {
  return hasAny(words, unless) || words.operands.some((operand) => wordSet(unless).has(operand.text));
}

function beginsWith(operands: readonly string[], wanted: string): boolean {
  if (wanted.startsWith("~")) {
    const word = wanted.slice(1);
    return operands.some((one) => one === word || one.startsWith(`${word}-`) || one.endsWith(`:${word}`));
  }
  return wanted.split(" ").every((part, index) => {
    const given = operands[index];
    if (given === undefined) return false;
    return part === "*" || part.split("/").includes(given);
  });
}
