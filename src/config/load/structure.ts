import type { KeyPath } from "../key-path.ts";
import { formatKeyPath } from "../key-path.ts";
import { isPlainRecord, type Tree, valueAt } from "../tree.ts";
import type { ConfigWarning } from "../warning.ts";

/** A mistake in how settings stand together, before it is known where in the file it is. */
export interface StructuralIssue extends Pick<ConfigWarning, "severity" | "message"> {
  readonly path: KeyPath;
  readonly hint: string;
}

/** Mistakes that types alone do not show. Looks at the file as written. */
export function checkStructure(tree: Tree): readonly StructuralIssue[] {
  return [
    ...checkCustomProviders(tree),
    ...checkNamedProviders(tree),
    ...checkFallbackModel(tree),
    ...checkFallbackList(tree),
    ...checkRootKeys(tree),
    ...checkMcpServers(tree),
    ...checkPlatforms(tree),
  ];
}

function checkCustomProviders(tree: Tree): StructuralIssue[] {
  const list = tree.custom_providers;
  const path = ["custom_providers"];
  if (list === undefined || list === null) return [];
  if (!Array.isArray(list)) {
    return [
      error(path, "custom_providers must be a list.", "Start every entry with a dash: - name: … and base_url: …"),
    ];
  }
  const issues = list.flatMap((entry, index) => {
    const location = [...path, String(index)];
    if (!isPlainRecord(entry))
      return [
        error(
          location,
          `Entry ${index + 1} of custom_providers is not a group of keys.`,
          "Give it a name and a base_url.",
        ),
      ];
    return ["name", "base_url"].flatMap((key) =>
      missingText(entry, { location, key, what: `Entry ${index + 1} of custom_providers` }),
    );
  });
  const { model } = tree;
  const hasModel = model !== undefined && model !== null && model !== "";
  if (hasModel || list.length === 0) return issues;
  return [...issues, warn(path, "custom_providers is set, but no model is chosen.", "Choose one: hermes model")];
}

function missingText(
  entry: Tree,
  at: { readonly location: KeyPath; readonly key: string; readonly what: string },
): StructuralIssue[] {
  const value = entry[at.key] ?? (at.key === "base_url" ? (entry.baseUrl ?? entry.url ?? entry.api) : undefined);
  const isUrl = at.key === "base_url";
  if (typeof value !== "string" || value.trim() === "") {
    return [error(at.location, `${at.what} has no ${at.key} and is not used.`, `Add ${at.key}: … to it.`)];
  }
  if (!isUrl || isAbsoluteUrl(value)) return [];
  return [
    error(
      [...at.location, at.key],
      `${at.what} has a base_url that is not a full address and is not used.`,
      "Write it like https://host/v1",
    ),
  ];
}

/** A built-in provider needs no address; one with an address needs a usable one. */
function checkNamedProviders(tree: Tree): StructuralIssue[] {
  const { providers } = tree;
  if (!isPlainRecord(providers)) return [];
  return Object.entries(providers).flatMap(([name, entry]) => {
    const url = isPlainRecord(entry) ? (entry.base_url ?? entry.url ?? entry.api ?? entry.baseUrl) : undefined;
    if (typeof url !== "string" || url === "" || isAbsoluteUrl(url)) return [];
    const path = ["providers", name];
    return [
      error(
        path,
        `${formatKeyPath(path)} has a base_url that is not a full address and is not used.`,
        "Write it like https://host/v1",
      ),
    ];
  });
}

function checkFallbackModel(tree: Tree): StructuralIssue[] {
  const value = tree.fallback_model;
  const path = ["fallback_model"];
  if (value === undefined || value === null || value === "") return [];
  const hint = "Write provider: … and model: … below it.";
  if (!isPlainRecord(value))
    return [error(path, "fallback_model must be a group of keys; there is no fallback now.", hint)];
  const lacks = ["provider", "model"].filter((key) => typeof value[key] !== "string" || value[key] === "");
  if (lacks.length === 0) return [];
  return [error(path, `fallback_model has no ${lacks.join(" and no ")}; there is no fallback now.`, hint)];
}

function checkFallbackList(tree: Tree): StructuralIssue[] {
  const list = tree.fallback_providers;
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry, index) => {
    const isComplete =
      isPlainRecord(entry) && ["provider", "model"].every((key) => typeof entry[key] === "string" && entry[key] !== "");
    if (isComplete) return [];
    const path = ["fallback_providers", String(index)];
    return [
      error(
        path,
        `Entry ${index + 1} of fallback_providers is skipped: it needs provider and model.`,
        "Write both, or remove it.",
      ),
    ];
  });
}

/** Keys of the model section that stand outside of it. */
function checkRootKeys(tree: Tree): StructuralIssue[] {
  return ["base_url", "api_key", "api_mode", "rate_limit_delay"]
    .filter((key) => Object.hasOwn(tree, key))
    .map((key) => {
      const home = key === "rate_limit_delay" ? "an entry of providers" : "model";
      return warn([key], `${key} stands outside of any section.`, `Indent it below ${home}.`);
    });
}

function checkMcpServers(tree: Tree): StructuralIssue[] {
  const servers = tree.mcp_servers;
  if (!isPlainRecord(servers)) return [];
  return Object.entries(servers).flatMap(([name, entry]) => {
    if (!isPlainRecord(entry)) return [];
    const path = ["mcp_servers", name];
    const key = formatKeyPath(path);
    const hasCommand = typeof entry.command === "string" && entry.command !== "";
    const hasUrl = typeof entry.url === "string" && entry.url !== "";
    if (hasCommand && hasUrl)
      return [warn(path, `${key} has a url and a command; the url is used.`, "Remove one of the two.")];
    if (hasCommand || hasUrl || entry.enabled === false) return [];
    return [error(path, `${key} has neither a command nor a url and cannot be started.`, "Add one of the two.")];
  });
}

const placeholder = /^(?:changeme|change-me|your[-_ ].*|placeholder|example|dummy|xxx+|\*+|null|none|<.*>)$/i;

/** Platforms that are switched on with a token nobody could log in with. */
function checkPlatforms(tree: Tree): StructuralIssue[] {
  const { platforms } = tree;
  if (!isPlainRecord(platforms)) return [];
  return Object.keys(platforms).flatMap((id) => {
    const path = ["platforms", id, "token"];
    const token = valueAt(tree, path);
    if (typeof token !== "string" || token.includes("${")) return [];
    if (token === "" || !isPlaceholder(token)) return [];
    return [
      error(
        path,
        `The token of ${id} is a placeholder; the platform is not connected.`,
        "Put the real token in its place.",
      ),
    ];
  });
}

/** A value somebody meant to replace. */
export function isPlaceholder(token: string): boolean {
  const trimmed = token.trim();
  return trimmed.length < 4 || placeholder.test(trimmed);
}

function isAbsoluteUrl(value: string): boolean {
  if (value.includes("${")) return true;
  return URL.canParse(value) && /^(?:https?|acp|acp\+tcp|cloudcode-pa):$/.test(new URL(value).protocol);
}

const error = (path: KeyPath, message: string, hint: string): StructuralIssue => ({
  severity: "error",
  path,
  message,
  hint,
});
const warn = (path: KeyPath, message: string, hint: string): StructuralIssue => ({
  severity: "warning",
  path,
  message,
  hint,
});
