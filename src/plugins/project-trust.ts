import { createHash } from "node:crypto";
import { readFile, realpath } from "node:fs/promises";
import { join } from "node:path";
import { readTextFile, withFileLock, writeFileAtomic } from "#foundation/files/files";
import { silentLogger } from "#foundation/files/logger";
import { isRecord, parseJson } from "#foundation/text/json";
import { discoverPlugins, type FoundPlugin } from "./discover.ts";

/** Where a project keeps its plugins. */
export const projectPlugins = (folder: string): string => join(folder, ".hermes", "plugins");

/**
 * Which plugins of projects the person trusts. A decision is for one folder and one content of its
 * modules: whoever can write to the project cannot make a trusted plugin into another one.
 */
export class ProjectTrust {
  readonly #path: string;
  readonly #signal: AbortSignal;

  constructor(path: string, signal: AbortSignal) {
    this.#path = path;
    this.#signal = signal;
  }

  async isTrusted(plugin: FoundPlugin): Promise<boolean> {
    const { location, print } = await identify(plugin);
    return (await this.#read())[location] === print;
  }

  async trust(plugin: FoundPlugin): Promise<void> {
    const { location, print } = await identify(plugin);
    await withFileLock(
      `${this.#path}.lock`,
      async () => {
        const { folders = [], plugins, ...others } = await this.#file();
        const all = { ...(isRecord(plugins) ? plugins : {}), [location]: print };
        await writeFileAtomic(this.#path, `${JSON.stringify({ folders, ...others, plugins: all }, null, 2)}\n`, {
          mode: 0o600,
        });
      },
      { signal: this.#signal },
    );
  }

  /** Trusts all plugins of a project as they are now, and gives their keys. */
  async trustProject(folder: string): Promise<readonly string[]> {
    const { found } = await discoverPlugins({ user: projectPlugins(folder) }, silentLogger);
    for (const plugin of found.values()) await this.trust(plugin);
    return [...found.keys()];
  }

  async #read(): Promise<Readonly<Record<string, unknown>>> {
    const { plugins } = await this.#file();
    return isRecord(plugins) ? plugins : {};
  }

  /** The one file of what a person trusts; folders stand in it beside plugins. */
  async #file(): Promise<Readonly<Record<string, unknown>>> {
    const parsed = parseJson((await readTextFile(this.#path, { maxBytes: 1024 * 1024 })) ?? "{}");
    return parsed.ok && isRecord(parsed.value) ? parsed.value : {};
  }
}

async function identify(plugin: FoundPlugin): Promise<{ readonly location: string; readonly print: string }> {
  const location = await realpath(plugin.folder);
  const hash = createHash("sha256");
  for (const module of [plugin.entry, plugin.tui]) if (module !== undefined) hash.update(await readFile(module));
  return { location, print: hash.digest("hex") };
}
