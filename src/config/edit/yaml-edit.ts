import { isDeepStrictEqual } from "node:util";
import { type Document, isCollection, isSeq } from "yaml";
import { UserError } from "#foundation/errors";
import { formatKeyPath, type KeyPath } from "../key-path.ts";
import { type GoodDocument, parseSettingsFile } from "../load/document.ts";
import { normalise } from "../load/normalise.ts";
import { isPlainRecord, type Tree, valueAt, withoutValue, withValue } from "../tree.ts";
import { currentConfigVersion } from "../version.ts";
import type { SettingChange } from "./yaml-splice.ts";
import { editText } from "./yaml-splice.ts";

/** The text of a settings file after changes, each made where the file has its key. */
export function changedText(text: string, tree: Tree, changes: readonly SettingChange[]): string {
  const { moves } = normalise(tree);
  // A key the file has under its older name is changed there, not written a second time.
  const locationOf = (path: KeyPath): KeyPath =>
    valueAt(tree, path) === undefined ? (moves.get(formatKeyPath(path)) ?? path) : path;
  const placed = changes.map((change) => ({ ...change, path: locationOf(change.path) }));
  // A file made by Hermes says which layout it has; a person's own file is not given keys it did not ask for.
  const isNew = text.trim() === "" && changes.some(({ kind }) => kind === "set");
  const start: SettingChange[] = isNew ? [{ kind: "set", path: ["_config_version"], value: currentConfigVersion }] : [];
  return applyChanges(text, [...start, ...placed]);
}

/**
 * Changes keys in the text of a settings file. Invariants:
 *
 * 1. Only the bytes of the changed key differ: comments, order, quoting, blank lines and line ends stay.
 * 2. The new text means exactly the old settings with the change; it is read again and compared, and a
 *    text edit that means anything else is thrown away in favour of the library's own serialiser.
 * 3. A change that cannot be made without touching something else is refused.
 */
export function applyChanges(text: string, changes: readonly SettingChange[]): string {
  return changes.reduce(applyChange, text);
}

function applyChange(text: string, change: SettingChange): string {
  const before = parseSettingsFile(text);
  if (before.kind === "broken") throw new Error(`a text that does not parse reached the editor: ${before.message}`);
  refuseUnclear(before, change.path);
  const short = shortModelFirst(before, change);
  if (short !== undefined) return applyChange(applyChange(text, short), change);
  const wanted =
    change.kind === "set" ? withValue(before.tree, change.path, change.value) : withoutValue(before.tree, change.path);
  if (isDeepStrictEqual(wanted, before.tree)) return text;
  const edited = editText(before, change);
  if (edited !== undefined && means(edited, wanted)) return edited;
  const rewritten = editDocument(before.document, change);
  if (means(rewritten, wanted)) return rewritten;
  throw new UserError(`${formatKeyPath(change.path)} cannot be changed without changing other settings.`, {
    hint: "It is shared through a YAML reference (& and *). Change the file by hand: hermes config edit",
    code: "config_edit_refused",
  });
}

/** `model: name` has to become a group of keys before another key of the group can be set. */
function shortModelFirst(before: GoodDocument, change: SettingChange): SettingChange | undefined {
  const { model } = before.tree;
  if (typeof model !== "string" || change.kind !== "set" || change.path[0] !== "model" || change.path.length < 2) {
    return undefined;
  }
  return { kind: "set", path: ["model"], value: { default: model } };
}

function refuseUnclear(before: GoodDocument, path: KeyPath): void {
  const twice = before.duplicates.find((duplicate) => isPrefix(duplicate.path, path));
  if (twice !== undefined) {
    throw new UserError(
      `${formatKeyPath(twice.path)} is written twice, the second time in line ${twice.position.line}.`,
      {
        hint: "Remove one of the two, then try again.",
        code: "config_edit_refused",
        data: { line: twice.position.line },
      },
    );
  }
  for (let depth = 1; depth < path.length; depth += 1) {
    const parent = valueAt(before.tree, path.slice(0, depth));
    const isGroup = parent === undefined || parent === null || isPlainRecord(parent) || Array.isArray(parent);
    if (isGroup || (depth === 1 && path[0] === "model" && typeof parent === "string")) continue;
    const location = before.locate(path.slice(0, depth));
    throw new UserError(`${formatKeyPath(path.slice(0, depth))} holds a single value, not a group of keys.`, {
      hint: `Change line ${location?.line ?? 1} by hand: hermes config edit`,
      code: "config_edit_refused",
    });
  }
}

const isPrefix = (prefix: KeyPath, path: KeyPath): boolean =>
  prefix.length <= path.length && prefix.every((segment, index) => segment === path[index]);

/** Whether a text holds these settings. An empty group, an empty value and an absent one mean the same. */
function means(text: string, wanted: Tree): boolean {
  const after = parseSettingsFile(text);
  return after.kind === "good" && isDeepStrictEqual(pruned(after.tree), pruned(wanted));
}

function pruned(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(pruned);
  if (!isPlainRecord(value)) return value ?? undefined;
  const kept = Object.entries(value)
    .map(([key, child]) => [key, pruned(child)] as const)
    .filter(([, child]) => child !== undefined);
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

function editDocument(document: Document.Parsed, change: SettingChange): string {
  const path: unknown[] = [];
  let node: unknown = document.contents;
  for (const segment of change.path) {
    const step = isSeq(node) ? Number(segment) : segment;
    path.push(step);
    node = isCollection(node) ? node.get(step, true) : undefined;
  }
  if (change.kind === "set") document.setIn(path, change.value);
  else document.deleteIn(path);
  return document.toString({ lineWidth: 0 });
}
