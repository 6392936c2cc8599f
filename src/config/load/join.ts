import { UserError } from "#foundation/errors";
import { complete } from "../complete.ts";
import type { Config } from "../config.ts";
import type { BadValue } from "../interpreter.ts";
import { formatKeyPath } from "../key-path.ts";
import { isSecretNode, typeName } from "../lookup.ts";
import { configRoot } from "../sections/root.ts";
import { mergeTrees, valueAt } from "../tree.ts";
import type { ConfigWarning } from "../warning.ts";
import { describeSource, type Layer } from "./layer.ts";

/**
 * Joins the layers, the weakest first, and gives them all initial values. A value that is none for its key was left out of
 * its layer, so that the layer below counts; that is said here, unless a stronger layer sets the key anyway. On the
 * command line a bad value is an error, because the person is there to put it right.
 */
export function joinLayers(layers: readonly Layer[]): {
  readonly config: Config;
  readonly warnings: readonly ConfigWarning[];
} {
  // The type of the settings follows from the sections, by which they were read.
  const config = complete(mergeTrees(...layers.map((layer) => layer.tree)), configRoot) as Config;
  const warnings = layers.flatMap((layer, index) => {
    const isSetAbove = ({ path }: BadValue) =>
      layers.slice(index + 1).some(({ tree }) => valueAt(tree, path) !== undefined);
    return layer.bad.filter((bad) => !isSetAbove(bad)).map((bad) => typeWarning(bad, layer, layers.slice(0, index)));
  });
  return { config, warnings };
}

function typeWarning(bad: BadValue, layer: Layer, below: readonly Layer[]): ConfigWarning {
  const key = formatKeyPath(bad.path);
  const from = layer.sourceOf(bad.path);
  const message =
    bad.lacks === undefined
      ? `${key} is ${valueInWords(bad.value, isSecretNode(bad.expected))}; expected: ${typeName(bad.expected)}.`
      : `${key} has no ${bad.lacks} and is not used.`;
  if (from.kind === "flag") {
    throw new UserError(`${from.flag}: ${message}`, { code: "config_type_error", exitCode: 2 });
  }
  const next = below.findLast(({ tree }) => valueAt(tree, bad.path) !== undefined);
  const rest = next === undefined ? "the default" : `the value from ${describeSource(next.sourceOf(bad.path))}`;
  return {
    kind: "type",
    severity: "error",
    message: from.kind === "environment" ? `The variable ${from.variable} for ${message}` : message,
    hint: bad.lacks === undefined ? `Until it is put right, ${rest} is used.` : `Add ${bad.lacks}: … to it.`,
    key,
    ...(from.kind === "file" ? { file: from.file, line: from.line } : {}),
  };
}

/** The type of a value and, where it is harmless and short, the value. */
function valueInWords(value: unknown, isSecret: boolean): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "a group of keys";
  const type = typeof value === "string" ? "text" : typeof value === "boolean" ? "true or false" : "a number";
  if (isSecret) return type;
  const shown = typeof value === "string" ? JSON.stringify(value) : String(value);
  return shown.length > 60 ? type : `${type} (${shown})`;
}
