import type { HermesHome } from "#foundation/files/paths";
import { nearest } from "#foundation/text/text";
import { type Coerced, coerceTree, type UnknownKey } from "./coerce.ts";
import type { FoundFile } from "./config-file.ts";
import { expandVariables } from "./expand.ts";
import { installedPlugins } from "./installed-plugins.ts";
import { formatKeyPath, type KeyPath } from "./key-path.ts";
import type { Layer } from "./layer.ts";
import { type Migrated, migrate } from "./migrate.ts";
import { type Normalised, normalise } from "./normalise.ts";
import { foldPlatformExtras } from "./platform-extras.ts";
import { type Shape, shapeAt } from "./shape.ts";
import { checkStructure } from "./structure.ts";
import type { Environment } from "./variables.ts";
import { currentConfigVersion } from "./version.ts";
import type { ConfigWarning } from "./warning.ts";

export interface FileLayer extends Pick<Migrated, "cleared" | "version" | "isNewer" | "changes"> {
  readonly layer: Layer;
  readonly unknown: readonly UnknownKey[];
  readonly warnings: readonly ConfigWarning[];
}

interface FileLayerOptions {
  readonly home: HermesHome;
  readonly found: FoundFile;
  readonly environment: Environment;
  readonly shape: Shape;
}

/** The settings of the file, brought to the present layout, with everything that is odd about them. */
export function fileLayer(options: FileLayerOptions): FileLayer {
  const { found, environment, shape, home } = options;
  const written = found.document?.tree ?? {};
  const plugins = found.document === undefined ? [] : installedPlugins(home);
  const migrated = migrate(written, { variables: environment.variables, installedPlugins: plugins });
  const normalised = foldPlatformExtras(normalise(migrated.tree), shape);
  const expanded = expandVariables(normalised.tree, environment.variables);
  const coerced = coerceTree(expanded.tree, shape);
  const file = found.readFrom === "backup" ? home.configBackup : home.config;
  const placeOf = (path: KeyPath): KeyPath => normalised.moves.get(formatKeyPath(path)) ?? path;
  const lineOf = (path: KeyPath) => found.document?.locate(placeOf(path))?.line;
  const reporter: Reporter = { file, lineOf, shape };
  const layer: Layer = {
    tree: coerced.tree,
    sourceOf: (path) => {
      const line = lineOf(path);
      return { kind: "file", file, key: formatKeyPath(placeOf(path)), ...(line === undefined ? {} : { line }) };
    },
  };
  return {
    layer,
    unknown: coerced.unknown,
    cleared: migrated.cleared,
    version: migrated.version,
    isNewer: migrated.isNewer,
    changes: migrated.changes,
    warnings: [
      ...versionWarnings(migrated, reporter),
      ...duplicateWarnings(found, reporter),
      ...checkStructure(written).map(({ path, ...issue }) => report(reporter, path, { kind: "structure", ...issue })),
      ...unknownWarnings(coerced, normalised, reporter),
      ...clampWarnings(coerced, reporter),
      ...renameWarnings(normalised, reporter),
      ...missingVariables(expanded.missing, reporter),
    ],
  };
}

interface Reporter {
  readonly file: string;
  readonly shape: Shape;
  lineOf(path: KeyPath): number | undefined;
}

function report(
  reporter: Reporter,
  path: KeyPath,
  what: Pick<ConfigWarning, "kind" | "severity" | "message" | "hint">,
): ConfigWarning {
  const line = reporter.lineOf(path);
  return { ...what, key: formatKeyPath(path), file: reporter.file, ...(line === undefined ? {} : { line }) };
}

function versionWarnings(migrated: Migrated, reporter: Reporter): ConfigWarning[] {
  if (!migrated.isNewer) return [];
  return [
    report(reporter, ["_config_version"], {
      kind: "version",
      severity: "warning",
      message: `The file has layout ${migrated.version}, newer than this program's ${currentConfigVersion}; it is only read.`,
      hint: "Update Hermes: hermes update",
    }),
  ];
}

function duplicateWarnings(found: FoundFile, reporter: Reporter): ConfigWarning[] {
  return (found.document?.duplicates ?? []).map(({ path, position }) => ({
    kind: "duplicate-key",
    severity: "warning",
    message: `${formatKeyPath(path)} is written twice; this one counts.`,
    hint: "Remove one of the two.",
    key: formatKeyPath(path),
    file: reporter.file,
    ...position,
  }));
}

function unknownWarnings(coerced: Coerced, normalised: Normalised, reporter: Reporter): ConfigWarning[] {
  const misplaced = new Set(["api_key", "api_mode", "rate_limit_delay"]);
  return coerced.unknown
    .filter(({ path }) => !(path.length === 1 && misplaced.has(path[0] ?? "")))
    .map(({ path, siblings }) => {
      const suggestion = suggestionFor(path, siblings, reporter.shape);
      return report(reporter, normalised.moves.get(formatKeyPath(path)) ?? path, {
        kind: "unknown-key",
        severity: "warning",
        message: `${formatKeyPath(path)} is not a setting and has no effect.`,
        ...(suggestion === undefined ? {} : { hint: `Did you mean ${suggestion}?` }),
      });
    });
}

/** The key that was probably meant: one beside it, else one of the same name in another section. */
export function suggestionFor(path: KeyPath, siblings: readonly string[], shape: Shape): string | undefined {
  const written = path.at(-1) ?? "";
  const parent = path.slice(0, -1);
  const beside = nearest(written, siblings);
  if (beside !== undefined) return formatKeyPath([...parent, beside]);
  if (shape.kind !== "object") return undefined;
  const elsewhere = [...shape.fields].find(([, field]) => field.kind === "object" && field.fields.has(written));
  return elsewhere === undefined ? undefined : formatKeyPath([elsewhere[0], written]);
}

function clampWarnings(coerced: Coerced, reporter: Reporter): ConfigWarning[] {
  return coerced.clamped.map(({ path, from, to }) =>
    report(reporter, path, {
      kind: "range",
      severity: "warning",
      message: `${formatKeyPath(path)} is ${from}, outside of what is allowed; ${to} is used.`,
    }),
  );
}

/** Short and moved spellings are fine; spellings from another program are accepted with a word. */
function renameWarnings(normalised: Normalised, reporter: Reporter): ConfigWarning[] {
  return normalised.renamed
    .filter(({ from }) => /[A-Z]/.test(from.at(-1) ?? ""))
    .map(({ from, to }) =>
      report(reporter, from, {
        kind: "renamed",
        severity: "warning",
        message: `${formatKeyPath(from)} was read as ${formatKeyPath(to)}.`,
        hint: `Write ${to.at(-1)} instead.`,
      }),
    );
}

/** A reference to nothing in a credential or a server's settings fails far from here, so it is said now. */
function missingVariables(
  missing: readonly { path: KeyPath; variable: string }[],
  reporter: Reporter,
): ConfigWarning[] {
  return missing
    .filter(({ path }) => path[0] === "mcp_servers" || shapeAt(reporter.shape, path)?.facts.isSecret === true)
    .map(({ path, variable }) =>
      report(reporter, path, {
        kind: "variable",
        severity: "warning",
        message: `${formatKeyPath(path)} refers to the variable ${variable}, which is not set.`,
        hint: `Set it with: hermes config set ${variable} -`,
      }),
    );
}
