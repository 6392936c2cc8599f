import { readdirSync } from "node:fs";
import { systemErrorCode } from "#foundation/errors";
import type { HermesHome } from "#foundation/files/paths";
import { isPlainRecord, type Tree, valueAt, withoutValue, withValue } from "../tree.ts";
import { currentConfigVersion } from "../version.ts";

/** All a migration may look at. It is a pure function from one layout to the next. */
interface Migrating {
  readonly tree: Tree;
  /** Variables of the home's `.env`; some old settings lived there. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Names of the plugins in the home's plugin folder. */
  readonly installedPlugins: readonly string[];
  /** Variables of `.env` that must not count any more. */
  readonly cleared: readonly string[];
}

interface Migration {
  /** The layout it starts from; it leads to the next number. */
  readonly from: number;
  readonly what: string;
  /**
   * A file without a version was written by hand and may be of any age. Renaming keys is safe there;
   * taking variables away or giving plugins permission to run is not.
   */
  readonly alsoWithoutVersion?: true;
  migrate(state: Migrating): Migrating;
}

/**
 * Every change of layout, oldest first. Versions that are not named only added keys, whose initial values
 * the sections know (14 to 15 added `display.interim_assistant_messages`, for one).
 */
const migrations: readonly Migration[] = [
  { from: 3, what: "tool progress variables become display.tool_progress", migrate: toolProgressFromVariables },
  { from: 4, what: "HERMES_TIMEZONE becomes timezone", migrate: timezoneFromVariable },
  // Copied login tokens went stale in `.env` and hid the fresh ones.
  { from: 8, what: "ANTHROPIC_TOKEN in .env is cleared", migrate: clear("ANTHROPIC_TOKEN") },
  { from: 11, what: "custom_providers becomes providers", migrate: customProvidersToMap },
  // The model is set in the file alone; two old variables contradicted it.
  { from: 12, what: "LLM_MODEL and OPENAI_MODEL in .env are cleared", migrate: clear("LLM_MODEL", "OPENAI_MODEL") },
  { from: 13, what: "stt.model moves below its provider", alsoWithoutVersion: true, migrate: speechModelPerProvider },
  {
    from: 15,
    what: "display.tool_progress_overrides becomes display.platforms",
    alsoWithoutVersion: true,
    migrate: progressPerPlatform,
  },
  {
    from: 16,
    what: "compression.summary_* becomes auxiliary.compression",
    alsoWithoutVersion: true,
    migrate: summaryModelToAuxiliary,
  },
  { from: 20, what: "installed plugins are listed in plugins.enabled", migrate: keepInstalledPlugins },
];

export interface Migrated {
  readonly tree: Tree;
  readonly cleared: readonly string[];
  /** Layout the file has; undefined when it does not say. */
  readonly version: number | undefined;
  readonly isNewer: boolean;
  /** What was changed, in words, oldest change first. */
  readonly changes: readonly string[];
}

/** Brings settings of an older layout to the present one, in memory. The file is not touched. */
export function migrate(tree: Tree, facts: Pick<Migrating, "variables" | "installedPlugins">): Migrated {
  const version = versionOf(tree);
  if (version !== undefined && version > currentConfigVersion) {
    return { tree, cleared: [], version, isNewer: true, changes: [] };
  }
  let state: Migrating = { tree, cleared: [], ...facts };
  const changes: string[] = [];
  for (const migration of migrations) {
    const applies = version === undefined ? migration.alsoWithoutVersion === true : migration.from >= version;
    if (!applies) continue;
    const next = migration.migrate(state);
    if (next.tree !== state.tree || next.cleared.length > state.cleared.length) changes.push(migration.what);
    state = next;
  }
  return { tree: state.tree, cleared: state.cleared, version, isNewer: false, changes };
}

/** The layout a file says it has. */
export function versionOf(tree: Tree): number | undefined {
  const version = tree["_config_version"];
  return typeof version === "number" && Number.isInteger(version) && version >= 0 ? version : undefined;
}

/** Names of the plugins in the home, for the one migration that lists them. */
export function installedPlugins(home: HermesHome): readonly string[] {
  try {
    const entries = readdirSync(home.plugins, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
      .map((entry) => entry.name)
      .sort();
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    return [];
  }
}

function clear(...names: readonly string[]): Migration["migrate"] {
  return (state) => ({ ...state, cleared: [...state.cleared, ...names] });
}

/** Tool lines were once switched by two variables. */
function toolProgressFromVariables(state: Migrating): Migrating {
  const path = ["display", "tool_progress"];
  if (valueAt(state.tree, path) !== undefined) return state;
  const isOff = ["false", "0", "no", "off"].includes((state.variables["HERMES_TOOL_PROGRESS"] ?? "").toLowerCase());
  const mode = (state.variables["HERMES_TOOL_PROGRESS_MODE"] ?? "").toLowerCase();
  const value = isOff ? "off" : ["off", "new", "all", "verbose"].find((known) => known === mode);
  return value === undefined ? state : { ...state, tree: withValue(state.tree, path, value) };
}

/** The time zone was once only a variable. */
function timezoneFromVariable(state: Migrating): Migrating {
  const zone = state.variables["HERMES_TIMEZONE"] ?? "";
  const isSet = state.tree["timezone"] !== undefined && state.tree["timezone"] !== null;
  return zone === "" || isSet ? state : { ...state, tree: withValue(state.tree, ["timezone"], zone) };
}

/** The list of named endpoints becomes a map; entries that cannot be moved stay in the list. */
function customProvidersToMap(state: Migrating): Migrating {
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
}

const slugOf = (name: string): string => name.trim().toLowerCase().replaceAll(/\s+/g, "-");

function asMapEntry(entry: Tree): Tree {
  const { model, ...rest } = entry;
  return model === undefined || rest["default_model"] !== undefined ? rest : { ...rest, default_model: model };
}

/** One model name for all speech services becomes one per service. */
function speechModelPerProvider(state: Migrating): Migrating {
  const model = valueAt(state.tree, ["stt", "model"]);
  if (typeof model !== "string") return state;
  const without = withoutValue(state.tree, ["stt", "model"]);
  const chosen = valueAt(state.tree, ["stt", "provider"]);
  const isHosted = /^(?:whisper-1|gpt-4o.*transcribe)$/.test(model);
  const provider = isHosted ? "openai" : typeof chosen === "string" && chosen !== "" ? chosen : "local";
  const path = ["stt", provider, "model"];
  return { ...state, tree: valueAt(without, path) === undefined ? withValue(without, path, model) : without };
}

/** Tool lines per platform become one of several display settings per platform. */
function progressPerPlatform(state: Migrating): Migrating {
  const old = ["display", "tool_progress_overrides"];
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
}

/** The model that writes summaries is an auxiliary model like the others. */
function summaryModelToAuxiliary(state: Migrating): Migrating {
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
}

/** Plugins run only when listed. Those that ran before are listed once, so that nothing stops working. */
function keepInstalledPlugins(state: Migrating): Migrating {
  if (Array.isArray(valueAt(state.tree, ["plugins", "enabled"]))) return state;
  const disabled = valueAt(state.tree, ["plugins", "disabled"]);
  const refused = new Set(Array.isArray(disabled) ? disabled : []);
  const enabled = state.installedPlugins.filter((name) => !refused.has(name));
  return enabled.length === 0 ? state : { ...state, tree: withValue(state.tree, ["plugins", "enabled"], enabled) };
}
