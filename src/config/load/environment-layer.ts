import { readTree } from "../interpreter.ts";
import { formatKeyPath, type KeyPath, parseKeyPath } from "../key-path.ts";
import { configRoot } from "../sections/root.ts";
import { type Tree, withValue } from "../tree.ts";
import type { ConfigWarning } from "../warning.ts";
import { environmentVariables } from "./environment/table.ts";
import type { Layer, Provenance } from "./layer.ts";
import { isPlaceholder } from "./structure.ts";
import type { Environment } from "./variables.ts";

export interface EnvironmentLayer {
  readonly layer: Layer;
  readonly warnings: readonly ConfigWarning[];
}

/** The settings that variables of one kind make: `gap` goes below the file, `override` above it. */
export function environmentLayer(kind: "gap" | "override", environment: Environment): EnvironmentLayer {
  const warnings: ConfigWarning[] = [];
  const sources = new Map<string, Provenance>();
  let written: Tree = {};
  for (const variable of environmentVariables) {
    if (variable.kind !== kind) continue;
    const value = environment.variables[variable.name];
    if (value === undefined || value.trim() === "") continue;
    const path = parseKeyPath(variable.key);
    if (path[0] === "platforms" && path.at(-1) === "token" && isPlaceholder(value)) {
      warnings.push(placeholderWarning(variable.name));
      continue;
    }
    written = withValue(written, path, value);
    sources.set(formatKeyPath(path), {
      kind: "environment",
      variable: variable.name,
      origin: environment.originOf(variable.name) ?? "shell",
      beatsFile: kind === "override",
    });
  }
  const { tree, bad } = readTree(written, configRoot);
  return { layer: { tree, bad, sourceOf: (path) => nearestSource(sources, path) }, warnings };
}

function placeholderWarning(variable: string): ConfigWarning {
  return {
    kind: "variable",
    severity: "error",
    message: `The variable ${variable} holds a placeholder and is not used.`,
    hint: `Set the real value with: hermes config set ${variable} -`,
    key: variable,
  };
}

/** For a group of keys, the variable of any key in it. */
function nearestSource(sources: ReadonlyMap<string, Provenance>, path: KeyPath): Provenance {
  for (let depth = path.length; depth > 0; depth -= 1) {
    const exact = sources.get(formatKeyPath(path.slice(0, depth)));
    if (exact !== undefined) return exact;
  }
  const prefix = `${formatKeyPath(path)}.`;
  const inside = [...sources].find(([key]) => key.startsWith(prefix));
  return inside?.[1] ?? { kind: "default" };
}
