import { createHash } from "node:crypto";
import { type Config, platformSettings } from "#config";
import { UserError } from "#foundation/errors";
import { isLoopback } from "#foundation/http/local-host";

export const scopes = ["chat", "runs", "jobs", "approvals", "admin"] as const;
export type Scope = (typeof scopes)[number];

/** A key that callers may bring; only its hash is kept. */
export interface ApiKey {
  readonly name: string;
  readonly sha256: string;
  readonly scopes: ReadonlySet<Scope>;
  readonly callsPerMinute: number;
  /** Whose sessions, memory and jobs it works with; undefined: the owner's. */
  readonly userId: string | undefined;
}

export interface ApiSettings {
  readonly host: string;
  readonly port: number;
  readonly keys: readonly ApiKey[];
  /** Web pages that may call; `*` means all. */
  readonly origins: readonly string[];
  /** What it is called in the list of models. */
  readonly modelName: string;
  /** Names clients may ask for, and the model each means. */
  readonly modelRoutes: Readonly<Record<string, string>>;
  /** Calls per minute where no key is needed. */
  readonly callsPerMinute: number;
  readonly maxStoredResponses: number;
  /** How long what is asked waits for an answer. */
  readonly answerMs: { readonly approval: number; readonly question: number };
}

const shortestKey = 8;
const placeholders =
  /^(?:changeme|change-me|your[-_]?(?:api[-_]?)?key|secret|password|12345678+|sk-xxx.*|x{8,}|test-?key|api[-_]?key)$/i;

/** Whether the settings ask for the server: switched on, or a key is set and it is not switched off. */
export function isApiEnabled(config: Config): boolean {
  const { enabled, apiKey, block } = platformSettings(config, "api_server");
  return enabled ?? (apiKey !== undefined || block.keys.length > 0);
}

/** The settings of the server; a `UserError` where they would leave it open to others. */
export function apiSettings(config: Config, profileName: string): ApiSettings {
  const { apiKey, block } = platformSettings(config, "api_server");
  const main = apiKey?.reveal() ?? "";
  const keys: ApiKey[] = [];
  if (main !== "")
    keys.push({
      name: "owner",
      sha256: sha256(main),
      scopes: new Set(scopes),
      callsPerMinute: block.rate_limit,
      userId: undefined,
    });
  for (const [index, key] of block.keys.entries()) keys.push(furtherKey(key, index));
  const isLocal = isLoopback(block.host);
  if (!isLocal && keys.length === 0)
    throw refusal(`listen on ${block.host} without a key`, "Set API_SERVER_KEY to a long random text.");
  if (!isLocal && main !== "" && (main.length < shortestKey || placeholders.test(main)))
    throw refusal(
      `listen on ${block.host} with a key that is easily guessed`,
      `Use at least ${shortestKey} characters, for example: openssl rand -hex 32`,
    );
  return {
    host: block.host,
    port: block.port,
    keys,
    origins: block.cors_origins,
    modelName: block.model_name || (profileName === "default" ? "hermes-agent" : profileName),
    modelRoutes: block.model_routes,
    callsPerMinute: block.rate_limit,
    maxStoredResponses: block.max_stored_responses,
    answerMs: { approval: config.approvals.gateway_timeout * 1000, question: config.clarify.gateway_timeout * 1000 },
  };
}

export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function furtherKey(
  { name, sha256: hash, scopes: names, rate_limit }: Config["api_server"]["keys"][number],
  index: number,
): ApiKey {
  const where = `api_server.keys[${index}]`;
  if (name === "" || !/^[a-f0-9]{64}$/i.test(hash))
    throw new UserError(`${where} needs a name and the SHA-256 hash of its key.`, {
      hint: "printf %s <key> | sha256sum",
      code: "bad_api_key",
    });
  const wrong = names.find((scope) => !scopes.some((known) => known === scope));
  if (wrong !== undefined)
    throw new UserError(`${where} names the scope "${wrong}".`, {
      hint: `Scopes: ${scopes.join(", ")}`,
      code: "bad_api_key",
    });
  return {
    name,
    sha256: hash.toLowerCase(),
    scopes: new Set(names as readonly Scope[]),
    callsPerMinute: rate_limit,
    userId: `api:${name}`,
  };
}

function refusal(what: string, hint: string): UserError {
  return new UserError(`The API server does not ${what}.`, { hint, code: "api_server_unsafe" });
}

/** The model a name means; undefined: the configured one. The name itself is only echoed. */
export function modelFor({ modelRoutes }: ApiSettings, name: string): string | undefined {
  return Object.hasOwn(modelRoutes, name) ? modelRoutes[name] : undefined;
}
