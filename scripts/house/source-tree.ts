import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { readSourceFile } from "./read-source-file.ts";
import type { ExportFact, SourceFile } from "./source-file.ts";

/** The code of a repository that runs outside of tests, by path. */
export interface SourceTree {
  readonly root: string;
  readonly files: ReadonlyMap<string, SourceFile>;
}

/** Reads `src` and what else uses it: scripts and benchmarks. Test files and builders of tests are left out. */
export function readSourceTree(root: string): SourceTree {
  const paths = ["src", "scripts", "bench"].flatMap((folder) => sourcesBelow(root, folder));
  const files = paths.map((file) => readSourceFile(file, readFileSync(path.join(root, file), "utf8")));
  return { root, files: new Map(files.map((file) => [file.path, file])) };
}

export const isTestFile = (file: string): boolean => /\.test\.ts$|(^|\/)testing(\.ts$|\/)/.test(file);

/** The files of the product itself. */
export function productFiles(tree: SourceTree): readonly SourceFile[] {
  return [...tree.files.values()].filter(({ path: file }) => file.startsWith("src/"));
}

export const subsystemOf = (file: string): string => file.split("/")[1] ?? "";

/** Everything a file exports, also what it hands on wholesale. */
export function exportsOf(tree: SourceTree, target: string): ReadonlyMap<string, ExportFact> {
  const file = tree.files.get(target);
  if (file === undefined) return new Map();
  if (file.wholesale.length === 0) return file.exports;
  const handedOn = file.wholesale.flatMap(({ target: from, line }) =>
    [...exportsOf(tree, from).keys()].map((name) => [name, { name, line, local: name, from }] as const),
  );
  return new Map([...handedOn, ...file.exports]);
}

/** The file and name that an import leads to, behind all doors. */
export function originOf(
  tree: SourceTree,
  target: string,
  name: string,
): { readonly file: string; readonly name: string } {
  const found = exportsOf(tree, target).get(name);
  if (found === undefined) return { file: target, name };
  if (found.from !== undefined) return originOf(tree, found.from, found.local);
  const binding = tree.files.get(target)?.bindings.get(found.local);
  return binding === undefined ? { file: target, name: found.local } : originOf(tree, binding.target, binding.name);
}

function sourcesBelow(root: string, folder: string): readonly string[] {
  let names: readonly string[];
  try {
    names = readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
  return names
    .map((name) => `${folder}/${name.split(path.sep).join("/")}`)
    .filter((name) => /\.(tsx?|mjs)$/.test(name) && !name.endsWith(".d.ts") && !isTestFile(name))
    .sort();
}
