import { defined } from "#foundation/defined";
import type { Logger } from "#foundation/files/logger";
import { isRecord } from "#foundation/text/json";

/** The newest manifest this program understands. */
const supportedManifestVersion = 1;

type PluginKind = "standalone" | "backend" | "exclusive";

export interface RequiredVariable {
  readonly name: string;
  readonly description?: string;
  readonly url?: string;
  readonly isSecret: boolean;
}

export interface PluginManifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly author: string;
  readonly kind: PluginKind;
  readonly requiresEnv: readonly RequiredVariable[];
  /** Informational: what it says it registers. Absent means it says nothing. */
  readonly providesTools?: readonly string[];
  readonly providesHooks?: readonly string[];
  /** Names it may take from built-in tools. */
  readonly overridesTools: readonly string[];
  /** Shown when the plugin is enabled. */
  readonly permissions: readonly string[];
  /** The module with its extensions of the terminal, inside its folder. */
  readonly tui?: string;
  /** Its tab in the dashboard: a page inside its folder, with what lies beside it. */
  readonly dashboard?: { readonly title: string; readonly page: string };
}

export type ManifestReading =
  | { readonly kind: "manifest"; readonly manifest: PluginManifest }
  | { readonly kind: "invalid"; readonly reason: string };

/** Reads `plugin.yaml`. Missing fields have defaults; one that cannot be understood is refused or warned about. */
export async function readManifest(
  text: string,
  location: { readonly folderName: string; readonly logger: Logger },
): Promise<ManifestReading> {
  const { parse } = await import("yaml");
  let raw: unknown;
  try {
    raw = parse(text, { maxAliasCount: 20 }) ?? {};
  } catch (error) {
    return {
      kind: "invalid",
      reason: `the manifest is not valid YAML: ${error instanceof Error ? error.message.split("\n")[0] : ""}`,
    };
  }
  if (!isRecord(raw)) return { kind: "invalid", reason: "the manifest must be a map of fields" };
  const version = raw["manifest_version"];
  if (version !== undefined && (!Number.isInteger(version) || Number(version) > supportedManifestVersion)) {
    return {
      kind: "invalid",
      reason: `it needs manifest version ${String(version)}; this program knows ${supportedManifestVersion}`,
    };
  }
  const name = plainText(raw["name"]) ?? location.folderName;
  if (!isPluginName(name))
    return { kind: "invalid", reason: `"${name}" is not a plugin name (letters, digits, _ and -)` };
  return { kind: "manifest", manifest: manifestOf(name, raw, location.logger) };
}

function isPluginName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(name);
}

function manifestOf(name: string, raw: Record<string, unknown>, logger: Logger): PluginManifest {
  const hooks = names(raw["provides_hooks"] ?? raw["hooks"]);
  const tools = names(raw["provides_tools"]);
  const tui = plainText(raw["tui"]);
  const dashboard = dashboardTab(raw["dashboard"], name);
  return {
    name,
    version: plainText(raw["version"]) ?? "0.0.0",
    description: plainText(raw["description"]) ?? "",
    author: plainText(raw["author"]) ?? "",
    kind: kindOf(raw["kind"], name, logger),
    requiresEnv: list(raw["requires_env"]).flatMap(readVariable),
    ...defined({ providesTools: tools, providesHooks: hooks }),
    overridesTools: names(raw["overrides_tools"]) ?? [],
    permissions: names(raw["permissions"]) ?? [],
    ...defined({ tui, dashboard }),
  };
}

/** `dashboard: ./tab/index.html`, or a map with `page` and `title`. */
function dashboardTab(raw: unknown, name: string): PluginManifest["dashboard"] {
  const page = plainText(isRecord(raw) ? raw["page"] : raw);
  const title = (isRecord(raw) ? plainText(raw["title"]) : undefined) ?? name;
  return page === undefined ? undefined : { page, title: title.slice(0, 40) };
}

function kindOf(raw: unknown, plugin: string, logger: Logger): PluginKind {
  if (raw === undefined || raw === "standalone") return "standalone";
  if (raw === "backend" || raw === "exclusive") return raw;
  logger.warn("plugin has an unknown kind; treated as standalone", { plugin, kind: String(raw) });
  return "standalone";
}

function readVariable(raw: unknown): readonly RequiredVariable[] {
  if (typeof raw === "string") return [{ name: raw, isSecret: true }];
  if (!isRecord(raw) || typeof raw["name"] !== "string") return [];
  const description = plainText(raw["description"]);
  const url = plainText(raw["url"]);
  return [
    {
      name: raw["name"],
      ...defined({ description, url }),
      isSecret: raw["secret"] !== false,
    },
  ];
}

function plainText(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

function list(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

function names(value: unknown): readonly string[] | undefined {
  if (value === undefined || value === null) return undefined;
  return list(value).flatMap((one) => (typeof one === "string" ? [one] : []));
}
