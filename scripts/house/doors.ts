import type { Finding } from "./finding.ts";
import { exportsOf, productFiles, type SourceTree, subsystemOf } from "./source-tree.ts";

/** Doors that people outside the repository import from. */
const published: ReadonlySet<string> = new Set(["src/tui/index.ts"]);

/** Names that a door exports although no other subsystem imports them. */
export function unusedDoorExports(tree: SourceTree): readonly Finding[] {
  const used = namesTakenFromDoors(tree);
  return productFiles(tree)
    .filter(({ path }) => /^src\/[^/]+\/index\.ts$/.test(path) && !published.has(path))
    .flatMap((door) => {
      const taken = used.get(door.path) ?? new Set();
      const wholesale = door.wholesale.map(({ target, line }) => ({
        file: door.path,
        line,
        problem: `a door names what it exports; this one hands on all of ${target}`,
      }));
      if (taken.has("*")) return wholesale;
      const unused = [...exportsOf(tree, door.path).values()]
        .filter(({ name }) => !taken.has(name))
        .map(({ name, line }) => ({ file: door.path, line, problem: `no other subsystem imports ${name}` }));
      return [...wholesale, ...unused];
    });
}

function namesTakenFromDoors(tree: SourceTree): ReadonlyMap<string, Set<string>> {
  const used = new Map<string, Set<string>>();
  for (const file of tree.files.values()) {
    for (const { target, names } of file.imports) {
      if (target === undefined || isInside(file.path, target)) continue;
      const taken = used.get(target) ?? new Set<string>();
      for (const name of names === "all" ? ["*"] : names) taken.add(name);
      used.set(target, taken);
    }
  }
  return used;
}

const isInside = (file: string, door: string): boolean =>
  file.startsWith("src/") && subsystemOf(file) === subsystemOf(door);
