import { normalizeCommand } from "./normalize.ts";
import type { Finding } from "./request.ts";
import { dataFindings } from "./structure/data-rules.ts";
import { effectRules } from "./structure/effect-rules.ts";
import { flaggedRules } from "./structure/flagged-rules.ts";
import { hardlineRules } from "./structure/hardline-rules.ts";
import type { PathPlace } from "./structure/paths.ts";
import { readCommandLine } from "./structure/read-line.ts";
import type { CommandRule, RuleContext } from "./structure/rule.ts";
import type { SimpleCommand } from "./structure/simple-command.ts";
import { flaggedByText, hardlineByText } from "./text-rules.ts";

export interface DetectPlace extends PathPlace {
  /** Where the command would start. */
  readonly cwd: string | undefined;
}

/** What a command would do that matters. `hardline` wins over everything. */
export interface Detected {
  readonly hardline: Finding | undefined;
  readonly findings: readonly Finding[];
}

/**
 * Judges a command in two layers: by a real shell parse, which sees through wrappers and quoting and
 * knows data from commands, and by text patterns where the parse leaves something in the dark.
 */
export function detect(command: string, place: DetectPlace): Detected {
  const text = normalizeCommand(command);
  const line = readCommandLine(text, { cwd: place.cwd, home: place.home });
  const contexts = line.commands.map((one, index) => [one, { line, place, index }] as const);
  // What is decoded in the line itself is asked about as such, with the whole line before the person's eyes.
  const plain = contexts.filter(([one]) => !one.wrappers.includes("decoded"));
  const hard =
    firstRule(hardlineRules, plain) ??
    (line.forkBombs.length > 0 ? hardlineRules.find((rule) => rule.id === "H07") : undefined);
  const isDark = line.problems.length > 0 || line.commands.some(isObscure);
  const hardText = isDark && hard === undefined ? hardlineByText(text) : undefined;
  if (hard !== undefined || hardText !== undefined) {
    const key = hard?.key ?? hardText ?? "";
    return { hardline: finding(key, "block", hard === undefined ? "pattern" : "structure"), findings: [] };
  }
  const keys = new Set<string>();
  for (const [one, context] of contexts) for (const key of keysOf(one, context)) keys.add(key);
  if (isDark) for (const key of flaggedByText(text)) keys.add(key);
  if (line.problems.length > 0) keys.add("unparseable command");
  return { hardline: undefined, findings: [...keys].map((key) => finding(key, "ask", "structure")) };
}

/** The first rule that matches names a command's own finding; what it says to a database counts besides. */
function keysOf(command: SimpleCommand, context: RuleContext): readonly string[] {
  const own = [...flaggedRules, ...effectRules].find((rule) => rule.matches(command, context));
  return [...(own === undefined ? [] : [own.key]), ...dataFindings(command).map(([, key]) => key)];
}

function firstRule(
  rules: readonly CommandRule[],
  contexts: readonly (readonly [SimpleCommand, RuleContext])[],
): CommandRule | undefined {
  return rules.find((rule) => contexts.some(([command, context]) => rule.matches(command, context)));
}

/** A command whose name cannot be known, with words that would be dangerous behind some names. */
function isObscure(command: SimpleCommand): boolean {
  if (command.name !== undefined) return false;
  return command.args.some((arg) => /^-[a-zA-Z]*[rRf][a-zA-Z]*$|^\/$|^\/dev\/|^--force|^-[a-z]*c$/.test(arg.text));
}

function finding(key: string, severity: Finding["severity"], source: string): Finding {
  return { key, description: key, severity, source };
}
