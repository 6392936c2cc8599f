import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { HermesHome } from "#foundation/files/paths";
import { Secret } from "#foundation/secrets/secret";
import { assembleConfig } from "./load/assemble.ts";
import type { LoadedConfig, LoadOptions } from "./load/load.ts";

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

  /** As `loadConfig`, and every load of every test also proves that a file and the copy of what was found in it agree. */
  async load(options: Partial<LoadOptions> = {}): Promise<LoadedConfig> {
    const load = () => assembleConfig({ home: this.home, env: this.env, ...options });
    rmSync(this.home.at("cache", "parsed-config.json"), { force: true });
    const parsed = await load();
    const copied = await load();
    if (exactly(parsed) !== exactly(copied)) {
      throw new Error(`settings differ when they are read again:\n${exactly(parsed)}\n${exactly(copied)}`);
    }
    return parsed;
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** All that two loads can differ in: values, the order of keys, what is a credential, what is said about the file. */
function exactly({ config, warnings, unknown }: LoadedConfig): string {
  // Lines of `.env` that ran together are repaired by the first load.
  const lasting = warnings.filter(({ kind }) => kind !== "secret-file");
  return [written(config), written(lasting), written(unknown)].join("\n");
}

function written(value: unknown): string {
  if (value instanceof Secret) return `Secret(${JSON.stringify(value.reveal())})`;
  if (Array.isArray(value)) return `[${value.map(written).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    return `{${Object.entries(value)
      .map(([key, child]) => `${JSON.stringify(key)}:${written(child)}`)
      .join(",")}}`;
  }
  return typeof value === "string" ? JSON.stringify(value) : Object.is(value, -0) ? "-0" : String(value);
}
