import { UserError } from "#foundation/errors";
import { silentLogger } from "#foundation/files/logger";
import { Secret } from "#foundation/secrets/secret";
import { isRecord } from "#foundation/text/json";
import { nearest } from "#foundation/text/text";
import { systemClock } from "#foundation/time/clock";
import {
  attachmentFolder,
  createPackageCheck,
  type McpDeps,
  McpOAuth,
  type McpServerSettings,
  openServerLog,
  readServerSettings,
  TokenStore,
} from "#tools";
import type { Invocation } from "../../command.ts";
import { redactionOf } from "../../support/redactor.ts";
import { loadSettings, type Settings } from "../../support/settings.ts";
import { version } from "../../version.ts";

export interface McpAccess extends Settings {
  readonly oauth: McpOAuth;
  readonly tokens: TokenStore;
}

export async function openMcpAccess(invocation: Invocation): Promise<McpAccess> {
  const settings = await loadSettings(invocation);
  const tokens = new TokenStore(settings.home.mcpTokens, systemClock);
  return { ...settings, tokens, oauth: new McpOAuth(tokens) };
}

/** The settings of one server, ready to connect with. */
export function serverSettings({ loaded }: Settings, name: string): McpServerSettings {
  const { mcp_servers: servers } = loaded.config;
  if (!Object.hasOwn(servers, name)) {
    const meant = nearest(name, Object.keys(servers));
    throw new UserError(`There is no MCP server "${name}".${meant === undefined ? "" : ` Did you mean ${meant}?`}`, {
      code: "mcp_server_unknown",
      hint: "See them with: hermes mcp list",
    });
  }
  const env = loaded.environment.variables;
  const reading = readServerSettings(name, revealed(servers[name]), { env, logger: silentLogger });
  if (reading.kind === "settings") return reading.settings;
  throw new UserError(`${reading.reason}.`, {
    code: "mcp_server_invalid",
    hint: `Add it again: hermes mcp add ${name} --force`,
  });
}

/** What a single connection needs. Nothing stays running after it. */
export function probeDeps(invocation: Invocation, { home, loaded, oauth }: McpAccess): McpDeps {
  const { redact } = redactionOf(loaded);
  const env = loaded.environment.variables;
  const endpoint = env["OSV_ENDPOINT"]?.trim() ?? "";
  return {
    clock: systemClock,
    logger: silentLogger,
    env,
    hermesHome: home.root,
    version,
    cwd: invocation.io.cwd,
    redact,
    openServerLog: (server) => openServerLog(server, { folder: home.logs, now: () => systemClock.now(), redact }),
    attachments: attachmentFolder(home.at("cache", "mcp")),
    oauth,
    checkPackage: createPackageCheck({
      clock: systemClock,
      logger: silentLogger,
      failClosed: loaded.config.mcp.osv_fail_closed,
      ...(endpoint === "" ? {} : { endpoint }),
    }),
  };
}

/** A server is started with what was written for it, so its credentials are readable here. */
function revealed(value: unknown): unknown {
  if (value instanceof Secret) return value.reveal();
  if (Array.isArray(value)) return value.map(revealed);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, revealed(inner)]));
}
