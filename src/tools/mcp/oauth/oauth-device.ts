import type { AuthorizationServerMetadata, StoredOAuthClientInformation } from "@modelcontextprotocol/client";
import { defined } from "#foundation/defined";
import { UserError } from "#foundation/errors";
import { type Exchange, errorCodeIn, postForm } from "#foundation/http/ask";
import { HttpClient } from "#foundation/http/client";
import {
  type DeviceCode,
  deviceGrantType,
  pollDeviceCode,
  readDeviceCode,
  standardPoll,
} from "#foundation/http/device-code";
import { fetchOver } from "#foundation/http/fetch";
import type { Clock } from "#foundation/time/clock";
import type { McpServerAddress } from "./oauth.ts";
import type { TokenStore } from "./token-store.ts";

/** What the person has to do on whatever device has a browser. */
export interface ShownCode {
  readonly url: string;
  readonly code: string;
}

export interface DeviceLoginDeps {
  readonly store: TokenStore;
  readonly clock: Clock;
  show(code: ShownCode): void;
}

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
    ...defined({ client_secret: server.oauth.clientSecret }),
    ...defined({ resource: resourceMetadata?.resource }),
  };
  const scope: Record<string, string> = defined({ scope: server.oauth.scope });
  const started = await postForm(start, { ...identity, ...scope }, { signal });
  const code = readDeviceCode(started);
  if (code === undefined) throw new UserError(`The login service did not give a code (${reasonOf(started)}).`);
  const url = code.completeUrl ?? code.url;
  if (!/^https?:\/\//.test(url)) throw new UserError("The login service names no page to enter the code on.");
  deps.show({ url, code: code.userCode });
  const tokens = await poll(metadata.token_endpoint, { code, identity, clock: deps.clock }, signal);
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
      grant_types: [deviceGrantType, "refresh_token"],
      response_types: [],
      token_endpoint_auth_method: "none",
    },
  });
  await flow.store.saveClient(name, client);
  return client;
}

interface Polling {
  readonly code: DeviceCode;
  readonly identity: Readonly<Record<string, string>>;
  readonly clock: Clock;
}

interface Tokens {
  readonly access_token: string;
  readonly token_type: string;
}

async function poll(endpoint: string, { code, identity, clock }: Polling, signal: AbortSignal): Promise<Tokens> {
  const outcome = await pollDeviceCode<Tokens, { readonly kind: "failure"; readonly reason: string }>(
    {
      code,
      clock,
      limitMs: code.expiresInMs,
      async poll({ deviceCode }) {
        const fields = { ...identity, grant_type: deviceGrantType, device_code: deviceCode };
        const answer = await postForm(endpoint, fields, { signal });
        if (answer.kind === "unreachable") return answer;
        const { access_token, token_type } = answer.body;
        if (answer.status === 200 && typeof access_token === "string") {
          const type = typeof token_type === "string" ? token_type : "Bearer";
          return { kind: "granted", value: { ...answer.body, access_token, token_type: type } };
        }
        return standardPoll(errorCodeIn(answer.body)) ?? { kind: "failure", reason: reasonOf(answer) };
      },
    },
    signal,
  );
  switch (outcome.kind) {
    case "granted":
      return outcome.value;
    case "denied":
      throw new UserError("The login was refused on the other device.");
    case "expired":
      throw new UserError("Nobody entered the code in time.");
    case "unreachable":
      throw new UserError(`The login service gave no answer: ${outcome.message}.`);
    case "failure":
      throw new UserError(`The login failed (${outcome.reason}).`);
  }
}

function reasonOf(answer: Exchange): string {
  return answer.kind === "unreachable" ? answer.message : (errorCodeIn(answer.body) ?? String(answer.status));
}
