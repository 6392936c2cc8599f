import { readTree, readValue } from "../interpreter.ts";
import { formatKeyPath, type KeyPath } from "../key-path.ts";
import { parseSettingsFile } from "../load/document.ts";
import { suggestionFor } from "../load/file-layer.ts";
import { normalise } from "../load/normalise.ts";
import { nodeAt, typeName } from "../lookup.ts";
import { configRoot } from "../sections/root.ts";
import type { Node } from "../sections/setting.ts";
import { withValue } from "../tree.ts";

/** Whether a word is a value for a key. */
export type SettingCheck =
  | { readonly kind: "good"; readonly value: unknown }
  | { readonly kind: "unknown-key"; readonly value: unknown; readonly suggestion: string | undefined }
  | { readonly kind: "wrong-type"; readonly expected: string; readonly written: string };

export function checkSetting(path: KeyPath, written: string): SettingCheck {
  const node = nodeAt(configRoot, path) ?? olderNode(path);
  if (node === undefined) return { kind: "unknown-key", value: guessedValue(written), suggestion: suggest(path) };
  const value = meant(written, node);
  const { bad } = readTree(normalise(withValue({}, path, value)).tree, configRoot);
  // An entry that is not complete yet is not this value's fault.
  const isWrong = value === broken || bad.some(({ lacks }) => lacks === undefined);
  if (isWrong) return { kind: "wrong-type", expected: typeName(node), written };
  const read = readValue(value, node);
  return { kind: "good", value: read.isGood ? read.value : value };
}

/** A list or a map that does not parse. */
const broken = Symbol("broken");

/** What the type of the key makes of a word, so that `off` stays a word for a choice and `5` stays text for a name. */
function meant(written: string, node: Node): unknown {
  if (node.nullable === true && written.trim() === "null") return null;
  if (node.kind === "anything") return guessedValue(written);
  const hasBrackets = /^\s*[[{]/.test(written);
  if (!holdsMany(node) || !hasBrackets) return written;
  return flowValue(written) ?? broken;
}

const holdsMany = (node: Node): boolean =>
  ["list", "map", "group"].includes(node.kind) || (node.kind === "either" && node.options.some(holdsMany));

/**
 * The value a person means by a word while nothing is known about the key: `true`/`yes`/`on` and `false`/`no`/`off` are
 * flags, digits are numbers, brackets and braces are lists and maps, the rest is text.
 */
export function guessedValue(written: string): unknown {
  const word = written.trim().toLowerCase();
  if (["true", "yes", "on"].includes(word)) return true;
  if (["false", "no", "off"].includes(word)) return false;
  // A leading zero marks an id or a code, not a number.
  if (/^-?(?:0|[1-9]\d*)$/.test(word) && Number.isSafeInteger(Number(word))) return Number(word);
  if (/^-?(?:0|[1-9]\d*)\.\d+$/.test(word)) return Number(word);
  return flowValue(written) ?? written;
}

/** A list or a map on one line (`[a, b]`, `{a: 1}`), read as a settings file does; undefined for anything else. */
function flowValue(written: string): unknown {
  if (!/^\s*[[{]/.test(written)) return undefined;
  const read = parseSettingsFile(`value: ${written.trim()}\n`);
  if (read.kind === "broken" || Object.keys(read.tree).length !== 1) return undefined;
  const value = read.tree["value"];
  return typeof value === "object" && value !== null ? value : undefined;
}

/** Older spellings are accepted by the loader, so they may be set as well. */
function olderNode(path: KeyPath): Node | undefined {
  const { moves } = normalise(withValue({}, path, "?"));
  const moved = [...moves].find(([, from]) => formatKeyPath(from) === formatKeyPath(path));
  return moved === undefined ? undefined : nodeAt(configRoot, moved[0].split("."));
}

function suggest(path: KeyPath): string | undefined {
  for (let depth = 0; depth < path.length; depth += 1) {
    const parent = nodeAt(configRoot, path.slice(0, depth));
    if (parent?.kind !== "group" || Object.hasOwn(parent.fields, path[depth] ?? "")) continue;
    const nearby = suggestionFor(path.slice(0, depth + 1), Object.keys(parent.fields));
    if (nearby === undefined) return undefined;
    const whole = [nearby, ...path.slice(depth + 1).map((rest) => formatKeyPath([rest]))].join(".");
    return nodeAt(configRoot, whole.split(".")) === undefined ? nearby : whole;
  }
  return undefined;
}
