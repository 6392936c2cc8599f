import type { Finding } from "../../contract/approval-request.ts";
import { readCommandLine } from "../../shell/read-line.ts";
import type { CommandLine, SimpleCommand } from "../../shell/simple-command.ts";
import { dataKeys } from "../structure/data-rules.ts";
import { effectKeys, type JudgeLocation } from "../structure/effect-keys.ts";
import { flaggedRules } from "../structure/flagged-rules.ts";
import { hardlineRules } from "../structure/hardline-rules.ts";
import { keys } from "../structure/keys.ts";
import type { CommandRule, RuleContext } from "../structure/rule.ts";
import { normalizeCommand } from "./normalize.ts";
import { flaggedByText, hardlineByText } from "./text-rules.ts";

export interface DetectLocation extends JudgeLocation {
  /** Where the command would start. */
  readonly cwd: string | undefined;
  /** Whether other rights are asked about: never, where nothing else is (the default), always. */
  readonly sudo?: "off" | "auto" | "ask" | undefined;
}

/** What a command would do that matters. `hardline` wins over everything. */
export interface Detected {
  readonly hardline: Finding | undefined;
  readonly findings: readonly Finding[];
}

/**
 * Judges a command as the shell gets it, and once more as it looks to a person: what either reading finds counts. In
 * two layers: by a shell parse, which sees through wrappers and quoting and knows data from commands, and by text
 * patterns where the parse leaves something in the dark.
 */
export function detect(command: string, location: DetectLocation): Detected {
  // A shell drops NUL; the reader's own marks mean nothing in a line from outside.
  const exact = command.replaceAll("\u0000", "").replace(/[\ufdd0-\ufdd2]/g, "\ufffd");
  const seen = normalizeCommand(command);
  const readings = [judge(exact, location)];
  if (seen !== exact) readings.unshift(judge(seen, location));
  const cut = command.indexOf("\u0000");
  if (cut > 0) readings.push(judge(command.slice(0, cut), location));
  const hardline = readings.find((one) => one.hardline !== undefined)?.hardline;
  if (hardline !== undefined) return { hardline, findings: [] };
  const found = new Set(readings.flatMap((one) => one.keys));
  if (exact !== command) found.add(keys.deceiving);
  if (seen !== command) dropDisguise(found, readings);
  return { hardline: undefined, findings: [...found].map((key) => finding(key, "ask", "structure")) };
}

interface Reading {
  readonly hardline: Finding | undefined;
  readonly keys: readonly string[];
  /** Names that nobody knows and that hold more than plain letters. */
  readonly hasStrangeNames: boolean;
}

/** What a disguise hides says more than that there is one. */
function dropDisguise(found: Set<string>, readings: readonly Reading[]): void {
  const general: ReadonlySet<string> = new Set([keys.deceiving, keys.unknownCommand]);
  const [seen] = readings;
  if (!seen?.keys.some((key) => !general.has(key))) return;
  found.delete(keys.deceiving);
  if (!seen.keys.includes(keys.unknownCommand) && readings.some((one) => one.hasStrangeNames))
    found.delete(keys.unknownCommand);
}

function judge(text: string, location: DetectLocation): Reading {
  const line = readCommandLine(text, location);
  const contexts = line.commands.map((one, index) => [one, { line, location, index }] as const);
  const hardline = hardlineOf(text, line, contexts);
  if (hardline !== undefined) return { hardline, keys: [], hasStrangeNames: false };
  const own = contexts.map(([one, context]) => commandKeys(one, { ...context, location }));
  const found = new Set<string>();
  own.forEach((list, index) => {
    const [command] = contexts[index] ?? [];
    const isCovered = command !== undefined && isCarried(command, contexts, own);
    for (const key of list) if (!isRightsOnly(key) || saysRights(location, isCovered)) found.add(key);
  });
  if (isDark(line)) for (const key of flaggedByText(text)) found.add(key);
  if (line.problems.length > 0) found.add("unparseable command");
  if (line.traits.has("deceiving-characters")) found.add(keys.deceiving);
  if (line.traits.has("endless-loop") || line.traits.has("spawning-loop")) found.add(keys.exhaustion);
  return {
    hardline: undefined,
    keys: [...found],
    hasStrangeNames: line.commands.some((one) => /[^\u0020-\u007e]/.test(one.name ?? "")),
  };
}

type Contexts = readonly (readonly [SimpleCommand, RuleContext])[];

function hardlineOf(text: string, line: CommandLine, contexts: Contexts): Finding | undefined {
  // What is decoded in the line itself is asked about as such, with the whole line before the person's eyes.
  const plain = contexts.filter(([one]) => !one.wrappers.includes("decoded"));
  const rule =
    hardlineRules.find((one) => plain.some(([command, context]) => one.matches(command, context))) ??
    (line.forkBombs.length > 0 ? hardlineRules.find((one) => one.id === "H07") : undefined);
  if (rule !== undefined) return finding(rule.key, "block", "structure");
  const key = isDark(line) ? hardlineByText(text) : undefined;
  return key === undefined ? undefined : finding(key, "block", "pattern");
}

/** The first rule that matches names a command's own finding; effects that it does not cover count besides. */
export function commandKeys(
  command: SimpleCommand,
  context: RuleContext & { readonly location: JudgeLocation },
): readonly string[] {
  const own = flaggedRules.find((rule: CommandRule) => rule.matches(command, context))?.key;
  const covered = own === undefined ? [] : (covers.get(own) ?? []);
  const effects = effectKeys(command, context.location, context.line).filter(
    (key) => !covered.includes(key) && !covered.includes("all"),
  );
  return [...new Set([...(own === undefined ? [] : [own]), ...dataKeys(command), ...effects])];
}

const deletes = [keys.deleteOutside, keys.bulkDelete, keys.fileLoss];
const writes = [keys.writeOutside, keys.protectedFile];
const scripts = [keys.unknownScript, keys.supply];
/** Effects that a named finding already says. */
const covers: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    "obfuscated command": ["all"],
    "delete in root path": deletes,
    "recursive delete": deletes,
    "find -delete": deletes,
    "xargs with rm": deletes,
    "find -exec rm": deletes,
    "world/other-writable permissions": [...writes, keys.privilege],
    "recursive chown to root": [...writes, keys.privilege],
    "overwrite system config": writes,
    "overwrite system file via redirection": writes,
    "overwrite system file via tee": writes,
    "overwrite project env/config via redirection": writes,
    "overwrite project env/config via tee": writes,
    "overwrite project env/config file": writes,
    "copy/move file into /etc/": writes,
    "in-place edit of system config": writes,
    "destructive file operation": deletes,
    "pipe remote content to shell": scripts,
    "execute remote script via process substitution": scripts,
    "force kill processes": [keys.kill],
    "kill hermes/gateway process (self-termination)": [keys.kill],
    "kill process via pgrep expansion (self-termination)": [keys.kill],
    "stop/restart hermes gateway (kills running agents)": [keys.ownSettings],
    "hermes update (restarts gateway, kills running agents)": [keys.ownSettings],
    "start gateway outside systemd (use 'systemctl --user restart hermes-gateway')": [keys.ownSettings],
    "git reset --hard (destroys uncommitted changes)": [keys.git],
    "git force push (rewrites remote history)": [keys.git],
    "git force push short flag (rewrites remote history)": [keys.git],
    "git clean with force (deletes untracked files)": [keys.git],
    "git branch force delete": [keys.git],
    "disk copy": [keys.exhaustion, keys.fileLoss],
  }),
);

/** `sudo x`: what x does says more than that it is done with other rights. */
function isCarried(command: SimpleCommand, contexts: Contexts, own: readonly (readonly string[])[]): boolean {
  return contexts.some(
    ([inner], index) =>
      inner !== command &&
      inner.wrappers.includes(command.name ?? "") &&
      (own[index]?.some((key) => !isRightsOnly(key)) ?? false),
  );
}

function isRightsOnly(key: string): boolean {
  return key === keys.sudo || key === keys.privilege;
}

function saysRights({ sudo = "auto" }: DetectLocation, isCovered: boolean): boolean {
  return sudo === "ask" || (sudo === "auto" && !isCovered);
}

/** Something cannot be read, and what can be read of it looks dangerous. */
function isDark(line: CommandLine): boolean {
  return line.problems.length > 0 || line.commands.some(isObscure);
}

/** A command whose name cannot be known, with words that would be dangerous behind some names. */
function isObscure(command: SimpleCommand): boolean {
  if (command.name !== undefined) return false;
  return command.args.some((arg) => /^-[a-zA-Z]*[rRf][a-zA-Z]*$|^\/$|^\/dev\/|^--force|^-[a-z]*c$/.test(arg.text));
}

function finding(key: string, severity: Finding["severity"], source: string): Finding {
  return { key, description: key, severity, source };
}
