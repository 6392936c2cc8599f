import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { unusedDoorExports } from "./doors.ts";
import { gates } from "./gates.ts";
import type { SourceFile } from "./source-file.ts";
import { exportsOf, isTestFile, productFiles, readSourceTree, type SourceTree, subsystemOf } from "./source-tree.ts";

/** The figures of a repository, as lines to print. */
export function figures(root: string): readonly string[] {
  const tree = readSourceTree(root);
  const files = productFiles(tree);
  return [
    ...sizes(files),
    ...longestFunctions(files),
    ...tests(root, files),
    `files below 40 lines with one importer: ${smallFilesWithOneImporter(tree).length}`,
    `optional values passed as spreads (x === undefined ? {} : { x }): ${spreads(root, files)}`,
    ...doors(tree),
    ...Object.entries(gates).map(([name, gate]) => `gate ${name}: ${gate(tree).length}`),
  ];
}

function sizes(files: readonly SourceFile[]): readonly string[] {
  const total = sum(files.map(({ lines }) => lines));
  const bySubsystem = groups(files, ({ path: file }) => subsystemOf(file));
  const over = (limit: number): number => files.filter(({ lines }) => lines > limit).length;
  return [
    `files: ${files.length}, lines: ${total}, median ${median(files.map(({ lines }) => lines))} lines a file`,
    `files over 300 lines: ${over(300)}, over 600: ${over(600)}`,
    ...[...bySubsystem].map(
      ([name, own]) => `  ${name}: ${own.length} files, ${sum(own.map(({ lines }) => lines))} lines`,
    ),
  ];
}

function longestFunctions(files: readonly SourceFile[]): readonly string[] {
  const all = files.flatMap((file) => file.functions.map((one) => ({ ...one, file: file.path })));
  const over = (limit: number): number => all.filter(({ lines }) => lines > limit).length;
  const longest = all.toSorted((a, b) => b.lines - a.lines).slice(0, 10);
  return [
    `functions: ${all.length}, over 50 lines: ${over(50)}, over 60: ${over(60)}, over 100: ${over(100)}`,
    ...longest.map(({ name, file, line, lines }) => `  ${lines} lines: ${name} (${file}:${line})`),
  ];
}

function tests(root: string, files: readonly SourceFile[]): readonly string[] {
  const paths = ["src", "scripts", "test"].flatMap((folder) => sourcesBelow(root, folder));
  const own = paths.filter((file) => file.startsWith("test/") || isTestFile(file));
  const lines = sum(own.map((file) => linesOf(root, file)));
  const ratio = lines / Math.max(1, sum(files.map((file) => file.lines)));
  return [`test files: ${own.length}, lines: ${lines}, lines of tests for a line of source: ${ratio.toFixed(2)}`];
}

/** Files that may be better off inside the one file that uses them. */
export function smallFilesWithOneImporter(tree: SourceTree): readonly string[] {
  const importers = new Map<string, Set<string>>();
  for (const file of tree.files.values()) {
    for (const { target } of file.imports) {
      if (target !== undefined) importers.set(target, (importers.get(target) ?? new Set()).add(file.path));
    }
  }
  return productFiles(tree)
    .filter(({ lines, path: file }) => lines < 40 && importers.get(file)?.size === 1)
    .map(({ path: file }) => file);
}

function doors(tree: SourceTree): readonly string[] {
  const unused = groups(
    unusedDoorExports(tree).filter(({ problem }) => problem.startsWith("no other")),
    ({ file }) => file,
  );
  const all = productFiles(tree).filter(({ path: file }) => /^src\/[^/]+\/index\.ts$/.test(file));
  const counts = all.map(({ path: file }) => ({
    file,
    exports: exportsOf(tree, file).size,
    unused: unused.get(file)?.length ?? 0,
  }));
  const total = sum(counts.map((one) => one.exports));
  const dead = sum(counts.map((one) => one.unused));
  const share = Math.round((100 * dead) / Math.max(1, total));
  return [
    `exports of doors: ${total}, imported by no other subsystem: ${dead} (${share} %)`,
    ...counts.map((one) => `  ${one.file}: ${one.exports} exports, ${one.unused} unused`),
  ];
}

function spreads(root: string, files: readonly SourceFile[]): number {
  const pattern = /=== undefined \? \{\} : \{|!== undefined \? \{[^{}]*\} : \{\}|\? \{\} : \{ \w/g;
  return sum(files.map((file) => readFileSync(path.join(root, file.path), "utf8").match(pattern)?.length ?? 0));
}

function sourcesBelow(root: string, folder: string): readonly string[] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
    .map((name) => `${folder}/${name.split(path.sep).join("/")}`)
    .filter((name) => name.endsWith(".ts"));
}

const linesOf = (root: string, file: string): number =>
  readFileSync(path.join(root, file), "utf8").split("\n").length - 1;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

function groups<T>(values: readonly T[], keyOf: (value: T) => string): ReadonlyMap<string, readonly T[]> {
  const found = new Map<string, T[]>();
  for (const value of values) found.set(keyOf(value), [...(found.get(keyOf(value)) ?? []), value]);
  return found;
}
