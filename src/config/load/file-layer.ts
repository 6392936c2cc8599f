import type { HermesHome } from "#foundation/files/paths";
import { nearest } from "#foundation/text/text";
import { type Findings, readTree, type UnknownKey } from "../interpreter.ts";
import { formatKeyPath, type KeyPath } from "../key-path.ts";
import { isSecretNode, nodeAt } from "../lookup.ts";
import { configRoot } from "../sections/root.ts";
import { isPlainRecord, type Tree } from "../tree.ts";
import { currentConfigVersion } from "../version.ts";
import type { ConfigWarning } from "../warning.ts";
import type { FoundFile } from "./config-file.ts";
import type { Layer } from "./layer.ts";
import { installedPlugins, type Migrated, migrate } from "./migrate.ts";
import { foldPlatformExtras, type Normalised, normalise } from "./normalise.ts";
import { checkStructure } from "./structure.ts";
import type { Environment } from "./variables.ts";

export interface FileLayer extends Pick<Migrated, "cleared" | "version" | "isNewer" | "changes"> {
  readonly layer: Layer;
  readonly unknown: readonly UnknownKey[];
  readonly warnings: readonly ConfigWarning[];
}

interface FileLayerOptions {
  readonly home: HermesHome;
  readonly found: FoundFile;
  readonly environment: Environment;
}

/** The settings of the file, brought to the present layout, with everything that is odd about them. */
export function fileLayer(options: FileLayerOptions): FileLayer {
  const { found, environment, home } = options;
  const written = found.document?.tree ?? {};
  const plugins = found.document === undefined ? [] : installedPlugins(home);
  const migrated = migrate(written, { variables: environment.variables, installedPlugins: plugins });
  const normalised = foldPlatformExtras(normalise(migrated.tree));
  const expanded = expandVariables(normalised.tree, environment.variables);
  const read = readTree(expanded.tree, configRoot);
  const file = found.readFrom === "backup" ? home.configBackup : home.config;
  const locationOf = (path: KeyPath): KeyPath => normalised.moves.get(formatKeyPath(path)) ?? path;
  const lineOf = (path: KeyPath) => found.document?.locate(locationOf(path))?.line;
  const reporter: Reporter = { file, lineOf };
  const layer: Layer = {
    tree: read.tree,
    bad: read.bad,
    sourceOf: (path) => ({ kind: "file", file, key: formatKeyPath(locationOf(path)), line: lineOf(path) }),
  };
  return {
    layer,
    unknown: read.unknown,
    cleared: migrated.cleared,
    version: migrated.version,
    isNewer: migrated.isNewer,
    changes: migrated.changes,
    warnings: [
      ...versionWarnings(migrated, reporter),
      ...duplicateWarnings(found, reporter),
      ...checkStructure(written).map(({ path, ...issue }) => report(reporter, path, { kind: "structure", ...issue })),
      ...unknownWarnings(read, normalised, reporter),
      ...clampWarnings(read, reporter),
      ...renameWarnings(normalised, reporter),
      ...missingVariables(expanded.missing, reporter),
    ],
  };
}

interface Reporter {
  readonly file: string;
  lineOf(path: KeyPath): number | undefined;
}

function report(
  reporter: Reporter,
  path: KeyPath,
  what: Pick<ConfigWarning, "kind" | "severity" | "message" | "hint">,
): ConfigWarning {
  return { ...what, key: formatKeyPath(path), file: reporter.file, line: reporter.lineOf(path) };
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

function unknownWarnings({ unknown }: Findings, normalised: Normalised, reporter: Reporter): ConfigWarning[] {
  const misplaced = new Set(["api_key", "api_mode", "rate_limit_delay"]);
  return unknown
    .filter(({ path }) => !(path.length === 1 && misplaced.has(path[0] ?? "")))
    .map(({ path, siblings }) => {
      const suggestion = suggestionFor(path, siblings);
      return report(reporter, normalised.moves.get(formatKeyPath(path)) ?? path, {
        kind: "unknown-key",
        severity: "warning",
        message: `${formatKeyPath(path)} is not a setting and has no effect.`,
        hint: suggestion === undefined ? undefined : `Did you mean ${suggestion}?`,
      });
    });
}

/** The key that was probably meant: one beside it, else one of the same name in another section. */
export function suggestionFor(path: KeyPath, siblings: readonly string[]): string | undefined {
  const written = path.at(-1) ?? "";
  const parent = path.slice(0, -1);
  const beside = nearest(written, siblings);
  if (beside !== undefined) return formatKeyPath([...parent, beside]);
  const elsewhere = Object.entries(configRoot.fields).find(
    ([, field]) => field.kind === "group" && Object.hasOwn(field.fields, written),
  );
  return elsewhere === undefined ? undefined : formatKeyPath([elsewhere[0], written]);
}

function clampWarnings({ clamped }: Findings, reporter: Reporter): ConfigWarning[] {
  return clamped.map(({ path, from, to }) =>
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
    .filter(({ path }) => path[0] === "mcp_servers" || holdsSecret(path))
    .map(({ path, variable }) =>
      report(reporter, path, {
        kind: "variable",
        severity: "warning",
        message: `${formatKeyPath(path)} refers to the variable ${variable}, which is not set.`,
        hint: `Set it with: hermes config set ${variable} -`,
      }),
    );
}

const holdsSecret = (path: KeyPath): boolean => {
  const node = nodeAt(configRoot, path);
  return node !== undefined && isSecretNode(node);
};

interface Expansion {
  readonly tree: Tree;
  /** References to variables that are not set; they stay in the text as written. */
  readonly missing: readonly { readonly path: KeyPath; readonly variable: string }[];
}

const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Replaces `${NAME}` in every string. Bare `$NAME` and unset names stay as they are. */
function expandVariables(tree: Tree, variables: Readonly<Record<string, string | undefined>>): Expansion {
  const missing: { path: KeyPath; variable: string }[] = [];
  const expand = (value: unknown, path: KeyPath): unknown => {
    if (typeof value === "string") {
      // Few values refer to anything, and compiling the pattern costs more than reading a whole file of them.
      if (!value.includes("${")) return value;
      return value.replace(reference, (written, variable: string) => {
        const found = variables[variable];
        if (found === undefined) missing.push({ path, variable });
        return found ?? written;
      });
    }
    if (Array.isArray(value)) return value.map((item, index) => expand(item, [...path, String(index)]));
    if (!isPlainRecord(value)) return value;
    return expandEntries(value, path);
  };
  const expandEntries = (record: Tree, path: KeyPath): Tree =>
    Object.fromEntries(Object.entries(record).map(([key, child]) => [key, expand(child, [...path, key])]));
  return { tree: expandEntries(tree, []), missing };
}
