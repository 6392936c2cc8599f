import { valueAt, withValue } from "../tree.ts";
import type { Migration } from "./migration.ts";

const path = ["display", "tool_progress"];
const modes = ["off", "new", "all", "verbose"];

/** Tool lines were once switched by two variables. */
export const toolProgressFromVariables: Migration = {
  from: 3,
  what: "tool progress variables become display.tool_progress",
  alsoWithoutVersion: false,
  migrate(state) {
    if (valueAt(state.tree, path) !== undefined) return state;
    const isOff = ["false", "0", "no", "off"].includes((state.variables["HERMES_TOOL_PROGRESS"] ?? "").toLowerCase());
    const mode = (state.variables["HERMES_TOOL_PROGRESS_MODE"] ?? "").toLowerCase();
    const value = isOff ? "off" : modes.find((known) => known === mode);
    return value === undefined ? state : { ...state, tree: withValue(state.tree, path, value) };
  },
};
