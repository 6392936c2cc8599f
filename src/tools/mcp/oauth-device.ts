import type { AuthorizationServerMetadata, StoredOAuthClientInformation } from "@modelcontextprotocol/client";
import { UserError } from "#foundation/errors";
import { HttpClient } from "#foundation/http/client";
import { fetchOver } from "#foundation/http/fetch";
import { httpRequest } from "#foundation/http/request";
import { isRecord, parseJson } from "#foundation/text/json";
import type { Clock } from "#foundation/time/clock";
import type { McpServerAddress } from "./oauth.ts";
import type { TokenStore } from "./token-store.ts";

/** What the person has to do on whatever device has a browser. */
export interface DeviceCode {
  readonly url: string;
  readonly code: string;
}

export interface DeviceLoginDeps {
  readonly store: TokenStore;
  readonly clock: Clock;
  show(code: DeviceCode): void;
}

const grantType = "urn:ietf:params:oauth:grant-type:device_code";
const maxAnswerBytes = 1_000_000;

/**
 * A login for machines without a browser: the person types a code on another device while we ask every few
 * seconds whether it was done. Only for services that offer it.
 */
export async function deviceLogin(
  server: McpServerAddress,
  deps: DeviceLoginDeps,
  signal: AbortSignal,
): Promise<"done" | "unsupported"> {
  const { discoverOAuthServerInfo, assertSecureTokenEndpoint } = await import("@modelcontextprotocol/client");
  const {
    authorizationServerUrl,
    authorizationServerMetadata: metadata,
    resourceMetadata,
  } = await discoverOAuthServerInfo(server.url, { fetchFn: fetchOver(new HttpClient()) });
  // The library's type names no such field, though its reader lets it through.
  const facts: Readonly<Record<string, unknown>> = { ...metadata };
  const start = facts["device_authorization_endpoint"];
  if (metadata === undefined || typeof start !== "string") return "unsupported";
  assertSecureTokenEndpoint(start);
  assertSecureTokenEndpoint(metadata.token_endpoint);
  const client = await clientOf(server, { ...deps, metadata, authorizationServerUrl });
  const identity = {
    client_id: client.client_id,
    ...(server.oauth.clientSecret === undefined ? {} : { client_secret: server.oauth.clientSecret }),
    ...(resourceMetadata?.resource === undefined ? {} : { resource: resourceMetadata.resource }),
  };
  const scope: Record<string, string> = server.oauth.scope === undefined ? {} : { scope: server.oauth.scope };
  const begun = readBegin(await post(start, { ...identity, ...scope }, signal));
  deps.show({ url: begun.url, code: begun.code });
  const tokens = await poll(metadata.token_endpoint, { ...begun, identity, clock: deps.clock }, signal);
  await deps.store.saveTokens(server.name, tokens);
  return "done";
}

async function clientOf(
  server: McpServerAddress,
  flow: DeviceLoginDeps & {
    readonly metadata: AuthorizationServerMetadata;
    readonly authorizationServerUrl: string | URL;
  },
): Promise<StoredOAuthClientInformation> {
  const { oauth, name } = server;
  if (oauth.clientId !== undefined) return { client_id: oauth.clientId };
  const { registerClient } = await import("@modelcontextprotocol/client");
  const client = await registerClient(flow.authorizationServerUrl, {
    metadata: flow.metadata,
    fetchFn: fetchOver(new HttpClient()),
    clientMetadata: {
      client_name: oauth.clientName,
      redirect_uris: [],
      grant_types: [grantType, "refresh_token"],
      response_types: [],
      token_endpoint_auth_method: "none",
    },
  });
  await flow.store.saveClient(name, client);
  return client;
}

interface Begun extends DeviceCode {
  readonly deviceCode: string;
  readonly intervalMs: number;
  readonly lifetimeMs: number;
}

function readBegin({ status, body }: Answer): Begun {
  const { device_code, user_code, verification_uri, verification_uri_complete, interval, expires_in } = body;
  if (status !== 200 || typeof device_code !== "string" || typeof user_code !== "string")
    throw new UserError(`The login service did not give a code (${String(body["error"] ?? status)}).`);
  const url = typeof verification_uri_complete === "string" ? verification_uri_complete : String(verification_uri);
  if (!/^https?:\/\//.test(url)) throw new UserError("The login service names no page to enter the code on.");
  return {
    deviceCode: device_code,
    code: user_code,
    url,
    intervalMs: Math.max(1, typeof interval === "number" ? interval : 5) * 1_000,
    lifetimeMs: (typeof expires_in === "number" ? expires_in : 600) * 1_000,
  };
}

async function poll(
  endpoint: string,
  flow: Begun & { readonly identity: Readonly<Record<string, string>>; readonly clock: Clock },
  signal: AbortSignal,
): Promise<{ readonly access_token: string; readonly token_type: string }> {
  const endMs = flow.clock.now() + flow.lifetimeMs;
  let waitMs = flow.intervalMs;
  while (flow.clock.now() < endMs) {
    await flow.clock.sleep(waitMs, signal);
    const { status, body } = await post(
      endpoint,
      { ...flow.identity, grant_type: grantType, device_code: flow.deviceCode },
      signal,
    );
    const { access_token, token_type } = body;
    if (status === 200 && typeof access_token === "string")
      return { ...body, access_token, token_type: typeof token_type === "string" ? token_type : "Bearer" };
    if (body["error"] === "slow_down") waitMs += 5_000;
    else if (body["error"] === "access_denied") throw new UserError("The login was refused on the other device.");
    else if (body["error"] !== "authorization_pending")
      throw new UserError(`The login failed (${String(body["error"] ?? status)}).`);
  }
  throw new UserError("Nobody entered the code in time.");
}

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

async function post(url: string, fields: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Answer> {
  // A redirect would carry the code elsewhere.
  const response = await httpRequest(url, {
    method: "POST",
    headers: { accept: "application/json" },
    body: new URLSearchParams(fields),
    redirect: "error",
    signal,
    timeoutMs: 20_000,
    maxBodyBytes: maxAnswerBytes,
  });
  signal.throwIfAborted();
  const text = response.kind === "failure" ? response : await response.text();
  if (text.kind === "failure") throw new UserError(`The login service gave no answer: ${text.failure.message}.`);
  if (response.kind === "failure") throw new UserError(response.failure.message);
  const parsed = parseJson(text.text);
  return { status: response.status, body: parsed.ok && isRecord(parsed.value) ? parsed.value : {} };
}
