import type { Finding } from "../../contract/approval-request.ts";
import { readCommandLine } from "../../shell/read-line.ts";
import type { CommandLine, SimpleCommand } from "../../shell/simple-command.ts";
import { type DetectLocation, detect } from "../detector/detect.ts";
import { normalizeCommand } from "../detector/normalize.ts";
import { effectKeys } from "../structure/effect-keys.ts";
import { keys } from "../structure/keys.ts";
import { codesOf } from "../structure/rules/code.ts";
import { zoneOf } from "../structure/zones.ts";
import { readCode } from "./readable-code.ts";

/**
 * Findings that say how something runs, not what it does, or what any write does. Where a sandbox holds a command and everything in reach can be
 * brought back, they ask only when what runs cannot be read or does more than work in the workspace.
 */
const heldFindings: ReadonlySet<string> = new Set([
  "shell command via -c/-lc flag",
  "script execution via -e/-c flag",
  "script execution via heredoc",
  "chmod +x followed by immediate execution",
  keys.code,
  // Of `truncate` for one file, as `> file` does; other losses are asked about.
  keys.fileLoss,
]);

/** What brings something from elsewhere into a line: what is run in it may be just that. */
const fetching =
  /^(?:curl|wget|fetch|https?|aria2c|lwp-request|scp|sftp|rsync|ftp|nc|ncat|netcat|socat|ssh|git|base64|base32|xxd|openssl|uudecode|gpg|gunzip|gzip|zcat|bzcat|xzcat|tar|unzip|npx|pip3?|npm)$/;

const maxDepth = 3;

/** The findings that need a person's word although a sandbox holds the command and the workspace has a snapshot. */
export function stillAsked(
  command: string,
  findings: readonly Finding[],
  location: DetectLocation,
): readonly Finding[] {
  return isHeldWork(command, findings, { location, depth: 0 }) ? [] : findings;
}

interface Where {
  readonly location: DetectLocation;
  readonly depth: number;
}

function isHeldWork(command: string, findings: readonly Finding[], where: Where): boolean {
  if (findings.some(({ key, source }) => !heldFindings.has(key) || source !== "structure")) return false;
  if (findings.length === 0) return true;
  if (where.depth > maxDepth || isDisguised(command) || hasMoreRights(command, where.location)) return false;
  const line = readCommandLine(command, where.location);
  if (line.problems.length > 0 || line.unknownScripts.size > 0 || line.traits.size > 0) return false;
  if (
    findings.some(({ key }) => key === keys.fileLoss) &&
    !line.commands.every((one) => losesOneFile(one, line, where))
  )
    return false;
  const makesAndRuns = findings.some(({ key }) => key.startsWith("chmod +x"));
  return line.commands.every(
    (one) => one.name !== undefined && !(makesAndRuns && fetching.test(one.name)) && isReadable(one, where),
  );
}

/** Loses nothing, or empties one file of the workspace. */
function losesOneFile(command: SimpleCommand, line: CommandLine, { location }: Where): boolean {
  if (command.name !== "truncate")
    return command.name !== "mv" && !effectKeys(command, location, line).includes(keys.fileLoss);
  const files = command.args.filter(({ text }, at) => !text.startsWith("-") && command.args[at - 1]?.text !== "-s");
  return files.length === 1 && files.every((file) => zoneOf(file, command, location) === "workspace" && !file.hasGlob);
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

function startsHarmless(command: string, { location, depth }: Where): boolean {
  const { hardline, findings } = detect(command, location);
  return hardline === undefined && isHeldWork(command, findings, { location, depth: depth + 1 });
}

/** With other rights a command is asked about, also where what it does is said instead. */
function hasMoreRights(command: string, location: DetectLocation): boolean {
  if (location.sudo === "off") return false;
  return detect(command, { ...location, sudo: "ask" }).findings.some(({ key }) => !heldFindings.has(key));
}

/** It reads otherwise than it runs. */
function isDisguised(command: string): boolean {
  return normalizeCommand(command) !== command.replace(/\\\r?\n/g, "");
}
