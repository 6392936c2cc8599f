import type { Finding } from "../../contract/approval-request.ts";
import { readCommandLine } from "../../shell/read-line.ts";
import type { CommandLine, SimpleCommand } from "../../shell/simple-command.ts";
import { commandKeys, type DetectLocation, detect } from "../detector/detect.ts";
import { normalizeCommand } from "../detector/normalize.ts";
import { keys } from "../structure/keys.ts";
import { codesOf } from "../structure/rules/code.ts";
import { isFetchedByName } from "./fetched-packages.ts";
import { readCode } from "./readable-code.ts";
import { isSmallLoss } from "./small-losses.ts";

/** Findings that say how something runs, not what it does: what runs is read instead. */
const howItRuns: ReadonlySet<string> = new Set([
  "shell command via -c/-lc flag",
  "script execution via -e/-c flag",
  "script execution via heredoc",
  "chmod +x followed by immediate execution",
  keys.code,
]);
/** Findings that say that something is lost. A snapshot brings it back: small losses are nobody's question. */
const whatIsLost: ReadonlySet<string> = new Set([
  "recursive delete",
  "delete in root path",
  "find -delete",
  "find -exec rm",
  "xargs with rm",
  "disk copy",
  keys.fileLoss,
]);

/** What brings something from elsewhere into a line: what is run in it may be just that. */
const fetching =
  /^(?:curl|wget|fetch|https?|aria2c|lwp-request|scp|sftp|rsync|ftp|nc|ncat|netcat|socat|ssh|git|base64|base32|xxd|openssl|uudecode|gpg|gunzip|gzip|zcat|bzcat|xzcat|tar|unzip|npx|pip3?|npm)$/;

const maxDepth = 3;

/** How far what holds a command goes. */
export interface Holding {
  /** A host that is not allowed is asked about when it is reached. */
  readonly asksForHosts: boolean;
}

/**
 * The findings that need a person's word although a sandbox holds the command and the workspace has a snapshot. What says
 * how something runs is asked about only where that cannot be read or does more than work in the workspace.
 */
export function stillAsked(
  command: string,
  findings: readonly Finding[],
  { location, holding }: { readonly location: DetectLocation; readonly holding: Holding },
): readonly Finding[] {
  return isHeldWork(command, findings, { location, holding, depth: 0 }) ? [] : findings;
}

interface Where {
  readonly location: DetectLocation;
  readonly holding: Holding;
  readonly depth: number;
}

function isHeldWork(command: string, findings: readonly Finding[], where: Where): boolean {
  if (findings.some(({ key, source }) => !isHeldKey(key, where) || source !== "structure")) return false;
  if (findings.length === 0) return true;
  if (where.depth > maxDepth || isDisguised(command) || hasMoreRights(command, where)) return false;
  const line = readCommandLine(command, where.location);
  if (line.problems.length > 0 || line.unknownScripts.size > 0 || line.traits.size > 0) return false;
  const makesAndRuns = findings.some(({ key }) => key.startsWith("chmod +x"));
  return line.commands.every(
    (one, index) =>
      one.name !== undefined &&
      !(makesAndRuns && fetching.test(one.name)) &&
      commandKeys(one, { line, location: where.location, index }).every((key) => isHeld(key, one, { line, where })) &&
      isReadable(one, where),
  );
}

function isHeldKey(key: string, { holding }: Where): boolean {
  return howItRuns.has(key) || whatIsLost.has(key) || (holding.asksForHosts && key === keys.supply);
}

/** What a finding is about is held in the case of this command. */
function isHeld(
  key: string,
  command: SimpleCommand,
  { line, where }: { readonly line: CommandLine; readonly where: Where },
): boolean {
  const { location } = where;
  if (key === keys.supply) return isFetchedByName(command, line, location);
  if (whatIsLost.has(key)) return isSmallLoss({ command, others: line.commands, location });
  return true;
}

/** All code of a command can be read, and what it starts would not be asked about either. */
function isReadable(command: SimpleCommand, where: Where): boolean {
  const { language, sources } = codesOf(command);
  if (language === undefined) return true;
  return sources.every((source) => {
    // Nothing where code should be: it comes from elsewhere.
    const read = source === "" ? undefined : readCode(source, language, { command, location: where.location });
    return read?.commands.every((one) => startsHarmless(one, where)) === true;
  });
}

function startsHarmless(command: string, where: Where): boolean {
  const { hardline, findings } = detect(command, where.location);
  return hardline === undefined && isHeldWork(command, findings, { ...where, depth: where.depth + 1 });
}

/** With other rights a command is asked about, also where what it does is said instead. */
function hasMoreRights(command: string, where: Where): boolean {
  const { location } = where;
  if (location.sudo === "off") return false;
  return detect(command, { ...location, sudo: "ask" }).findings.some(({ key }) => !isHeldKey(key, where));
}

/** It reads otherwise than it runs. */
function isDisguised(command: string): boolean {
  return normalizeCommand(command) !== command.replace(/\\\r?\n/g, "");
}
