import type { HermesHome } from "#foundation/files/paths";
import type { Config } from "../config.ts";
import type { Manager } from "../managed.ts";
import type { Tree } from "../tree.ts";
import type { TrustedFolders } from "../trust.ts";
import type { ConfigWarning } from "../warning.ts";
import type { Provenance } from "./layer.ts";
import type { SecretStore } from "./secret-store.ts";
import type { Environment } from "./variables.ts";

/** A setting given on the command line, with the option as the person typed it. */
export interface FlagSetting {
  readonly key: string;
  readonly value: unknown;
  readonly flag: string;
}

export interface LoadOptions {
  readonly home: HermesHome;
  readonly env: NodeJS.ProcessEnv;
  readonly flags?: readonly FlagSetting[] | undefined;
  /** The folder worked in; its `.env` may give keys that are missing, if it is trusted. */
  readonly cwd?: string | undefined;
  /** Folders that are trusted for this run, whatever the list in the home says. */
  readonly trusted?: readonly string[] | undefined;
  /** Start from defaults; `.env` still counts. Also switched on by `HERMES_IGNORE_USER_CONFIG`. */
  readonly ignoreUserConfig?: boolean | undefined;
  /** Keep a copy of a file that parsed, for the day it does not (default true). */
  readonly rememberGood?: boolean | undefined;
}

export interface LoadedConfig {
  readonly config: Config;
  /** What a person should know, in the order of the file. */
  readonly warnings: readonly ConfigWarning[];
  readonly file: string;
  /** What was read: the file, its last good copy, or nothing. */
  readonly readFrom: "file" | "backup" | "defaults";
  /** False while the file does not parse, is newer than this program, or is managed. */
  readonly canWrite: boolean;
  readonly managedBy: Manager | undefined;
  readonly isManaged: boolean;
  /** Layout of the file; undefined when it does not say or there is none. */
  readonly fileVersion: number | undefined;
  /** What `config migrate` would change in the file. */
  readonly pendingMigrations: readonly string[];
  /** Keys of the file that the schema does not know, with credentials wrapped. */
  readonly unknown: Tree;
  readonly environment: Environment;
  /** Which folders' own files may count. */
  readonly trust: TrustedFolders;
  readonly secrets: SecretStore;
  /** Where the effective value of a key was set. */
  provenance(key: string): Provenance;
  /** Every place that sets a key, the winner first, the default last. */
  locations(key: string): readonly { readonly source: Provenance; readonly value: unknown }[];
}

/** Puts the settings together. Never throws for what stands in a file: it warns and goes on with what is good. */
export async function loadConfig(options: LoadOptions): Promise<LoadedConfig> {
  // Most of the program needs a part of this door only; the sections and all that reads them wait until here.
  const { assembleConfig } = await import("./assemble.ts");
  return await assembleConfig(options);
}
