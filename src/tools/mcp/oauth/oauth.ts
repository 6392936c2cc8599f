import { randomBytes } from "node:crypto";
import type {
  AuthProvider,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
} from "@modelcontextprotocol/client";
import { defined } from "#foundation/defined";
import { UserError } from "#foundation/errors";
import { HttpClient } from "#foundation/http/client";
import { fetchOver } from "#foundation/http/fetch";
import { type Loopback, openLoopback } from "#foundation/http/loopback";
import { deadline, linkSignals } from "#foundation/lifecycle/abort";
import { KeyedMutex } from "#foundation/lifecycle/mutex";
import type { McpOAuthSettings } from "../../contract/mcp-settings.ts";
import { loginNeeded } from "../connection/failure.ts";
import type { DeviceLoginDeps } from "./oauth-device.ts";
import type { TokenStore } from "./token-store.ts";

export interface LoginPrompt {
  /** Shows the address; always called, also when a browser was opened. */
  show(url: string): void;
  /** False when no browser could be opened. */
  openBrowser?(url: string): Promise<boolean>;
}

export interface McpServerAddress {
  readonly name: string;
  readonly url: string;
  readonly oauth: McpOAuthSettings;
}

/**
 * Logins of HTTP servers: authorization code with PKCE, metadata discovery, dynamic registration.
 *
 * 1. Connections never start a login by themselves; without usable tokens they fail with guidance.
 * 2. One renewal per server at a time; whoever waited uses what the first one got.
 */
export class McpOAuth {
  readonly #store: TokenStore;
  readonly #renewals = new KeyedMutex<string>();

  constructor(store: TokenStore) {
    this.#store = store;
  }

  /** What a transport asks before each request, and when one was refused. */
  providerFor(name: string, url: string, oauth: McpOAuthSettings): AuthProvider {
    const address = { name, url, oauth };
    return {
      token: async () => {
        const tokens = await this.#store.tokens(name);
        if (tokens === undefined) return undefined;
        if (this.#store.isStale(tokens) && tokens.refresh_token !== undefined)
          await this.#renew(address, tokens.access_token);
        return (await this.#store.tokens(name))?.access_token;
      },
      onUnauthorized: async ({ response }) => {
        const refused = (await this.#store.tokens(name))?.access_token;
        await this.#renew(address, refused, response);
      },
    };
  }

  /** Sends the person to the login page and waits for the answer. */
  async login(server: McpServerAddress, prompt: LoginPrompt, signal: AbortSignal): Promise<void> {
    const { auth } = await import("@modelcontextprotocol/client");
    const state = randomBytes(24).toString("base64url");
    using limit = deadline(server.oauth.timeoutMs, "nobody completed the login in time");
    await using callback = await openCallback(server.oauth.redirectPort, state);
    const provider = this.#clientProvider(server, {
      redirectUrl: callback.redirectUri,
      state,
      redirect: async (url) => {
        prompt.show(url.href);
        await prompt.openBrowser?.(url.href);
      },
    });
    // A registration belongs to its redirect address; the port of this login is a new one.
    if (server.oauth.clientId === undefined) await this.#store.forget(server.name, "client");
    const scope = defined({ scope: server.oauth.scope });
    const options = { serverUrl: server.url, fetchFn: fetchOver(new HttpClient()), ...scope };
    const first = await auth(provider, { ...options, forceReauthorization: true });
    if (first === "AUTHORIZED") return;
    const answer = await callback.answer(linkSignals(signal, limit.signal));
    const problem = answer.get("error_description") ?? answer.get("error");
    if (problem !== null)
      throw new UserError(`The login was refused: ${problem.slice(0, 300)}`, { code: "mcp_login_refused" });
    const iss = answer.get("iss");
    await auth(provider, { ...options, authorizationCode: answer.get("code") ?? "", ...(iss === null ? {} : { iss }) });
  }

  /** For machines without a browser: a code is shown, to be entered elsewhere. Not every service offers it. */
  async loginByDevice(
    server: McpServerAddress,
    prompt: Pick<DeviceLoginDeps, "clock" | "show">,
    signal: AbortSignal,
  ): Promise<"done" | "unsupported"> {
    const { deviceLogin } = await import("./oauth-device.ts");
    using limit = deadline(server.oauth.timeoutMs, "nobody completed the login in time");
    const { clock, show } = prompt;
    return deviceLogin(server, { store: this.#store, clock, show }, linkSignals(signal, limit.signal));
  }

  async logout(name: string): Promise<void> {
    await this.#store.forget(name, "tokens");
    await this.#store.forget(name, "client");
  }

  async #renew(server: McpServerAddress, refused: string | undefined, response?: Response): Promise<void> {
    await this.#renewals.run(server.name, async () => {
      const held = await this.#store.tokens(server.name);
      if (held !== undefined && held.access_token !== refused) return;
      if (held?.refresh_token === undefined) throw needsLogin(server.name);
      const { auth, extractWWWAuthenticateParams } = await import("@modelcontextprotocol/client");
      const { resourceMetadataUrl } = response === undefined ? {} : extractWWWAuthenticateParams(response);
      const provider = this.#clientProvider(server, {
        redirectUrl: "http://127.0.0.1/callback",
        redirect: () => Promise.reject(needsLogin(server.name)),
      });
      await auth(provider, {
        serverUrl: server.url,
        fetchFn: fetchOver(new HttpClient()),
        ...defined({ resourceMetadataUrl }),
      });
    });
  }

  #clientProvider(server: McpServerAddress, flow: LoginFlow): OAuthClientProvider {
    const { name, oauth } = server;
    const store = this.#store;
    let verifier = "";
    let discovery: OAuthDiscoveryState | undefined;
    const metadata: OAuthClientMetadata = {
      client_name: oauth.clientName,
      redirect_uris: [flow.redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: oauth.clientSecret === undefined ? "none" : "client_secret_post",
      ...defined({ scope: oauth.scope }),
    };
    return {
      redirectUrl: flow.redirectUrl,
      clientMetadata: metadata,
      ...(flow.state === undefined ? {} : { state: () => flow.state ?? "" }),
      clientInformation: async () =>
        oauth.clientId === undefined
          ? await store.client(name)
          : {
              client_id: oauth.clientId,
              ...defined({ client_secret: oauth.clientSecret }),
            },
      saveClientInformation: (client) => store.saveClient(name, client),
      tokens: () => store.tokens(name),
      saveTokens: (tokens) => store.saveTokens(name, tokens),
      redirectToAuthorization: flow.redirect,
      saveCodeVerifier: (value) => {
        verifier = value;
      },
      codeVerifier: () => verifier,
      // Kept for the length of one flow: the answer must come from the service the person was sent to.
      saveDiscoveryState: (state) => {
        discovery = state;
      },
      discoveryState: () => discovery,
      invalidateCredentials: async (scope) => {
        if (scope === "all" || scope === "tokens") await store.forget(name, "tokens");
        if (scope === "all" || scope === "client") await store.forget(name, "client");
      },
    };
  }
}

async function openCallback(port: number, state: string): Promise<Loopback> {
  try {
    return await openLoopback({ port, path: "/callback", state });
  } catch (error) {
    throw new UserError(`Port ${port} for the login is taken.`, {
      hint: "Set oauth.redirect_port to 0.",
      cause: error,
    });
  }
}

interface LoginFlow {
  readonly redirectUrl: string;
  readonly state?: string;
  redirect(url: URL): Promise<void>;
}

function needsLogin(name: string): UserError {
  return new UserError(`The MCP server ${name} needs a login.`, {
    code: loginNeeded,
    hint: `Run: hermes mcp login ${name}`,
  });
}
