import { withValue } from "../tree.ts";
import type { Migration } from "./migration.ts";

/** The time zone was once only a variable. */
export const timezoneFromVariable: Migration = {
  from: 4,
  what: "HERMES_TIMEZONE becomes timezone",
  alsoWithoutVersion: false,
  migrate(state) {
    const zone = state.variables["HERMES_TIMEZONE"];
    const isSet = state.tree["timezone"] !== undefined && state.tree["timezone"] !== null;
    return zone === undefined || zone === "" || isSet
      ? state
      : { ...state, tree: withValue(state.tree, ["timezone"], zone) };
  },
};
