import { isAlike } from "./restore-tree.ts";
import type { SnapshotStore, StoredEntry } from "./snapshot-store.ts";

export interface TurnChanges {
  /** How the folder was when the turn first changed something. */
  readonly before: ReadonlyMap<string, StoredEntry>;
  /** What the turn changed and nobody has changed since. */
  readonly names: ReadonlySet<string>;
  /** What the turn changed, and somebody else after it. A git repository counts as one. */
  readonly changedSince: readonly string[];
}

/**
 * What a turn changed, from its first snapshot to the one at its end; undefined when it is not in the journal. A turn that
 * was cut off has no end: everything until the next snapshot counts as its doing. The newest snapshot is how things are now.
 */
export function changesOfTurn(store: SnapshotStore, turn: string): TurnChanges | undefined {
  const { lines } = store;
  const first = lines.find((line) => line.turn === turn);
  if (first === undefined) return undefined;
  const last = lines.findLastIndex((line) => line.turn === turn);
  const end = lines[last]?.mark === "end" ? lines[last] : lines[last + 1];
  const before = store.treeOf(first.id);
  const after = store.treeOf(end?.id);
  const present = store.treeOf();
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => !isAlike(before.get(name), after.get(name)),
  );
  const touched = touchedRepositories(after, present);
  const isTouched = (name: string): boolean => {
    const repository = repositoryOf(name);
    if (repository !== undefined) return touched.has(repository);
    return !isAlike(after.get(name), present.get(name));
  };
  const changedSince = changed.filter((name) => isTouched(name) && !isAlike(before.get(name), present.get(name)));
  return {
    before,
    names: new Set(changed.filter((name) => !isTouched(name))),
    changedSince: [...new Set(changedSince.map((name) => repositoryOf(name) ?? name))],
  };
}

/** Half of a repository brought back would be a broken one: it goes back as a whole or not at all. */
function touchedRepositories(
  after: ReadonlyMap<string, StoredEntry>,
  present: ReadonlyMap<string, StoredEntry>,
): ReadonlySet<string> {
  const touched = new Set<string>();
  for (const name of new Set([...after.keys(), ...present.keys()])) {
    const repository = repositoryOf(name);
    if (repository !== undefined && !isAlike(after.get(name), present.get(name))) touched.add(repository);
  }
  return touched;
}

/** The `.git` folder a path lies in. */
function repositoryOf(name: string): string | undefined {
  const at = `/${name}/`.indexOf("/.git/");
  return at === -1 ? undefined : name.slice(0, at + 4);
}
