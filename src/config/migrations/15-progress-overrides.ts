import { isPlainRecord, valueAt, withoutValue, withValue } from "../tree.ts";
import type { Migration } from "./migration.ts";

const old = ["display", "tool_progress_overrides"];

/** Tool lines per platform become one of several display settings per platform. */
export const progressPerPlatform: Migration = {
  from: 15,
  what: "display.tool_progress_overrides becomes display.platforms",
  alsoWithoutVersion: true,
  migrate(state) {
    const overrides = valueAt(state.tree, old);
    if (!isPlainRecord(overrides)) return state;
    const tree = Object.entries(overrides).reduce(
      (current, [platform, mode]) => {
        const path = ["display", "platforms", platform, "tool_progress"];
        return valueAt(current, path) === undefined ? withValue(current, path, mode) : current;
      },
      withoutValue(state.tree, old),
    );
    return { ...state, tree };
  },
};
