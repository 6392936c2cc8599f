import { innerLayers } from "../layers.ts";
import type { Finding } from "./finding.ts";
import type { SourceFile } from "./source-file.ts";
import { productFiles, type SourceTree, subsystemOf } from "./source-tree.ts";

/** Imports inside a subsystem that go up: from a folder to one that stands on it. Files beside the folders may be anywhere. */
export function innerLayerFaults(tree: SourceTree): readonly Finding[] {
  return [...missingRows(tree), ...productFiles(tree).flatMap(upwardImports)];
}

function missingRows(tree: SourceTree): readonly Finding[] {
  const folders = new Set(productFiles(tree).flatMap(({ path }) => innerFolder(path) ?? []));
  return [...folders].sort().flatMap((folder) => {
    const [subsystem = "", name = ""] = folder.split("/");
    const rows = innerLayers[subsystem];
    if (rows === undefined || rows.flat().includes(name)) return [];
    return [{ file: `src/${folder}`, line: 1, problem: "has no row in innerLayers of scripts/layers.ts" }];
  });
}

function upwardImports(file: SourceFile): readonly Finding[] {
  const rows = innerLayers[subsystemOf(file.path)];
  const from = innerFolder(file.path);
  if (rows === undefined || from === undefined) return [];
  return file.imports.flatMap(({ target, line, specifier }) => {
    const to = target === undefined ? undefined : innerFolder(target);
    if (to === undefined || to === from || subsystemOf(file.path) !== to.split("/")[0]) return [];
    if (heightOf(rows, to) < heightOf(rows, from)) return [];
    return [{ file: file.path, line, problem: `${from} may not import ${to} (${specifier})` }];
  });
}

/** `tools/files` for a file below `src/tools/files`; undefined for a file that lies in the subsystem itself. */
function innerFolder(file: string): string | undefined {
  const [src, subsystem, ...rest] = file.split("/");
  return src === "src" && rest.length > 1 ? `${subsystem}/${rest[0]}` : undefined;
}

function heightOf(rows: readonly (readonly string[])[], folder: string): number {
  return rows.findIndex((row) => row.includes(folder.split("/")[1] ?? ""));
}
