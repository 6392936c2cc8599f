import { copyFile, mkdtemp, readdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { defined } from "#foundation/defined";
import { ensureDir } from "#foundation/files/files";
import type { Logger } from "#foundation/files/logger";
import { discoverPlugins, type FoundPlugin } from "../discover.ts";
import type { RequiredVariable } from "../manifest.ts";
import { contentHash } from "./content-hash.ts";
import { type FetchDeps, fetchPlugin } from "./fetch-plugin.ts";
import type { LockedPlugin, PluginLock } from "./lock-file.ts";
import { type PluginOrigin, readInstallSource } from "./source.ts";

export interface InstallerDeps {
  /** `$HERMES_HOME/plugins` */
  readonly plugins: string;
  readonly lock: PluginLock;
  readonly env: Readonly<Record<string, string>>;
  readonly location: { readonly cwd: string; readonly home: string };
  readonly logger: Logger;
  readonly git?: string;
  readonly npm?: string;
}

export interface InstallReport {
  readonly key: string;
  readonly version: string;
  readonly commit?: string;
  readonly permissions: readonly string[];
  /** What it needs and the environment does not have; ask for these. */
  readonly missingEnv: readonly RequiredVariable[];
  readonly warnings: readonly string[];
}

export type InstallOutcome =
  | ({ readonly kind: "installed" } & InstallReport)
  | { readonly kind: "refused"; readonly reason: string }
  /** Nothing was changed: the person must agree to this first, then call again with `isConfirmed`. */
  | { readonly kind: "asks"; readonly addedPermissions: readonly string[]; readonly isEdited: boolean };

export interface UpdateOptions {
  /** The person has seen what `asks` said. */
  readonly isConfirmed?: boolean;
}

/**
 * Puts plugins into place, and takes them away. Files are fetched into a folder beside their place, read
 * there, and moved in one step: a plugin is there whole, or not at all. Installing does not enable.
 */
export class PluginInstaller {
  readonly #deps: InstallerDeps;

  constructor(deps: InstallerDeps) {
    this.#deps = deps;
  }

  async install(spec: string, options: { readonly isForced?: boolean }, signal: AbortSignal): Promise<InstallOutcome> {
    const source = readInstallSource(spec, this.#deps.location);
    if (source.kind === "invalid") return { kind: "refused", reason: source.reason };
    return this.#staged(source, signal, async (staged) => {
      const target = this.#target(staged.plugin.key);
      if (options.isForced !== true && (await exists(target)))
        return { kind: "refused", reason: `${staged.plugin.key} is there already; update it, or install it by force` };
      return this.#put(staged, { spec, source });
    });
  }

  /** Fetches a plugin again from where it came. New permissions, and files edited here, need a confirmation. */
  async update(key: string, options: UpdateOptions, signal: AbortSignal): Promise<InstallOutcome> {
    const locked = await this.#deps.lock.get(key);
    if (locked === undefined) return { kind: "refused", reason: `${key} was not installed by this program` };
    const source = readInstallSource(locked.spec, this.#deps.location);
    if (source.kind === "invalid") return { kind: "refused", reason: source.reason };
    const folder = this.#target(key);
    const isEdited = (await exists(folder)) && !(await this.#deps.lock.isUnchanged({ key, folder }));
    return this.#staged(source, signal, async (staged) => {
      if (staged.plugin.key !== key)
        return { kind: "refused", reason: `it now calls itself ${staged.plugin.key}; install that one instead` };
      const addedPermissions = staged.plugin.manifest.permissions.filter((one) => !locked.permissions.includes(one));
      if (options.isConfirmed !== true && (isEdited || addedPermissions.length > 0))
        return { kind: "asks", addedPermissions, isEdited };
      return this.#put(staged, { spec: locked.spec, source });
    });
  }

  /** False when there was no such plugin. */
  async remove(key: string): Promise<boolean> {
    const locked = await this.#deps.lock.get(key);
    const folder = this.#target(key);
    const wasThere = locked !== undefined || (await exists(folder));
    await rm(folder, { recursive: true, force: true });
    await this.#deps.lock.set(key, undefined);
    return wasThere;
  }

  async #staged(
    source: PluginOrigin,
    signal: AbortSignal,
    act: (staged: Staged) => Promise<InstallOutcome>,
  ): Promise<InstallOutcome> {
    await ensureDir(this.#deps.plugins, 0o700);
    // A leading dot keeps what is unfinished out of sight of discovery, also after a crash.
    const staging = await mkdtemp(path.join(this.#deps.plugins, ".staging-"));
    try {
      const fetched = await fetchPlugin(source, staging, this.#fetchDeps(signal));
      const plugin = await readFetched(fetched.folder, this.#deps.logger);
      if (typeof plugin === "string") return { kind: "refused", reason: plugin };
      const commit = defined({ commit: fetched.commit });
      return await act({ plugin, ...commit });
    } finally {
      await rm(staging, { recursive: true, force: true });
    }
  }

  async #put(
    { plugin, commit }: Staged,
    from: { readonly spec: string; readonly source: PluginOrigin },
  ): Promise<InstallOutcome> {
    const { key, manifest, folder } = plugin;
    const target = this.#target(key);
    await copyExamples(folder);
    await rm(path.join(folder, ".git"), { recursive: true, force: true });
    const integrity = await contentHash(folder);
    const old = `${folder}.old`;
    const hadOld = await exists(target);
    if (hadOld) await rename(target, old);
    try {
      await rename(folder, target);
    } catch (error) {
      if (hadOld) await rename(old, target);
      throw error;
    }
    const { version, permissions } = manifest;
    const more = defined({ commit });
    const locked: LockedPlugin = {
      source: from.source.kind,
      spec: from.spec,
      version,
      integrity,
      permissions,
      ...more,
    };
    await this.#deps.lock.set(key, locked);
    return {
      kind: "installed",
      key,
      version,
      permissions,
      ...more,
      missingEnv: manifest.requiresEnv.filter(({ name }) => (this.#deps.env[name] ?? "") === ""),
      warnings: "warning" in from.source && from.source.warning !== undefined ? [from.source.warning] : [],
    };
  }

  /** The name was checked when the manifest was read, and is checked again where it becomes a path. */
  #target(key: string): string {
    const target = path.join(this.#deps.plugins, key);
    if (path.dirname(target) !== path.resolve(this.#deps.plugins) || key.startsWith("."))
      throw new Error(`"${key}" is not the name of an installed plugin.`);
    return target;
  }

  #fetchDeps(signal: AbortSignal): FetchDeps {
    const { env, git, npm } = this.#deps;
    return { env, signal, ...defined({ git, npm }) };
  }
}

interface Staged {
  readonly plugin: FoundPlugin;
  readonly commit?: string;
}

/** The plugin in a fetched folder, or why there is none. */
async function readFetched(folder: string, logger: Logger): Promise<FoundPlugin | string> {
  const { found, broken } = await discoverPlugins({ user: path.dirname(folder) }, logger);
  const plugin = [...found.values()].find((one) => one.folder === folder);
  if (plugin === undefined)
    return broken.find((one) => one.folder === folder)?.reason ?? "it has no plugin.yaml, so it is no plugin";
  // The key of a folder is its manifest's name: what the clone was called does not matter.
  return { ...plugin, key: plugin.manifest.name };
}

/** `settings.yaml.example` becomes `settings.yaml`, where there is none. */
async function copyExamples(folder: string): Promise<void> {
  for (const name of (await readdir(folder)).filter((one) => one.endsWith(".example"))) {
    const target = path.join(folder, name.slice(0, -".example".length));
    if (!(await exists(target))) await copyFile(path.join(folder, name), target);
  }
}

function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
