import { statSync } from "node:fs";
import type { HermesHome } from "#foundation/files/paths";
import type { LoadedConfig } from "./load.ts";

export interface CurrentSettingsDeps {
  readonly home: HermesHome;
  /** Reads them as they were read at the start. */
  load(): Promise<LoadedConfig>;
  /** They were read anew. */
  onChange(now: LoadedConfig): void;
}

/** The settings as they stand in the files now; these are read again only when one of them has changed. */
export class CurrentSettings {
  readonly #deps: CurrentSettingsDeps;
  #loaded: LoadedConfig;
  #stamp: string;
  #reading: Promise<LoadedConfig> | undefined;

  constructor(loaded: LoadedConfig, deps: CurrentSettingsDeps) {
    this.#deps = deps;
    this.#loaded = loaded;
    this.#stamp = this.stamp();
  }

  /** The same object as long as nothing has changed. */
  async now(): Promise<LoadedConfig> {
    if (this.#reading === undefined && this.stamp() !== this.#stamp)
      this.#reading = this.#read().finally(() => {
        this.#reading = undefined;
      });
    return (await this.#reading) ?? this.#loaded;
  }

  /** A file that does not parse at the moment is passed over: the settings stay. */
  async #read(): Promise<LoadedConfig> {
    const stamp = this.stamp();
    const now = await this.#deps.load();
    this.#stamp = stamp;
    if (now.readFrom === "backup") return this.#loaded;
    this.#loaded = now;
    this.#deps.onChange(now);
    return now;
  }

  /** Another one when a file was written. */
  stamp(): string {
    const { config, envFile } = this.#deps.home;
    return [config, envFile].map(stampOf).join(" ");
  }
}

function stampOf(file: string): string {
  const facts = statSync(file, { throwIfNoEntry: false });
  return facts === undefined ? "none" : `${facts.ino}:${facts.mtimeMs}:${facts.size}`;
}
