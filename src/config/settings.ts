import type { KeyPath } from "./key-path.ts";
import { formatKeyPath } from "./key-path.ts";
import type { ReloadScope } from "./sections/setting.ts";
import type { DescribedShape, Shape } from "./shape.ts";
import { isPlainRecord, type Tree, valueAt } from "./tree.ts";

/** One documented key. `<name>` stands for a name the person chooses, `[]` for any position of a list. */
export interface SettingInfo {
  readonly key: string;
  readonly type: string;
  readonly choices: readonly string[];
  readonly defaultValue: unknown;
  readonly description: string;
  readonly category: string;
  readonly reload: ReloadScope;
  readonly isSecret: boolean;
  /** Why a value does nothing so far, as a sentence. */
  readonly noEffect?: string;
}

/** Every key of the schema, in the order of the file; sections themselves are not listed. */
export function listSettings(root: DescribedShape, defaults: Tree): readonly SettingInfo[] {
  return [...walk(root, [], defaults)];
}

/** What a shape accepts, in words: `whole number (1 or more)`. */
export function typeName(shape: Shape): string {
  const { facts } = shape;
  const orNull = facts.isNullable ? " or null" : "";
  switch (shape.kind) {
    case "object":
      return `group of keys${orNull}`;
    case "map":
      return `map of ${typeName(shape.value)}${orNull}`;
    case "list":
      return `list of ${typeName(shape.item)}${orNull}`;
    case "union":
      return shape.options.map(typeName).join(" or ") + orNull;
    case "choice":
      return `one of ${shape.choices.map((item) => (item === "" ? "(empty)" : item)).join(", ")}${orNull}`;
    case "anything":
      return "any value";
    case "scalar":
      if (shape.type === "text") return `text${orNull}`;
      if (shape.type === "flag") return `true or false${orNull}`;
      return `${facts.isWhole ? "whole number" : "number"}${range(facts)}${orNull}`;
  }
}

function* walk(shape: DescribedShape, path: KeyPath, defaults: Tree): Generator<SettingInfo> {
  switch (shape.kind) {
    case "object":
      for (const [key, field] of shape.fields) yield* walk(field, [...path, key], defaults);
      return;
    case "map":
      if (holdsKeys(shape.value)) yield* walk(shape.value, [...path, "<name>"], defaults);
      else yield info(shape, path, defaults);
      return;
    case "list":
      if (holdsKeys(shape.item)) yield* walk(shape.item, [...path, "[]"], defaults);
      else yield info(shape, path, defaults);
      return;
    default:
      yield info(shape, path, defaults);
  }
}

const holdsKeys = (shape: Shape): boolean =>
  shape.kind === "object" || (shape.kind === "map" && holdsKeys(shape.value));

function info(shape: DescribedShape, path: KeyPath, defaults: Tree): SettingInfo {
  const { description, category, reload, noEffect } = shape.facts;
  const value = valueAt(defaults, path);
  const isSecret = shape.facts.isSecret || (shape.kind === "map" && shape.value.facts.isSecret);
  return {
    key: writtenKey(path),
    type: typeName(shape),
    choices: shape.kind === "choice" ? shape.choices : [],
    defaultValue: isSecret ? undefined : isPlainRecord(value) && Object.keys(value).length === 0 ? {} : value,
    description,
    category,
    reload,
    isSecret,
    ...(noEffect === undefined ? {} : { noEffect }),
  };
}

function writtenKey(path: KeyPath): string {
  return path
    .map((segment) => (segment === "<name>" || segment === "[]" ? segment : formatKeyPath([segment])))
    .join(".")
    .replaceAll(".[]", "[]");
}

function range(facts: { readonly min: number | undefined; readonly max: number | undefined }): string {
  if (facts.min !== undefined && facts.max !== undefined) return ` (${facts.min} to ${facts.max})`;
  if (facts.min !== undefined) return ` (${facts.min} or more)`;
  return facts.max === undefined ? "" : ` (${facts.max} or less)`;
}
