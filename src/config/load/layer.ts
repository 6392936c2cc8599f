import type { BadValue } from "../interpreter.ts";
import type { KeyPath } from "../key-path.ts";
import { type Tree, valueAt } from "../tree.ts";
import type { VariableOrigin } from "./variables.ts";

/** Where a value was set. */
export type Provenance =
  | { readonly kind: "default" }
  | {
      readonly kind: "environment";
      readonly variable: string;
      readonly origin: VariableOrigin;
      readonly beatsFile: boolean;
    }
  | { readonly kind: "legacy-file"; readonly file: string }
  | { readonly kind: "file"; readonly file: string; readonly key: string; readonly line?: number | undefined }
  | { readonly kind: "flag"; readonly flag: string };

/** Settings from one place. Later layers win. */
export interface Layer {
  readonly tree: Tree;
  /** What was left out of the tree because it is no value for its key. */
  readonly bad: readonly BadValue[];
  sourceOf(path: KeyPath): Provenance;
}

/** Every place that sets a key, the winner first. */
export function locationsOf(
  layers: readonly Layer[],
  path: KeyPath,
): readonly { readonly source: Provenance; readonly value: unknown }[] {
  return layers
    .map((layer) => ({ source: layer.sourceOf(path), value: valueAt(layer.tree, path) }))
    .filter((location) => location.value !== undefined)
    .reverse();
}

/** A source in words: `line 12 of /home/me/.hermes/config.yaml`. */
export function describeSource(source: Provenance): string {
  switch (source.kind) {
    case "default":
      return "default";
    case "environment":
      return `variable ${source.variable} (${originNames[source.origin]})`;
    case "legacy-file":
      return source.file;
    case "file":
      return source.line === undefined ? source.file : `${source.file}, line ${source.line}`;
    case "flag":
      return `option ${source.flag}`;
  }
}

const originNames: Readonly<Record<VariableOrigin, string>> = {
  "home-file": ".env of the home",
  shell: "environment",
  "project-file": ".env of the project",
};
