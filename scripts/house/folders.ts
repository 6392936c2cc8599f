import path from "node:path";
import type { Finding } from "./finding.ts";
import { productFiles, type SourceTree, subsystemOf } from "./source-tree.ts";

/** How many source files may lie loose in one folder. */
const mostLooseFiles = 20;

export function crowdedFolders(tree: SourceTree): readonly Finding[] {
  const counts = new Map<string, number>();
  for (const { path: file } of productFiles(tree)) {
    const folder = path.posix.dirname(file);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > mostLooseFiles)
    .map(([folder, count]) => ({
      file: folder,
      line: 1,
      problem: `${count} files lie loose here (at most ${mostLooseFiles})`,
    }));
}

/** Imports between two neighbours (folders, or files that lie beside them) that are part of a cycle. */
interface FolderCycle {
  /** The folder whose children go round. */
  readonly within: string;
  readonly members: readonly string[];
  readonly edges: readonly Edge[];
}

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly imports: readonly { readonly file: string; readonly line: number; readonly target: string }[];
}

/**
 * Cycles among the children of each folder below `src/<subsystem>`. A child is a folder with all below it, or a
 * file beside such folders; doors and cycles of files alone are left to the linter. Between folders types count: they
 * couple too. A file beside folders may hold the types that several of them share, so there only what runs counts.
 */
function folderCycles(tree: SourceTree): readonly FolderCycle[] {
  const levels = new Map<string, Map<string, Edge & { imports: { file: string; line: number; target: string }[] }>>();
  for (const file of productFiles(tree)) {
    if (isDoor(file.path)) continue;
    for (const { target, line, isTypeOnly } of file.imports) {
      if (target === undefined || !tree.files.has(target) || isDoor(target)) continue;
      if (subsystemOf(file.path) !== subsystemOf(target)) continue;
      const { within, from, to } = parting(file.path, target);
      if (from === to || (isTypeOnly && (from.endsWith(".ts") || to.endsWith(".ts")))) continue;
      const edges = levels.get(within) ?? new Map();
      const key = `${from} ${to}`;
      const edge = edges.get(key) ?? { from, to, imports: [] };
      edge.imports.push({ file: file.path, line, target });
      edges.set(key, edge);
      levels.set(within, edges);
    }
  }
  return [...levels].flatMap(([within, edges]) => cyclesAmong(within, [...edges.values()]));
}

export function cyclicFolders(tree: SourceTree): readonly Finding[] {
  return folderCycles(tree).map((cycle) => {
    const lightest = cycle.edges.toSorted((a, b) => a.imports.length - b.imports.length).slice(0, 4);
    const hints = lightest.map(
      ({ from, to, imports }) => `${from} -> ${to} ${imports.length}x (${imports[0]?.file}:${imports[0]?.line})`,
    );
    const problem = `goes round: ${cycle.members.join(", ")}; lightest: ${hints.join("; ")}`;
    return { file: cycle.within, line: 1, problem };
  });
}

/** Subsystem doors and the doors of inner folders. */
const isDoor = (file: string): boolean => /^src\/[^/]+\/index\.ts$/.test(file);

/** Where the paths of two files part: the folder both are in, and its child each is below. */
function parting(a: string, b: string): { readonly within: string; readonly from: string; readonly to: string } {
  const left = a.split("/");
  const right = b.split("/");
  let at = 0;
  while (left[at] === right[at] && at < left.length - 1) at += 1;
  return { within: left.slice(0, at).join("/"), from: left[at] ?? "", to: right[at] ?? "" };
}

function cyclesAmong(within: string, edges: readonly Edge[]): readonly FolderCycle[] {
  const next = new Map<string, string[]>();
  for (const { from, to } of edges) next.set(from, [...(next.get(from) ?? []), to]);
  return stronglyConnected(next)
    .filter((members) => members.length > 1 && members.some((name) => !name.endsWith(".ts")))
    .map((members) => ({
      within,
      members: members.toSorted(),
      edges: edges.filter(({ from, to }) => members.includes(from) && members.includes(to)),
    }));
}

/** Tarjan's algorithm: groups of nodes each of which leads to all others of its group. */
function stronglyConnected(next: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const groups: string[][] = [];
  const visit = (node: string): number => {
    const own = index.size;
    index.set(node, own);
    let lowest = own;
    stack.push(node);
    for (const one of next.get(node) ?? []) {
      if (!index.has(one)) lowest = Math.min(lowest, visit(one));
      else if (stack.includes(one)) lowest = Math.min(lowest, index.get(one) ?? lowest);
    }
    low.set(node, lowest);
    if (lowest === own) groups.push(stack.splice(stack.indexOf(node)));
    return lowest;
  };
  for (const node of next.keys()) if (!index.has(node)) visit(node);
  return groups;
}
