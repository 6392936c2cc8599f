import { type Argument, hasUnknown, literal, type SimpleCommand, unknownText } from "../../shell/simple-command.ts";
import type { JudgeLocation } from "../structure/effect-keys.ts";
import { patternOf } from "../structure/paths.ts";
import { isArtefact } from "../structure/rules/files.ts";
import { fills } from "../structure/rules/filling.ts";
import { zoneOf } from "../structure/zones.ts";

/** How a line deletes or overwrites: the command that does it, among the others of the line. */
export interface Loss {
  readonly command: SimpleCommand;
  readonly others: readonly SimpleCommand[];
  readonly location: JudgeLocation;
}

/**
 * A loss that nobody wants to be asked about where a snapshot was taken: temporary folders of the line itself, a search for
 * what is made again, one file that is written anew. Whole folders of the workspace are asked about, whatever is in them.
 */
export function isSmallLoss(loss: Loss): boolean {
  const { command } = loss;
  if (fills(command)) return false;
  switch (command.name) {
    case "rm":
      return deletesLittle(loss);
    case "find":
      return findsLittle(command, loss.location);
    case "dd":
      return copiesInside(loss);
    case "truncate":
      return emptiesOne(loss);
    default:
      return false;
  }
}

function deletesLittle(loss: Loss): boolean {
  const { command, others, location } = loss;
  const files = command.args.filter(({ text }) => !text.startsWith("-"));
  const carrier = command.wrappers.at(-1);
  if (carrier === "find" || carrier === "xargs") {
    // What it is handed is what the one search of the line found.
    const searches = others.filter(({ name }) => name === "find");
    const isFed = carrier === "find" || (command.upstream.length === 1 && command.upstream[0]?.name === "find");
    const isOnlyFound = files.length > 0 && files.every(({ text }) => /^(?:[\w./-]*\/)?[\ufdd0\ufdd1]$/.test(text));
    return isFed && isOnlyFound && searches.length === 1 && searches.every((one) => findsLittle(one, location));
  }
  return files.length > 0 && files.every((file) => isOwnTemporary(file, loss));
}

/** Made by `mktemp` in the same line, or below such a folder. */
function isOwnTemporary(file: Argument, { command, others, location }: Loss): boolean {
  const target = patternOf(file, command, location);
  if (target === undefined || zoneOf(file, command, location) !== "temp") return false;
  const isMade = others.some(({ name }) => name === "mktemp") && /[^/\ufdd1]\ufdd1/.test(target);
  return isMade && !file.hasGlob && !file.text.includes(unknownText) && !file.text.includes("..");
}

/** A search below the workspace that can find nothing but what is made again. */
function findsLittle(command: SimpleCommand, location: JudgeLocation): boolean {
  const words = command.args.map(({ text }) => text);
  const end = words.findIndex((word) => /^[-(!]/.test(word));
  const roots = command.args.slice(0, end < 0 ? undefined : end);
  if (command.args.some(({ isKnown, hasGlob }) => !isKnown || hasGlob)) return false;
  if (words.some((word) => /^(?:-o|-or|!|-not|,|-L|-follow|-H)$/.test(word))) return false;
  const isInside = (root: Argument): boolean => zoneOf(root, command, location) === "workspace";
  if (!roots.every(isInside) || (roots.length === 0 && command.cwd === undefined)) return false;
  if (roots.length === 0 && !isInside(literal("."))) return false;
  const isNarrow = words.some((word, at) => {
    const pattern = words[at + 1] ?? "";
    // A test behind the action comes too late.
    const acts = words.findIndex((one) => /^-(?:delete|exec(?:dir)?|ok(?:dir)?)$/.test(one));
    if (!/^-i?name$/.test(word) || (acts >= 0 && at > acts)) return false;
    return isArtefact(pattern) || isArtefact(`${pattern}/`);
  });
  const isOutput = roots.length > 0 && roots.every(({ text }) => isArtefact(`${text}/`) && !text.includes(".."));
  return isNarrow || isOutput;
}

/** `dd of=x`: a file of the workspace is written, as a redirection would. */
function copiesInside({ command, location }: Loss): boolean {
  const named = (key: string): readonly Argument[] =>
    command.args
      .filter(({ text }) => text.startsWith(`${key}=`))
      .map((arg) => ({ ...arg, text: arg.text.slice(key.length + 1) }));
  const isBounded = command.args.some(({ text }) => text.startsWith("count="));
  const reads = named("if").every((file) => {
    if (/^\/dev\/(?:zero|u?random)$/.test(file.text)) return isBounded;
    return ["workspace", "temp"].includes(zoneOf(file, command, location));
  });
  const writes = named("of");
  return reads && writes.length === 1 && writes.every((file) => isPlainFile(file, { command, others: [], location }));
}

/** `truncate -s 0 x`: one file of the workspace. */
function emptiesOne(loss: Loss): boolean {
  const { args } = loss.command;
  const files = args.filter(({ text }, at) => !text.startsWith("-") && args[at - 1]?.text !== "-s");
  return files.length === 1 && files.every((file) => isPlainFile(file, loss));
}

function isPlainFile(file: Argument, { command, location }: Loss): boolean {
  const zone = zoneOf(file, command, location);
  return !file.hasGlob && (zone === "workspace" || zone === "temp") && !hasUnknown(file.text);
}
