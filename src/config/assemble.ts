import { UserError } from "#foundation/errors";
import { nearest } from "#foundation/text/text";
import { checkTogether } from "./check-together.ts";
import { coerceTree } from "./coerce.ts";
import type { Config } from "./config.ts";
import { type FoundFile, findConfigFile, rememberGoodFile } from "./config-file.ts";
import { checkProxies } from "./environment/proxies.ts";
import { readSwitches } from "./environment/switches.ts";
import { deadVariables } from "./environment.ts";
import { environmentLayer } from "./environment-layer.ts";
import { type FileLayer, fileLayer } from "./file-layer.ts";
import { keepUsable } from "./keep-usable.ts";
import { type KeyPath, parseKeyPath } from "./key-path.ts";
import { type Layer, placesOf } from "./layer.ts";
import { legacyGatewayLayer } from "./legacy-gateway.ts";
import type { FlagSetting, LoadedConfig, LoadOptions } from "./load.ts";
import { managedBy } from "./managed.ts";
import { sealByName, sealSecrets } from "./seal.ts";
import { SecretStore } from "./secrets.ts";
import { type Settle, settle } from "./settle.ts";
import { type Shape, shapeAt } from "./shape.ts";
import { defaultSettings } from "./table/plain-settings.ts";
import { tableShape } from "./table/table-shape.ts";
import { deepFreeze, isPlainRecord, type Tree, valueAt, withValue } from "./tree.ts";
import { type Environment, loadEnvironment } from "./variables.ts";
import type { ConfigWarning } from "./warning.ts";

/** The loader behind `loadConfig`: reads, migrates, joins, checks and freezes. */
export async function assembleConfig(options: LoadOptions, check: Settle = settle): Promise<LoadedConfig> {
  const { home, env } = options;
  const shape = tableShape();
  const loadedEnvironment = await loadEnvironment(options);
  const ignoresFile = options.ignoreUserConfig ?? readSwitches(loadedEnvironment.variables).ignoreUserConfig;
  const found = ignoresFile ? nothing : await findConfigFile(home);
  const file = fileLayer({ home, found, environment: loadedEnvironment, shape });
  const environment = withoutCleared(loadedEnvironment, file.cleared);
  const manager = managedBy(home, env);
  const gaps = environmentLayer("gap", environment, shape);
  const overrides = environmentLayer("override", environment, shape);
  const legacy = ignoresFile ? [] : legacyGatewayLayer(home, shape);
  const settled = await check(
    [gaps.layer, ...legacy, file.layer, overrides.layer, flagLayer(options.flags ?? [], shape)],
    shape,
  );
  const config: Config = deepFreeze(keepUsable(settled.value));
  const { layers } = settled;
  const isWritableFile = !found.isBroken && !file.isNewer;
  if (
    found.readFrom === "file" &&
    found.document !== undefined &&
    manager === undefined &&
    options.rememberGood !== false
  ) {
    await rememberGoodFile(home, found.document.text);
  }
  return {
    config,
    warnings: inFileOrder([
      ...found.warnings,
      ...file.warnings,
      ...settled.warnings,
      ...environment.warnings,
      ...gaps.warnings,
      ...overrides.warnings,
      ...checkTogether(config, environment),
      ...deadVariables(environment.variables),
      ...checkProxies(environment.variables),
    ]),
    file: home.config,
    readFrom: found.readFrom,
    canWrite: isWritableFile && manager === undefined,
    managedBy: manager,
    isManaged: manager !== undefined,
    fileVersion: file.version,
    pendingMigrations: file.changes,
    unknown: deepFreeze(unknownTree(file)),
    environment,
    secrets: new SecretStore(environment),
    provenance: (key) => placesOf(layers, parseKeyPath(key))[0]?.source ?? { kind: "default" },
    places: (key) => [...sealedPlaces(layers, parseKeyPath(key), shape), ...defaultPlace(key)],
  };
}

/** Layers hold credentials as written; what leaves here does not show them. */
function sealedPlaces(layers: readonly Layer[], path: KeyPath, shape: Shape) {
  const own = shapeAt(shape, path);
  return placesOf(layers, path).map(({ source, value }) => ({
    source,
    value: own === undefined ? sealByName(value) : sealSecrets(value, own),
  }));
}

function defaultPlace(key: string) {
  const value = valueAt(defaultSettings(), parseKeyPath(key));
  return value === undefined ? [] : [{ source: { kind: "default" } as const, value }];
}

const nothing: FoundFile = { document: undefined, readFrom: "defaults", isBroken: false, warnings: [] };

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

/** Options of the command line. A key the schema does not have is a bug of the caller, except for its wording. */
function flagLayer(flags: readonly FlagSetting[], shape: Shape): Layer {
  const names = new Map<string, string>();
  const written = flags.reduce<Tree>((tree, { key, value, flag }) => {
    const path = parseKeyPath(key);
    if (shapeAt(shape, path) === undefined) throw unknownFlagKey(key, flag, shape);
    names.set(key, flag);
    return withValue(tree, path, value);
  }, {});
  const sourceOf = (path: readonly string[]) => {
    const key = path.join(".");
    const flag = [...names].find(([name]) => name === key || name.startsWith(`${key}.`) || key.startsWith(`${name}.`));
    return { kind: "flag", flag: flag?.[1] ?? "command line" } as const;
  };
  return { tree: coerceTree(written, shape).tree, sourceOf };
}

function unknownFlagKey(key: string, flag: string, shape: Shape): UserError {
  const known = shape.kind === "object" ? nearest(key.split(".")[0] ?? key, shape.fields.keys()) : undefined;
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
