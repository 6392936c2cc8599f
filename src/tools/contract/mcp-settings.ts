import { defined } from "#foundation/defined";
import type { Logger, LogLevel } from "#foundation/files/logger";
import { isRecord } from "#foundation/text/json";

/** One entry of `mcp_servers`, read and with its defaults filled in. */
export interface McpServerSettings {
  readonly name: string;
  readonly enabled: boolean;
  readonly endpoint: McpEndpoint;
  /** Per call. */
  readonly timeoutMs: number;
  /** Connect, initialise and list, together. */
  readonly connectTimeoutMs: number;
  readonly filter: ToolFilter;
  readonly hasResourceTools: boolean;
  readonly hasPromptTools: boolean;
  /** Tools the server calls read-only may overlap with others. */
  readonly parallel: boolean;
  readonly trust: "untrusted" | "trusted";
  readonly sampling: SamplingSettings;
}

export type McpEndpoint =
  | {
      readonly kind: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly cwd?: string;
      /** `auto` holds it inside a wall unless it lives in a container. */
      readonly sandbox: "auto" | "on" | "off";
      /** Folders it may write, and hosts it may reach, besides those that its arguments and variables name. */
      readonly writablePaths: readonly string[];
      readonly networkAllow: readonly string[];
    }
  | {
      readonly kind: "http" | "sse";
      readonly url: string;
      /** Set in the configuration: no falling back from one transport to the other. */
      readonly isPinned: boolean;
      readonly headers: Readonly<Record<string, string>>;
      readonly verifyTls: boolean;
      readonly oauth?: McpOAuthSettings;
    };

export interface McpOAuthSettings {
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly scope?: string;
  /** 0 picks a free one. */
  readonly redirectPort: number;
  readonly clientName: string;
  readonly timeoutMs: number;
}

/** Original MCP names. `include` wins, also when it is empty. */
export interface ToolFilter {
  readonly include?: readonly string[];
  readonly exclude: readonly string[];
}

export interface SamplingSettings {
  readonly enabled: boolean;
  readonly model?: string;
  /** Empty: any. */
  readonly allowedModels: readonly string[];
  readonly maxTokensCap: number;
  readonly timeoutMs: number;
  readonly maxPerMinute: number;
  readonly maxToolRounds: number;
  /** How loudly each answered request is logged. */
  readonly logLevel: LogLevel;
}

export type SettingsReading =
  | { readonly kind: "settings"; readonly settings: McpServerSettings }
  | { readonly kind: "invalid"; readonly reason: string };

export interface SettingsSource {
  /** Where `${VAR}` is looked up. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly logger: Logger;
}

/** Reads one entry. What is unusable about it is said; what is merely odd is warned about and defaulted. */
export function readServerSettings(name: string, raw: unknown, source: SettingsSource): SettingsReading {
  if (!isRecord(raw)) return { kind: "invalid", reason: `mcp_servers.${name} must be a map of settings` };
  const reader = new Reader(name, expandVariables(raw, source), source.logger);
  const endpoint = readEndpoint(reader);
  if (typeof endpoint === "string") return { kind: "invalid", reason: `mcp_servers.${name}: ${endpoint}` };
  const tools = reader.map("tools");
  const include = tools.list("include");
  const trust = reader.word("trust", ["untrusted", "trusted"], "untrusted");
  return {
    kind: "settings",
    settings: {
      name,
      enabled: reader.flag("enabled", true),
      endpoint,
      timeoutMs: reader.seconds("timeout", 120),
      connectTimeoutMs: reader.seconds("connect_timeout", 60),
      filter: { ...defined({ include }), exclude: tools.list("exclude") ?? [] },
      hasResourceTools: tools.flag("resources", true),
      hasPromptTools: tools.flag("prompts", true),
      parallel: reader.flag("parallel", false),
      trust,
      sampling: readSampling(reader.map("sampling"), trust === "trusted"),
    },
  };
}

function readEndpoint(reader: Reader): McpEndpoint | string {
  const url = reader.text("url");
  const command = reader.text("command");
  if (url !== undefined && command !== undefined) reader.warn("has both url and command; url is used");
  if (url !== undefined) {
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) return `"${url}" is not an http address`;
    const asked = reader.text("transport");
    const oauth = reader.map("oauth");
    const wantsOAuth = reader.text("auth") === "oauth" || oauth.isPresent;
    return {
      kind: asked === "sse" ? "sse" : "http",
      url,
      isPinned: asked !== undefined,
      headers: reader.strings("headers"),
      verifyTls: reader.flag("ssl_verify", true),
      ...(wantsOAuth ? { oauth: readOAuth(oauth) } : {}),
    };
  }
  if (command === undefined) return "needs a command or a url";
  const cwd = reader.text("cwd");
  return {
    kind: "stdio",
    command,
    args: reader.list("args") ?? [],
    env: reader.strings("env"),
    ...defined({ cwd }),
    sandbox: reader.word("sandbox", ["auto", "on", "off"], "auto"),
    writablePaths: reader.list("writable_paths") ?? [],
    networkAllow: reader.list("network_allow") ?? [],
  };
}

function readOAuth(reader: Reader): McpOAuthSettings {
  const clientId = reader.text("client_id");
  const clientSecret = reader.text("client_secret");
  const scope = reader.text("scope");
  return {
    ...defined({ clientId, clientSecret, scope }),
    redirectPort: reader.number("redirect_port", 0),
    clientName: reader.text("client_name") ?? "Hermes Agent",
    timeoutMs: reader.seconds("timeout", 300),
  };
}

function readSampling(reader: Reader, isTrusted: boolean): SamplingSettings {
  const model = reader.text("model");
  return {
    enabled: reader.flag("enabled", isTrusted),
    ...defined({ model }),
    allowedModels: reader.list("allowed_models") ?? [],
    maxTokensCap: reader.number("max_tokens_cap", 4096),
    timeoutMs: reader.seconds("timeout", 30),
    maxPerMinute: reader.number("max_rpm", 10),
    maxToolRounds: reader.number("max_tool_rounds", 5),
    logLevel: logLevelOf(reader.word("log_level", ["debug", "info", "warn", "warning", "error"], "info")),
  };
}

function logLevelOf(word: LogLevel | "warning"): LogLevel {
  return word === "warning" ? "warn" : word;
}

/** `${VAR}` in any string; a variable that is not set stays as it was written, with a warning. */
function expandVariables(raw: Record<string, unknown>, source: SettingsSource): Record<string, unknown> {
  const expand = (value: unknown): unknown => {
    if (typeof value === "string") {
      return value.replace(/\$\{([A-Za-z_]\w*)\}/g, (whole, variable: string) => {
        const found = source.env[variable];
        if (found === undefined) source.logger.warn("variable of an MCP server is not set", { variable });
        return found ?? whole;
      });
    }
    if (Array.isArray(value)) return value.map(expand);
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, expand(inner)]));
  };
  const expanded = expand(raw);
  return isRecord(expanded) ? expanded : {};
}

const yes = new Set(["true", "1", "yes", "on"]);
const no = new Set(["false", "0", "no", "off"]);

/** Reads keys of one map; a value of the wrong kind is warned about and left out. */
class Reader {
  readonly isPresent: boolean;
  readonly #where: string;
  readonly #raw: Record<string, unknown>;
  readonly #logger: Logger;

  constructor(where: string, raw: unknown, logger: Logger) {
    this.#where = where;
    this.isPresent = isRecord(raw);
    this.#raw = isRecord(raw) ? raw : {};
    this.#logger = logger;
  }

  warn(problem: string): void {
    this.#logger.warn(`MCP server setting ${this.#where} ${problem}`);
  }

  map(key: string): Reader {
    return new Reader(`${this.#where}.${key}`, this.#raw[key], this.#logger);
  }

  text(key: string): string | undefined {
    const value = this.#raw[key];
    if (value === undefined || value === null || value === "") return undefined;
    if (typeof value === "string" || typeof value === "number") return String(value);
    this.warn(`${key} must be text`);
    return undefined;
  }

  word<W extends string>(key: string, words: readonly W[], otherwise: W): W {
    const text = this.text(key);
    const known = words.find((word) => word === text);
    if (text !== undefined && known === undefined) this.warn(`${key} must be one of ${words.join(", ")}`);
    return known ?? otherwise;
  }

  flag(key: string, otherwise: boolean): boolean {
    const value = this.#raw[key];
    if (value === undefined || value === null) return otherwise;
    const word = String(value).trim().toLowerCase();
    if (yes.has(word)) return true;
    if (no.has(word)) return false;
    this.warn(`${key} must be true or false; using ${otherwise}`);
    return otherwise;
  }

  number(key: string, otherwise: number): number {
    const value = this.#raw[key];
    if (value === undefined || value === null) return otherwise;
    const number = Number(value);
    if (Number.isFinite(number) && number >= 0) return number;
    this.warn(`${key} must be a number; using ${otherwise}`);
    return otherwise;
  }

  seconds(key: string, otherwise: number): number {
    return this.number(key, otherwise) * 1000;
  }

  list(key: string): readonly string[] | undefined {
    const value = this.#raw[key];
    if (value === undefined || value === null) return undefined;
    if (typeof value === "string") return [value];
    if (Array.isArray(value)) return value.map(String);
    this.warn(`${key} must be a list`);
    return undefined;
  }

  strings(key: string): Readonly<Record<string, string>> {
    const value = this.#raw[key];
    if (!isRecord(value)) return {};
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, String(inner)]));
  }
}
