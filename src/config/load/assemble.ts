import { homedir } from "node:os";
import { isAbsolute } from "node:path";
import { UserError } from "#foundation/errors";
import type { HermesHome } from "#foundation/files/paths";
import { parseJson } from "#foundation/text/json";
import { nearest } from "#foundation/text/text";
import { complete, seal, sealByName } from "../complete.ts";
import type { Config } from "../config.ts";
import { readTree } from "../interpreter.ts";
import { type KeyPath, parseKeyPath } from "../key-path.ts";
import { nodeAt } from "../lookup.ts";
import { managedBy } from "../managed.ts";
import { configRoot } from "../sections/root.ts";
import { decodeUtf8, readBytes } from "../source.ts";
import { readSwitches } from "../switches.ts";
import { deepFreeze, isPlainRecord, type Tree, valueAt, withValue } from "../tree.ts";
import { TrustedFolders } from "../trust.ts";
import type { ConfigWarning } from "../warning.ts";
import { checkTogether, keepUsable } from "./check-together.ts";
import { findConfigFile, noFile, rememberGoodFile } from "./config-file.ts";
import { checkCertificates } from "./environment/certificates.ts";
import { checkProxies } from "./environment/proxies.ts";
import { deadVariables } from "./environment/table.ts";
import { environmentLayer } from "./environment-layer.ts";
import { type FileLayer, fileLayer } from "./file-layer.ts";
import { joinLayers } from "./join.ts";
import { type Layer, locationsOf } from "./layer.ts";
import type { FlagSetting, LoadedConfig, LoadOptions } from "./load.ts";
import { foldPlatformExtras } from "./normalise.ts";
import { withProjectFile } from "./project-file.ts";
import { SecretStore } from "./secret-store.ts";
import { type Environment, loadEnvironment } from "./variables.ts";

/** The loader behind `loadConfig`: reads, migrates, joins, checks and freezes. */
export async function assembleConfig(options: LoadOptions): Promise<LoadedConfig> {
  const { home, env } = options;
  const own = await loadEnvironment(options);
  const ignoresFile = options.ignoreUserConfig ?? readSwitches(own.variables).ignoreUserConfig;
  const found = ignoresFile ? noFile : await findConfigFile(home);
  const trust = new TrustedFolders(home, {
    forThisRun: options.trusted,
    bySetting: trustedBySetting(found.document?.tree ?? {}, own, options.flags ?? []),
  });
  const whole = options.cwd === undefined ? own : await withProjectFile(own, { cwd: options.cwd, home, trust });
  const file = fileLayer({ home, found, environment: whole });
  const environment = withoutCleared(whole, file.cleared);
  const manager = managedBy(home, env);
  const gaps = environmentLayer("gap", environment);
  const overrides = environmentLayer("override", environment);
  const legacy = ignoresFile ? [] : legacyGatewayLayer(home);
  const layers = [gaps.layer, ...legacy, file.layer, overrides.layer, flagLayer(options.flags ?? [])];
  const joined = joinLayers(layers);
  const config = deepFreeze(keepUsable(joined.config));
  const isOwnFile = found.readFrom === "file" && manager === undefined;
  if (isOwnFile && found.document !== undefined && options.rememberGood !== false) {
    await rememberGoodFile(home, found.document);
  }
  return {
    config,
    warnings: inFileOrder([
      ...found.warnings,
      ...file.warnings,
      ...joined.warnings,
      ...environment.warnings,
      ...gaps.warnings,
      ...overrides.warnings,
      ...checkTogether(config, environment),
      ...deadVariables(environment.variables),
      ...checkProxies(environment.variables),
      ...checkCertificates(environment.variables),
    ]),
    file: home.config,
    readFrom: found.readFrom,
    canWrite: !found.isBroken && !file.isNewer && manager === undefined,
    managedBy: manager,
    isManaged: manager !== undefined,
    fileVersion: file.version,
    pendingMigrations: file.changes,
    unknown: deepFreeze(unknownTree(file)),
    environment,
    trust,
    secrets: new SecretStore(environment),
    provenance: (key) => locationsOf(layers, parseKeyPath(key))[0]?.source ?? { kind: "default" },
    locations: (key) => [...sealedLocations(layers, parseKeyPath(key)), ...defaultLocation(parseKeyPath(key))],
  };
}

/** The settings as they are when nothing is set. */
export function defaultSettings(): Config {
  // The type of the settings follows from the sections.
  return complete({}, configRoot) as Config;
}

/** Layers hold credentials as written; what leaves here does not show them. */
function sealedLocations(layers: readonly Layer[], path: KeyPath) {
  const node = nodeAt(configRoot, path);
  return locationsOf(layers, path).map(({ source, value }) => ({
    source,
    value: node === undefined ? sealByName(value) : seal(value, node),
  }));
}

function defaultLocation([head = "", ...rest]: KeyPath) {
  const section = nodeAt(configRoot, [head]);
  const value = section === undefined ? undefined : valueAt(complete(undefined, section), rest);
  return value === undefined ? [] : [{ source: { kind: "default" } as const, value }];
}

/** A variable that a migration retires must not count, although the file on the disk still has it. */
function withoutCleared(environment: Environment, cleared: readonly string[]): Environment {
  const gone = cleared.filter((name) => environment.originOf(name) === "home-file");
  if (gone.length === 0) return environment;
  const variables = Object.fromEntries(Object.entries(environment.variables).filter(([name]) => !gone.includes(name)));
  return {
    ...environment,
    variables,
    originOf: (name) => (gone.includes(name) ? undefined : environment.originOf(name)),
  };
}

/** What `security.trusted_folders` says. It is asked before the settings are joined, because some of them depend on the answer. */
function trustedBySetting(tree: Tree, { variables }: Environment, flags: readonly FlagSetting[]): readonly string[] {
  const key = "security.trusted_folders";
  const written =
    flags.findLast((flag) => flag.key === key)?.value ??
    valueAt(tree, parseKeyPath(key)) ??
    variables["HERMES_TRUSTED_FOLDERS"];
  if (written === undefined) return [];
  const read = readTree({ security: { trusted_folders: written } }, configRoot).tree;
  const folders = valueAt(read, parseKeyPath(key));
  const userHome = variables["HOME"]?.trim() || homedir();
  return (Array.isArray(folders) ? folders : [])
    .map((folder) => String(folder).replace(/^~(?=\/|$)/, userHome))
    .filter((folder) => isAbsolute(folder));
}

/** The gateway once had a file of its own, `gateway.json`. What it says still counts, below `config.yaml`. */
function legacyGatewayLayer(home: HermesHome): readonly Layer[] {
  const file = home.at("gateway.json");
  const bytes = readBytes(file);
  const text = bytes === undefined ? undefined : decodeUtf8(bytes);
  const parsed = text === undefined ? undefined : parseJson(text);
  if (parsed?.ok !== true || !isPlainRecord(parsed.value)) return [];
  const { default_reset_policy: reset, ...rest } = parsed.value;
  const renamed = reset === undefined ? rest : { ...rest, session_reset: reset };
  const folded = foldPlatformExtras({ tree: renamed, moves: new Map(), renamed: [] });
  const { tree, bad } = readTree(folded.tree, configRoot);
  return [{ tree, bad, sourceOf: () => ({ kind: "legacy-file", file }) }];
}

/** Options of the command line. A key no section has is a bug of the caller, except for its wording. */
function flagLayer(flags: readonly FlagSetting[]): Layer {
  const names = new Map<string, string>();
  const written = flags.reduce<Tree>((tree, { key, value, flag }) => {
    const path = parseKeyPath(key);
    if (nodeAt(configRoot, path) === undefined) throw unknownFlagKey(key, flag);
    names.set(key, flag);
    return withValue(tree, path, value);
  }, {});
  const sourceOf = (path: readonly string[]) => {
    const key = path.join(".");
    const flag = [...names].find(([name]) => name === key || name.startsWith(`${key}.`) || key.startsWith(`${name}.`));
    return { kind: "flag", flag: flag?.[1] ?? "command line" } as const;
  };
  const { tree, bad } = readTree(written, configRoot);
  return { tree, bad, sourceOf };
}

function unknownFlagKey(key: string, flag: string): UserError {
  const known = nearest(key.split(".")[0] ?? key, Object.keys(configRoot.fields));
  return new UserError(`${flag}: there is no setting ${key}.`, {
    exitCode: 2,
    ...(known === undefined ? {} : { hint: `Did you mean ${known}?` }),
  });
}

function unknownTree(file: FileLayer): Tree {
  const tree = file.unknown.reduce<Tree>((current, { path, value }) => withValue(current, path, value), {});
  const sealed = sealByName(tree);
  return isPlainRecord(sealed) ? sealed : {};
}

/** Those with a line by line, the others after them in the order they were found. */
function inFileOrder(warnings: readonly ConfigWarning[]): readonly ConfigWarning[] {
  const lineOf = (warning: ConfigWarning) => warning.line ?? Number.POSITIVE_INFINITY;
  return warnings.toSorted((a, b) => (lineOf(a) === lineOf(b) ? 0 : lineOf(a) - lineOf(b)));
}
