import { formatKeyPath, type KeyPath } from "../key-path.ts";
import { nodeAt } from "../lookup.ts";
import { configRoot } from "../sections/root.ts";
import { isPlainRecord, type Tree, valueAt, withoutValue, withValue } from "../tree.ts";

/** A tree under way to its present layout, with the places values came from. */
export interface Normalised {
  readonly tree: Tree;
  /** Present key (dotted) to the path it has in the file. */
  readonly moves: ReadonlyMap<string, KeyPath>;
  /** Spellings that still work but should be changed. */
  readonly renamed: readonly { readonly from: KeyPath; readonly to: KeyPath }[];
}

/** Accepts the older and shorter spellings of settings. Pure; a value already at the new place wins. */
export function normalise(tree: Tree): Normalised {
  const steps: Step[] = [shortModel, moveOld, renameInProviders, renameInPlatforms, readWords];
  return steps.reduce<Normalised>((state, step) => step(state), { tree, moves: new Map(), renamed: [] });
}

type Step = (state: Normalised) => Normalised;

/** Keys that moved, oldest spelling first. */
const oldLocations: readonly (readonly [from: KeyPath, to: KeyPath])[] = [
  [
    ["model", "model"],
    ["model", "default"],
  ],
  [
    ["model", "name"],
    ["model", "default"],
  ],
  [["provider"], ["model", "provider"]],
  [["base_url"], ["model", "base_url"]],
  [["max_turns"], ["agent", "max_turns"]],
  [["prefill_messages_file"], ["agent", "prefill_messages_file"]],
  [
    ["terminal", "env_type"],
    ["terminal", "backend"],
  ],
  [
    ["database", "url"],
    ["store", "url"],
  ],
  [["hooks", "timeout_ms"], ["hooks_timeout_ms"]],
  [
    ["budget", "tree_usd"],
    ["budget", "delegation_tree_usd"],
  ],
];

/** `model: name` is short for `model: {default: name}`. */
function shortModel(state: Normalised): Normalised {
  const { model } = state.tree;
  if (typeof model !== "string" && typeof model !== "number") return state;
  const tree = { ...state.tree, model: { default: String(model) } };
  return { ...state, tree, moves: new Map([...state.moves, ["model.default", ["model"]]]) };
}

function moveOld(state: Normalised): Normalised {
  return oldLocations.reduce((current, [from, to]) => moveKey(current, from, to), state);
}

/** Moves one value unless the new place already has one; then the old one is dropped. */
function moveKey(state: Normalised, from: KeyPath, to: KeyPath): Normalised {
  const value = valueAt(state.tree, from);
  if (value === undefined) return state;
  const without = withoutValue(state.tree, from);
  const present = valueAt(without, to);
  const isTaken = present !== undefined && present !== null && present !== "";
  const parent = valueAt(without, to.slice(0, -1));
  if (!isTaken && parent !== undefined && parent !== null && !isPlainRecord(parent)) return state;
  return {
    tree: pruneEmpty(isTaken ? without : withValue(without, to, value), from.slice(0, -1)),
    moves: isTaken ? state.moves : new Map([...state.moves, [formatKeyPath(to), from]]),
    renamed: [...state.renamed, { from, to }],
  };
}

/** Without its only key an old section (`database:`) is not a section any more. */
function pruneEmpty(tree: Tree, path: KeyPath): Tree {
  const value = valueAt(tree, path);
  return path.length > 0 && isPlainRecord(value) && Object.keys(value).length === 0 ? withoutValue(tree, path) : tree;
}

const providerSpellings: Readonly<Record<string, string>> = {
  api: "base_url",
  url: "base_url",
  baseUrl: "base_url",
  baseURL: "base_url",
  apiKey: "api_key",
  keyEnv: "key_env",
  apiMode: "api_mode",
  transport: "api_mode",
  defaultModel: "default_model",
  contextLength: "context_length",
  rateLimitDelay: "rate_limit_delay",
  requestTimeoutSeconds: "request_timeout_seconds",
  staleTimeoutSeconds: "stale_timeout_seconds",
};

function renameInProviders(state: Normalised): Normalised {
  const entries = [...entriesBelow(state.tree, ["providers"]), ...entriesBelow(state.tree, ["custom_providers"])];
  return entries.reduce((current, path) => listedModels(renameKeys(current, path, providerSpellings), path), state);
}

/** `models: [a, b]` names models without settings of their own. */
function listedModels(state: Normalised, path: KeyPath): Normalised {
  const models = valueAt(state.tree, [...path, "models"]);
  if (!Array.isArray(models)) return state;
  const named = Object.fromEntries(models.filter((name) => typeof name === "string").map((name) => [name, {}]));
  return { ...state, tree: withValue(state.tree, [...path, "models"], named) };
}

const platformSpellings: Readonly<Record<string, string>> = {
  free_response_chats: "free_response_channels",
  free_response_rooms: "free_response_channels",
};

function renameInPlatforms(state: Normalised): Normalised {
  const names = ["telegram", "whatsapp", "dingtalk", "matrix", "mattermost", "discord", "slack"];
  return names.reduce((current, name) => renameKeys(current, [name], platformSpellings), state);
}

function renameKeys(state: Normalised, path: KeyPath, spellings: Readonly<Record<string, string>>): Normalised {
  const entry = valueAt(state.tree, path);
  if (!isPlainRecord(entry)) return state;
  return Object.keys(entry).reduce((current, key) => {
    const present = Object.hasOwn(spellings, key) ? spellings[key] : undefined;
    return present === undefined ? current : moveKey(current, [...path, key], [...path, present]);
  }, state);
}

/** Words that mean a value of another type. */
function readWords(state: Normalised): Normalised {
  const change = (path: KeyPath, table: Readonly<Record<string, unknown>>) => (tree: Tree) => {
    const word = String(valueAt(tree, path)).toLowerCase();
    return Object.hasOwn(table, word) ? withValue(tree, path, table[word]) : tree;
  };
  const approve = { off: "approve", allow: "approve", yes: "approve", true: "approve", false: "approve" };
  const insist = { always: true, never: false };
  const changes = [change(["approvals", "cron_mode"], approve), change(["agent", "tool_use_enforcement"], insist)];
  const tree = changes.reduce((current, apply) => apply(current), state.tree);
  return cronFallback({ ...state, tree });
}

/** `cron.provider_fallback: off | inherit` is the older form of `cron.use_fallback`. */
function cronFallback(state: Normalised): Normalised {
  const from = ["cron", "provider_fallback"];
  const word = valueAt(state.tree, from);
  if (word === undefined) return state;
  const isOn = !["off", "false", "none"].includes(String(word).toLowerCase());
  return moveKey({ ...state, tree: withValue(state.tree, from, isOn) }, from, ["cron", "use_fallback"]);
}

function entriesBelow(tree: Tree, path: KeyPath): KeyPath[] {
  const value = valueAt(tree, path);
  if (Array.isArray(value)) return value.map((_, index) => [...path, String(index)]);
  return isPlainRecord(value) ? Object.keys(value).map((key) => [...path, key]) : [];
}

/** What `platforms.<id>.extra` says about a key of the platform's own block belongs to the block, unless it says so itself. */
export function foldPlatformExtras(state: Normalised): Normalised {
  const platforms = state.tree.platforms;
  if (!isPlainRecord(platforms)) return state;
  return Object.keys(platforms).reduce((current, id) => {
    const block = nodeAt(configRoot, [id]);
    const extra = valueAt(current.tree, ["platforms", id, "extra"]);
    if (block?.kind !== "group" || !isPlainRecord(extra)) return current;
    return Object.keys(extra)
      .filter((key) => Object.hasOwn(block.fields, key))
      .reduce((folded, key) => moveKey(folded, ["platforms", id, "extra", key], [id, key]), current);
  }, state);
}
