import type { Finding } from "../contract/approval-request.ts";
import { readCommandLine } from "../shell/read-line.ts";
import { type Argument, hasUnknown, literal, type SimpleCommand } from "../shell/simple-command.ts";
import { commandKeys, type DetectLocation } from "./detector/detect.ts";
import { normalizeCommand } from "./detector/normalize.ts";
import { keys } from "./structure/keys.ts";
import { below, isInside } from "./structure/paths.ts";
import { operandsOf } from "./structure/rule.ts";

/** Findings about files that a command names: a yes to them can end at a folder. */
const boundKeys: ReadonlySet<string> = new Set([
  "recursive delete",
  "find -delete",
  keys.bulkDelete,
  keys.fileLoss,
  keys.permissions,
]);

/** Programs that touch the files they are given as words, and nothing else; of `find`, those below its roots. */
const namesItsFiles: ReadonlySet<string> = new Set(["rm", "unlink", "shred", "truncate", "chmod", "find"]);

/** The folder that an answer to this command can be bound to: where it runs, when it stays below that. */
export function folderOf(command: string, findings: readonly Finding[], location: DetectLocation): string | undefined {
  const isBound = findings.length > 0 && findings.every(({ key, isExact }) => boundKeys.has(key) && isExact !== true);
  if (!isBound || location.cwd === undefined || location.realPath === undefined) return undefined;
  const folder = location.realPath(location.cwd);
  return staysBelow(folder, command, location) ? folder : undefined;
}

/**
 * Whether all that a command line deletes or overwrites lies below a folder, links followed. What cannot be read, is wrapped
 * in another command or is known only at run time does not count as staying.
 */
export function staysBelow(folder: string, command: string, location: DetectLocation): boolean {
  const { realPath } = location;
  if (realPath === undefined || normalizeCommand(command) !== command) return false;
  const line = readCommandLine(command, location);
  if (line.problems.length > 0 || line.unknownScripts.size > 0 || line.traits.size > 0) return false;
  return line.commands.every((one, index) => {
    if (one.name === undefined) return false;
    if (!commandKeys(one, { line, location, index }).some((key) => boundKeys.has(key))) return true;
    if (!namesItsFiles.has(one.name) || one.wrappers.length > 0 || one.writes.length > 0) return false;
    const files = one.name === "find" ? rootsOf(one) : operandsOf(one);
    return (
      files !== undefined &&
      files.length > 0 &&
      files.every((file) => isBelow(file, { folder, command: one, realPath }))
    );
  });
}

interface Beginning {
  readonly folder: string;
  readonly command: SimpleCommand;
  readonly realPath: (path: string) => string;
}

/** The folder itself is not below itself; what `find` or a glob finds in it is. */
function isBelow(file: Argument, { folder, command, realPath }: Beginning): boolean {
  const known = knownPath(file);
  if (known === undefined || command.cwd === undefined) return false;
  const target = realPath(known.startsWith("/") ? known : `${command.cwd}/${known}`);
  return command.name === "find" || file.hasGlob ? isInside(target, folder) : (below(target, folder) ?? "") !== "";
}

/** Where `find` begins; undefined when that, or what it would follow, is not written down. */
function rootsOf({ args }: SimpleCommand): readonly Argument[] | undefined {
  if (args.some(({ isKnown, text }) => !isKnown || /^-(?:L|H|follow|files0-from)/.test(text))) return undefined;
  const end = args.findIndex(({ text }) => /^[-(!]/.test(text));
  const roots = args.slice(0, end < 0 ? undefined : end);
  return roots.length === 0 ? [literal(".")] : roots;
}

/** A path as far as it is certain where it leads: of one with a glob in its last name, the folder before that. */
function knownPath({ text, hasGlob }: Argument): string | undefined {
  const at = text.lastIndexOf("/");
  const path = hasGlob ? text.slice(0, Math.max(0, at)) : text;
  const last = text.slice(at + 1);
  if (hasUnknown(path) || /[*?[]/.test(path) || /^~/.test(path) || path.split("/").includes("..")) return undefined;
  if (hasGlob) return at === 0 || last.startsWith(".") ? undefined : path === "" ? "." : path;
  return path === "" ? undefined : path;
}
