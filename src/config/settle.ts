import { UserError } from "#foundation/errors";
import type { Settings } from "./config.ts";
import { formatKeyPath, type KeyPath } from "./key-path.ts";
import { describeSource, type Layer, type Provenance } from "./layer.ts";
import { typeName } from "./settings.ts";
import { type Shape, shapeAt } from "./shape.ts";
import { plainSettings } from "./table/plain-settings.ts";
import { mergeTrees, type Tree, valueAt, withoutValue } from "./tree.ts";
import type { ConfigWarning } from "./warning.ts";

export interface Settled {
  readonly layers: readonly Layer[];
  readonly value: Settings;
  readonly warnings: readonly ConfigWarning[];
}

/** Far more than a file can have; only a schema that refuses its own defaults gets here. */
const maxRounds = 200;

/** Checks the joined layers and gives them all defaults. */
export type Settle = (layers: readonly Layer[], shape: Shape) => Promise<Settled>;

/** Settings that are plainly good, as they nearly always are, are done without the schema: it takes longer to load than all the rest. */
export const settle: Settle = async (layers, shape) => {
  const value = plainSettings(joined(layers));
  return value === undefined ? await settleBySchema(layers, shape) : { layers, value, warnings: [] };
};

/**
 * Checks against the schema. A value of the wrong type is taken out of the layer that set it, with a
 * warning, and the layer below counts: one bad key never costs more than itself. On the command line a
 * bad value is an error, because the person is there to put it right.
 */
export const settleBySchema: Settle = async (layers, shape) => {
  const { configSchema } = await import("./schema.ts");
  const warnings: ConfigWarning[] = [];
  let current = layers;
  for (let round = 0; round < maxRounds; round += 1) {
    // Compiling 700 node types for one or two passes costs more than walking them.
    const result = configSchema.safeParse(joined(current), { jitless: true });
    if (result.success) return { layers: current, value: result.data, warnings };
    // Backwards, so that taking out a list item does not move the ones still to be judged.
    for (const issue of result.error.issues.toReversed()) {
      const path = issue.path.map(String);
      const taken = takeOut(current, path);
      current = taken.layers;
      if (taken.from !== undefined) warnings.push(typeWarning(taken, shape));
    }
  }
  throw new Error("the configuration schema does not accept its own defaults");
};

const joined = (layers: readonly Layer[]): Tree => mergeTrees(...layers.map((layer) => layer.tree));

interface Taken {
  readonly layers: readonly Layer[];
  readonly from: Provenance | undefined;
  readonly path: KeyPath;
  readonly value: unknown;
}

/** Removes what is at the path, or the nearest thing around it that exists, from the topmost layer that has it. */
function takeOut(layers: readonly Layer[], path: KeyPath): Taken {
  for (let depth = path.length; depth > 0; depth -= 1) {
    const place = path.slice(0, depth);
    const index = layers.findLastIndex((layer) => valueAt(layer.tree, place) !== undefined);
    const layer = layers[index];
    if (layer === undefined) continue;
    const changed: Layer = { ...layer, tree: withoutValue(layer.tree, place) };
    return {
      layers: layers.with(index, changed),
      from: layer.sourceOf(place),
      path: place,
      value: valueAt(layer.tree, place),
    };
  }
  return { layers, from: undefined, path, value: undefined };
}

function typeWarning(taken: Taken, shape: Shape): ConfigWarning {
  const key = formatKeyPath(taken.path);
  const expected = shapeAt(shape, taken.path);
  const from = taken.from ?? { kind: "default" };
  const isSecret = expected?.facts.isSecret ?? true;
  const message = `${key} is ${valueInWords(taken.value, isSecret)}; expected: ${expectation(expected)}.`;
  if (from.kind === "flag") {
    throw new UserError(`${from.flag}: ${message}`, { code: "config_type_error", exitCode: 2 });
  }
  const below = taken.layers.findLast((layer) => valueAt(layer.tree, taken.path) !== undefined);
  const rest = below === undefined ? "the default" : `the value from ${describeSource(below.sourceOf(taken.path))}`;
  return {
    kind: "type",
    severity: "error",
    message: from.kind === "environment" ? `The variable ${from.variable} for ${message}` : message,
    hint: `Until it is put right, ${rest} is used.`,
    key,
    ...(from.kind === "file" ? { file: from.file, ...(from.line === undefined ? {} : { line: from.line }) } : {}),
  };
}

function expectation(shape: Shape | undefined): string {
  return shape === undefined ? "another kind of value" : typeName(shape);
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
