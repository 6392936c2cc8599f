import { hasAny, type OptionWords, readOptions, wordSet } from "../../../../shell/programs/option-words.ts";
import type { Argument } from "../../../../shell/simple-command.ts";
import { styleOf } from "../styles.ts";
import { machineRisks } from "./machine.ts";
import type { RiskRow } from "./row.ts";
import { serviceRisks } from "./services.ts";
import { softwareRisks } from "./software.ts";
import { unusualRisks } from "./unusual.ts";
import { verbRisks } from "./verbs.ts";

/** A row with its sub-commands taken apart. */
interface ReadyRow extends Omit<RiskRow, "sub" | "except"> {
  readonly subs: SubCommands | undefined;
  readonly everyday: SubCommands | undefined;
}

type SubCommands = readonly (readonly (readonly string[])[])[];

const rows: readonly ReadyRow[] = [
  ...machineRisks,
  ...softwareRisks,
  ...serviceRisks,
  ...unusualRisks,
  ...verbRisks,
].map(({ sub, except, ...row }) => ({ ...row, subs: takenApart(sub), everyday: takenApart(except) }));

function takenApart(cell: string | undefined): SubCommands | undefined {
  return cell?.split(",").map((one) =>
    one
      .trim()
      .split(" ")
      .map((part) => part.split("/")),
  );
}

const byName = new Map<string, ReadyRow[]>();
const byBeginning: (readonly [string, ReadyRow])[] = [];
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

function rowsOf(name: string): readonly ReadyRow[] {
  const named = byName.get(name) ?? [];
  const begun = byBeginning.filter(([beginning]) => name.startsWith(beginning)).map(([, row]) => row);
  return [...named, ...begun];
}

function applies(row: ReadyRow, words: OptionWords): boolean {
  const operands = words.operands.map((operand) => operand.text);
  if (row.subs !== undefined && !row.subs.some((one) => beginsWith(operands, one))) return false;
  if (row.everyday !== undefined && (operands.length === 0 || row.everyday.some((one) => beginsWith(operands, one))))
    return false;
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

function beginsWith(operands: readonly string[], wanted: readonly (readonly string[])[]): boolean {
  const word = wanted[0]?.[0] ?? "";
  if (word.startsWith("~")) {
    const verb = word.slice(1);
    return operands.some((one) => one === verb || one.startsWith(`${verb}-`) || one.endsWith(`:${verb}`));
  }
  return wanted.every((choices, index) => {
    const input = operands[index];
    return input !== undefined && (choices[0] === "*" || choices.includes(input));
  });
}
