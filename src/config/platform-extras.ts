import { moveKey, type Normalised } from "./normalise.ts";
import type { Shape } from "./shape.ts";
import { isPlainRecord, valueAt } from "./tree.ts";

/** What `platforms.<id>.extra` says about a key of the platform's own block belongs to the block, unless it says so itself. */
export function foldPlatformExtras(state: Normalised, shape: Shape): Normalised {
  const platforms = state.tree.platforms;
  if (!isPlainRecord(platforms) || shape.kind !== "object") return state;
  return Object.keys(platforms).reduce((current, id) => {
    const block = shape.fields.get(id);
    const extra = valueAt(current.tree, ["platforms", id, "extra"]);
    if (block?.kind !== "object" || !isPlainRecord(extra)) return current;
    return Object.keys(extra)
      .filter((key) => block.fields.has(key))
      .reduce((folded, key) => moveKey(folded, ["platforms", id, "extra", key], [id, key]), current);
  }, state);
}
