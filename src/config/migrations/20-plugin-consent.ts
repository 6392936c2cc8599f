import { valueAt, withValue } from "../tree.ts";
import type { Migration } from "./migration.ts";

/** Plugins run only when listed. Those that ran before are listed once, so that nothing stops working. */
export const keepInstalledPlugins: Migration = {
  from: 20,
  what: "installed plugins are listed in plugins.enabled",
  alsoWithoutVersion: false,
  migrate(state) {
    if (Array.isArray(valueAt(state.tree, ["plugins", "enabled"]))) return state;
    const disabled = valueAt(state.tree, ["plugins", "disabled"]);
    const refused = new Set(Array.isArray(disabled) ? disabled : []);
    const enabled = state.installedPlugins.filter((name) => !refused.has(name));
    return enabled.length === 0 ? state : { ...state, tree: withValue(state.tree, ["plugins", "enabled"], enabled) };
  },
};
