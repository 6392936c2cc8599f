import { readTextFile, withFileLock, writeFileAtomic } from "#foundation/files/files";
import { isRecord, parseJson } from "#foundation/text/json";
import type { FoundPlugin } from "../discover.ts";
import { contentHash } from "./content-hash.ts";

/** What was installed, from where, and what it looked like. */
export interface LockedPlugin {
  readonly source: "npm" | "git" | "folder";
  /** As the person gave it; what `update` fetches again. */
  readonly spec: string;
  readonly version: string;
  readonly commit?: string;
  readonly integrity: string;
  readonly permissions: readonly string[];
}

const maxBytes = 4 * 1024 * 1024;

/**
 * `plugins.lock.json`. A plugin whose files are not those that were installed is not loaded until somebody
 * has confirmed them: whoever can write to the folder must not be able to run code by that alone.
 */
export class PluginLock {
  readonly #path: string;
  readonly #signal: AbortSignal;

  constructor(path: string, signal: AbortSignal) {
    this.#path = path;
    this.#signal = signal;
  }

  async get(key: string): Promise<LockedPlugin | undefined> {
    const all = await this.#read();
    return Object.hasOwn(all, key) ? all[key] : undefined;
  }

  async set(key: string, plugin: LockedPlugin | undefined): Promise<void> {
    await withFileLock(
      `${this.#path}.lock`,
      async () => {
        const { [key]: _, ...rest } = await this.#read();
        const plugins = plugin === undefined ? rest : { ...rest, [key]: plugin };
        const text = `${JSON.stringify({ version: 1, plugins }, null, 2)}\n`;
        await writeFileAtomic(this.#path, text, { mode: 0o600 });
      },
      { signal: this.#signal },
    );
  }

  /** True when the plugin was not installed through us, or is as it was installed. */
  async isUnchanged(plugin: Pick<FoundPlugin, "key" | "folder">): Promise<boolean> {
    const locked = await this.get(plugin.key);
    return locked === undefined || locked.integrity === (await contentHash(plugin.folder));
  }

  /** The person has looked at the files as they are now. */
  async confirm(plugin: FoundPlugin): Promise<void> {
    const locked = await this.get(plugin.key);
    if (locked === undefined) return;
    const { version, permissions } = plugin.manifest;
    await this.set(plugin.key, { ...locked, version, permissions, integrity: await contentHash(plugin.folder) });
  }

  async #read(): Promise<Readonly<Record<string, LockedPlugin>>> {
    const text = await readTextFile(this.#path, { maxBytes });
    if (text === undefined) return {};
    const parsed = parseJson(text);
    if (!parsed.ok || !isRecord(parsed.value) || !isRecord(parsed.value["plugins"]))
      throw new Error(`${this.#path} cannot be read; move it away to install the plugins again.`);
    const entries = Object.entries(parsed.value["plugins"]).flatMap(([key, raw]) => {
      const plugin = readLocked(raw);
      return plugin === undefined ? [] : [[key, plugin] as const];
    });
    return Object.fromEntries(entries);
  }
}

function readLocked(raw: unknown): LockedPlugin | undefined {
  if (!isRecord(raw)) return undefined;
  const { source, spec, version, commit, integrity, permissions } = raw;
  if (source !== "npm" && source !== "git" && source !== "folder") return undefined;
  if (typeof spec !== "string" || typeof version !== "string" || typeof integrity !== "string") return undefined;
  return {
    source,
    spec,
    version,
    integrity,
    permissions: Array.isArray(permissions) ? permissions.filter((one) => typeof one === "string") : [],
    ...(typeof commit === "string" ? { commit } : {}),
  };
}
