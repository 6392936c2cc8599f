import { isPlainRecord, type Tree, withoutValue } from "../tree.ts";
import type { Migration } from "./migration.ts";

/** The list of named endpoints becomes a map; entries that cannot be moved stay in the list. */
export const customProvidersToMap: Migration = {
  from: 11,
  what: "custom_providers becomes providers",
  alsoWithoutVersion: false,
  migrate(state) {
    const list = state.tree["custom_providers"];
    if (!Array.isArray(list)) return state;
    const providers: Tree = isPlainRecord(state.tree["providers"]) ? { ...state.tree["providers"] } : {};
    const left: unknown[] = [];
    for (const entry of list) {
      const slug = isPlainRecord(entry) && typeof entry["name"] === "string" ? slugOf(entry["name"]) : "";
      if (!isPlainRecord(entry) || slug === "" || Object.hasOwn(providers, slug)) left.push(entry);
      else providers[slug] = asMapEntry(entry);
    }
    const without = withoutValue(state.tree, ["custom_providers"]);
    return { ...state, tree: { ...without, providers, ...(left.length === 0 ? {} : { custom_providers: left }) } };
  },
};

const slugOf = (name: string): string => name.trim().toLowerCase().replaceAll(/\s+/g, "-");

function asMapEntry(entry: Tree): Tree {
  const { model, ...rest } = entry;
  return model === undefined || rest["default_model"] !== undefined ? rest : { ...rest, default_model: model };
}
