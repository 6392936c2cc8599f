import { existsSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { describe } from "#foundation/errors";
import { readTextFile, resolveInside } from "#foundation/files/files";
import type { Logger } from "#foundation/files/logger";
import { isRecord, parseJson } from "#foundation/text/json";
import { type PluginManifest, readManifest } from "./manifest.ts";

/** Where a plugin came from; later ones win over earlier ones with the same key. */
export type PluginSource = "bundled" | "user" | "project" | "package";

export interface FoundPlugin {
  /** Its name, or `<category>/<folder>` when it lies one level deeper. */
  readonly key: string;
  readonly source: PluginSource;
  readonly folder: string;
  /** The module to import; undefined when there is none. */
  readonly entry: string | undefined;
  /** The module with extensions of the terminal; imported when there is a terminal. */
  readonly tui?: string;
  /** The page of its tab in the dashboard. */
  readonly dashboardPage?: string;
  readonly manifest: PluginManifest;
}

interface BrokenPlugin {
  readonly key: string;
  readonly source: PluginSource;
  readonly folder: string;
  readonly reason: string;
}

export interface PluginPlaces {
  readonly bundled?: string;
  readonly user: string;
  /** Given only when project plugins are switched on. */
  readonly project?: string;
  /** A `node_modules` folder. */
  readonly packages?: string;
}

export interface Discovery {
  readonly found: ReadonlyMap<string, FoundPlugin>;
  readonly broken: readonly BrokenPlugin[];
}

const maxManifestBytes = 256 * 1024;
const entryNames = ["index.js", "index.mjs", "index.ts"];

/** Finds plugins by reading folders and manifests; nothing of theirs is run. */
export async function discoverPlugins(locations: PluginPlaces, logger: Logger): Promise<Discovery> {
  const found = new Map<string, FoundPlugin>();
  const broken: BrokenPlugin[] = [];
  const take = (plugin: FoundPlugin | BrokenPlugin): void => {
    if ("reason" in plugin) {
      broken.push(plugin);
      return;
    }
    const held = found.get(plugin.key);
    if (held?.source === "bundled" && plugin.source === "project") {
      logger.warn("a project plugin may not replace a bundled one", { plugin: plugin.key, folder: plugin.folder });
      return;
    }
    found.set(plugin.key, plugin);
  };
  const folders: readonly (readonly [PluginSource, string | undefined])[] = [
    ["bundled", locations.bundled],
    ["user", locations.user],
    ["project", locations.project],
  ];
  for (const [source, folder] of folders) {
    if (folder === undefined) continue;
    for (const plugin of await inFolder(folder, source, logger)) take(plugin);
  }
  if (locations.packages !== undefined) for (const plugin of await inPackages(locations.packages, logger)) take(plugin);
  return { found, broken };
}

async function inFolder(
  root: string,
  source: PluginSource,
  logger: Logger,
): Promise<readonly (FoundPlugin | BrokenPlugin)[]> {
  const plugins: (FoundPlugin | BrokenPlugin)[] = [];
  for (const name of await foldersIn(root)) {
    const folder = join(root, name);
    const plugin = await readFolder({ folder, source }, logger);
    if (plugin !== undefined) {
      plugins.push(plugin);
      continue;
    }
    for (const inner of await foldersIn(folder)) {
      const nested = await readFolder({ folder: join(folder, inner), source, key: `${name}/${inner}` }, logger);
      if (nested !== undefined) plugins.push(nested);
    }
  }
  return plugins;
}

interface Location {
  readonly folder: string;
  readonly source: PluginSource;
  readonly key?: string;
}

async function readFolder(location: Location, logger: Logger): Promise<FoundPlugin | BrokenPlugin | undefined> {
  // A package that was put here says itself where its parts are.
  const packaged = await readPackage(location, logger);
  if (packaged !== undefined) return packaged;
  for (const file of ["plugin.yaml", "plugin.yml"]) {
    const text = await readTextFile(join(location.folder, file), { maxBytes: maxManifestBytes });
    if (text !== undefined) return readPlugin(location, { text, entry: await entryOf(location.folder) }, logger);
  }
  return undefined;
}

async function readPlugin(
  { folder, source, key }: Location,
  parts: { readonly text: string; readonly entry: string | undefined },
  logger: Logger,
): Promise<FoundPlugin | BrokenPlugin> {
  const folderName = basename(folder);
  const reading = await readManifest(parts.text, { folderName, logger });
  if (reading.kind === "invalid") return { key: key ?? folderName, source, folder, reason: reading.reason };
  const { manifest } = reading;
  const found = { key: key ?? manifest.name, source, folder };
  const { tui, dashboard } = manifest;
  try {
    return {
      ...found,
      entry: parts.entry,
      ...(tui === undefined ? {} : { tui: await resolveInside(folder, tui) }),
      ...(dashboard === undefined ? {} : { dashboardPage: await resolveInside(folder, dashboard.page) }),
      manifest,
    };
  } catch (error) {
    return { ...found, reason: `its part for the terminal or the dashboard cannot be used: ${describe(error)}` };
  }
}

async function entryOf(folder: string): Promise<string | undefined> {
  for (const name of entryNames) {
    const path = join(folder, name);
    if (await isFile(path)) return path;
  }
  return undefined;
}

/** Packages say in `package.json` that they are plugins: the keyword, and the field with the entry. */
async function inPackages(root: string, logger: Logger): Promise<readonly (FoundPlugin | BrokenPlugin)[]> {
  const plugins: (FoundPlugin | BrokenPlugin)[] = [];
  for (const name of await foldersIn(root)) {
    const folders = name.startsWith("@")
      ? (await foldersIn(join(root, name))).map((inner) => join(root, name, inner))
      : [join(root, name)];
    for (const folder of folders) {
      const plugin = await readPackage({ folder, source: "package" }, logger);
      if (plugin !== undefined) plugins.push(plugin);
    }
  }
  return plugins;
}

async function readPackage(location: Location, logger: Logger): Promise<FoundPlugin | BrokenPlugin | undefined> {
  const { folder, source } = location;
  const parsed = parseJson((await readTextFile(join(folder, "package.json"), { maxBytes: 1024 * 1024 })) ?? "");
  if (!parsed.ok || !isRecord(parsed.value)) return undefined;
  const { keywords, hermes } = parsed.value;
  if (!Array.isArray(keywords) || !keywords.includes("hermes-plugin") || !isRecord(hermes)) return undefined;
  const { plugin, manifest } = hermes;
  if (typeof plugin !== "string") return undefined;
  try {
    const entry = await resolveInside(folder, plugin);
    const manifestPath = await resolveInside(folder, typeof manifest === "string" ? manifest : "plugin.yaml");
    const text = await readTextFile(manifestPath, { maxBytes: maxManifestBytes });
    if (text === undefined) return { key: basename(folder), source, folder, reason: "its manifest is missing" };
    return await readPlugin(location, { text, entry }, logger);
  } catch (error) {
    return { key: basename(folder), source, folder, reason: describe(error) };
  }
}

async function foldersIn(root: string): Promise<readonly string[]> {
  // Mostly there is none.
  if (!existsSync(root)) return [];
  const entries = await readdir(root, { withFileTypes: true }).catch(() => []);
  const names: string[] = [];
  for (const entry of entries) {
    const isPlain = !entry.name.startsWith(".") && entry.name !== "node_modules";
    if (isPlain && (entry.isDirectory() || (entry.isSymbolicLink() && (await isFolder(join(root, entry.name)))))) {
      names.push(entry.name);
    }
  }
  return names.sort();
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
