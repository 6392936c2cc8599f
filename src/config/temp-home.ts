import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { HermesHome } from "#foundation/files/paths";
import { assembleConfig } from "./assemble.ts";
import type { LoadedConfig, LoadOptions } from "./load.ts";
import { settleBothWays } from "./settle-both-ways.ts";

/** A throw-away home for tests of the configuration, removed when disposed. */
export class TempHome implements Disposable {
  readonly folder: string = mkdtempSync(join(tmpdir(), "hermes-config-"));
  readonly home: HermesHome = new HermesHome(join(this.folder, ".hermes"));
  /** The environment of a person whose user folder this is. */
  readonly env: NodeJS.ProcessEnv = { HOME: this.folder };

  constructor(files: Readonly<Record<string, string>> = {}) {
    mkdirSync(this.home.root, { recursive: true });
    for (const [name, text] of Object.entries(files)) this.write(name, text);
  }

  write(name: string, content: string | Uint8Array): void {
    mkdirSync(dirname(this.home.at(name)), { recursive: true });
    writeFileSync(this.home.at(name), content);
  }

  read(name: string): string {
    return readFileSync(this.home.at(name), "utf8");
  }

  has(name: string): boolean {
    return existsSync(this.home.at(name));
  }

  modeOf(name: string): number {
    return statSync(this.home.at(name)).mode & 0o777;
  }

  hashOf(name: string): string {
    return createHash("sha256")
      .update(readFileSync(this.home.at(name)))
      .digest("hex");
  }

  /** As `loadConfig`, and every load of every test also proves that the quick way and the schema agree. */
  async load(options: Partial<LoadOptions> = {}): Promise<LoadedConfig> {
    return await assembleConfig({ home: this.home, env: this.env, ...options }, settleBothWays);
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
