import { coerceValue } from "./coerce.ts";
import { suggestionFor } from "./file-layer.ts";
import { flowValue } from "./flow-value.ts";
import { formatKeyPath, type KeyPath } from "./key-path.ts";
import { normalise } from "./normalise.ts";
import { holdsMany, parseSetting } from "./parse-setting.ts";
import { configSchema } from "./schema.ts";
import { typeName } from "./settings.ts";
import { type Shape, shapeAt, shapeOf } from "./shape.ts";
import { valueAt, withValue } from "./tree.ts";

/** Whether a word is a value for a key. */
export type SettingCheck =
  | { readonly kind: "good"; readonly value: unknown }
  | { readonly kind: "unknown-key"; readonly value: unknown; readonly suggestion: string | undefined }
  | { readonly kind: "wrong-type"; readonly expected: string; readonly written: string };

export function checkSetting(path: KeyPath, written: string): SettingCheck {
  const root = shapeOf(configSchema);
  const shape = shapeAt(root, path) ?? olderShape(root, path);
  const flow = flowValue(written);
  if (shape === undefined) {
    const value = flow.kind === "value" ? flow.value : parseSetting(written);
    return { kind: "unknown-key", value, suggestion: suggest(root, path) };
  }
  if (flow.kind === "broken" && !takesText(shape)) return { kind: "wrong-type", expected: typeName(shape), written };
  const isFlow = flow.kind === "value" && (holdsMany(shape) || shape.kind === "anything");
  const value = isFlow ? coerceValue(flow.value, shape) : parseSetting(written, shape);
  const { tree } = normalise(withValue({}, path, value));
  const result = configSchema.safeParse(tree, { jitless: true });
  const isWrong =
    value === undefined || (!result.success && result.error.issues.some((issue) => concerns(issue.path, path, tree)));
  const isWordForGroup = shape.kind === "object" && typeof value !== "object" && formatKeyPath(path) !== "model";
  if (isWrong || isWordForGroup) return { kind: "wrong-type", expected: typeName(shape), written };
  return { kind: "good", value };
}

function takesText(shape: Shape): boolean {
  if (shape.kind === "union") return shape.options.some(takesText);
  return !holdsMany(shape);
}

/** Issues about other keys (an entry that is not complete yet) are not this value's fault. */
function concerns(issue: readonly PropertyKey[], path: KeyPath, tree: Record<string, unknown>): boolean {
  return valueAt(tree, issue.map(String)) !== undefined || issue.length <= path.length;
}

/** Older spellings are accepted by the loader, so they may be set as well. */
function olderShape(root: Shape, path: KeyPath): Shape | undefined {
  const probe = "?";
  const { moves } = normalise(withValue({}, path, probe));
  const moved = [...moves].find(([, from]) => formatKeyPath(from) === formatKeyPath(path));
  return moved === undefined ? undefined : shapeAt(root, moved[0].split("."));
}

function suggest(root: Shape, path: KeyPath): string | undefined {
  for (let depth = 0; depth < path.length; depth += 1) {
    const parent = shapeAt(root, path.slice(0, depth));
    const segment = path[depth] ?? "";
    if (parent?.kind !== "object" || parent.fields.has(segment)) continue;
    const nearby = suggestionFor(path.slice(0, depth + 1), [...parent.fields.keys()], root);
    if (nearby === undefined) return undefined;
    const whole = [nearby, ...path.slice(depth + 1).map((rest) => formatKeyPath([rest]))].join(".");
    return shapeAt(root, whole.split(".")) === undefined ? nearby : whole;
  }
  return undefined;
}
