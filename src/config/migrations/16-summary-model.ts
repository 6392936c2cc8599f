import { valueAt, withoutValue, withValue } from "../tree.ts";
import type { Migration } from "./migration.ts";

/** The model that writes summaries is an auxiliary model like the others. */
export const summaryModelToAuxiliary: Migration = {
  from: 16,
  what: "compression.summary_* becomes auxiliary.compression",
  alsoWithoutVersion: true,
  migrate(state) {
    const tree = ["model", "provider", "base_url"].reduce((current, part) => {
      const from = ["compression", `summary_${part}`];
      const to = ["auxiliary", "compression", part];
      const value = valueAt(current, from);
      if (value === undefined) return current;
      const without = withoutValue(current, from);
      const present = valueAt(without, to);
      const isFree = present === undefined || present === null || present === "" || present === "auto";
      const isWorthMoving = value !== null && value !== "" && value !== "auto";
      return isFree && isWorthMoving ? withValue(without, to, value) : without;
    }, state.tree);
    return { ...state, tree };
  },
};
