import { rm } from "node:fs/promises";
import { join } from "node:path";
import { defined } from "#foundation/defined";
import { ask, postForm, textIn } from "#foundation/http/ask";
import type { Secret } from "#foundation/secrets/secret";
import { fileSlot, type LoginCodec, type LoginSlot } from "../login-slot.ts";
import { momentOf } from "../pool-entry.ts";
import { type LoginFailure, RenewingTokens } from "../refresh.ts";
import { askInBrowser } from "./browser-answer.ts";
import type { FlowContext, LoginOutcome, LoginStatus, LoginUi } from "./flow.ts";
import { readGrant, renewLogin, type TokenService } from "./grant.ts";
import { loginFrom, statusOf, tokenFields } from "./login-record.ts";
import { newPkce } from "./pkce.ts";

interface SpotifyEndpoints {
  readonly accounts: string;
  readonly api: string;
  readonly callbackPort: number;
}

const scopes = [
  "user-read-playback-state",
  "user-modify-playback-state",
  "user-read-currently-playing",
  "user-read-recently-played",
  "playlist-read-private",
  "playlist-read-collaborative",
  "playlist-modify-private",
  "playlist-modify-public",
  "user-library-read",
  "user-library-modify",
];
const callbackPath = "/callback";
const earlyMs = 60_000;

/** Addresses are those of Spotify; variables name others for an installation that goes through a server of its own. */
function endpointsOf(env: FlowContext["env"]): SpotifyEndpoints {
  const from = (name: string, usual: string): string => (env[name]?.trim() || usual).replace(/\/+$/u, "");
  return {
    accounts: from("HERMES_SPOTIFY_ACCOUNTS_URL", "https://accounts.spotify.com"),
    api: from("HERMES_SPOTIFY_API_URL", "https://api.spotify.com/v1"),
    callbackPort: 8898,
  };
}

/** `auth/spotify.json`: the tokens, and the app they were given to. */
const codec: LoginCodec = {
  parse: (record) =>
    loginFrom({
      accessToken: textIn(record, "access_token"),
      refreshToken: textIn(record, "refresh_token"),
      expiresAtMs: momentOf(record.expires_at_ms),
      extra: { ...defined({ client_id: textIn(record, "client_id"), account: textIn(record, "account") }) },
    }),
  format: (login) => ({ ...login.extra, ...tokenFields(login), ...defined({ expires_at_ms: login.expiresAtMs }) }),
};

/** Where calls go, and the right to make them. */
export interface SpotifyAccess {
  readonly url: string;
  readonly token: Secret;
}

/** A person's account at Spotify, through an app of their own: Spotify gives every app few users, so none ships. */
export interface SpotifyLogin {
  /** Where the person's app must send the browser back to. */
  readonly redirectUri: string;
  /** The app of the login before. */
  clientId(signal: AbortSignal): Promise<string | undefined>;
  login(app: { readonly clientId: string; readonly ui: LoginUi }, signal: AbortSignal): Promise<LoginOutcome>;
  /** Without any network. */
  status(signal: AbortSignal): Promise<LoginStatus>;
  /** Rejects with a {@link CredentialUnavailableError} without a login, or when it has ended. */
  access(signal: AbortSignal): Promise<SpotifyAccess>;
  logout(): Promise<void>;
}

export function createSpotifyLogin(context: FlowContext, endpoints = endpointsOf(context.env)): SpotifyLogin {
  const path = join(context.hermesHome, "auth", "spotify.json");
  const slot = fileSlot(path, codec);
  const tokens = tokensOf(slot, { context, endpoints });
  return {
    redirectUri: `http://127.0.0.1:${endpoints.callbackPort}${callbackPath}`,
    clientId: async (signal) => textIn((await slot.read(signal))?.extra ?? {}, "client_id"),
    async login({ clientId, ui }, signal) {
      const pkce = newPkce();
      const { callbackPort: port } = endpoints;
      const addressFor = (redirectUri: string): string => {
        const page = new URL(`${endpoints.accounts}/authorize`);
        page.search = new URLSearchParams({
          client_id: clientId,
          redirect_uri: redirectUri,
          response_type: "code",
          scope: scopes.join(" "),
          code_challenge: pkce.challenge,
          code_challenge_method: "S256",
          state: pkce.state,
        }).toString();
        return page.href;
      };
      const question = { ui, env: context.env, state: pkce.state, port, path: callbackPath, addressFor };
      const answer = await askInBrowser({ ...question, takesAnyPort: port === 0 }, signal);
      if (answer.kind === "refused") return failed(`The login did not work: ${answer.message}.`);
      const fields = {
        grant_type: "authorization_code",
        client_id: clientId,
        code: answer.code,
        code_verifier: pkce.verifier,
        redirect_uri: answer.redirectUri,
      };
      const { client } = context;
      const exchange = await postForm(`${endpoints.accounts}/api/token`, fields, { signal, client });
      const granted = readGrant(exchange, { extra: {} }, service(context));
      if (granted.kind === "failure") return granted;
      const account = await accountOf(granted.login.accessToken, { context, endpoints, signal });
      const extra = { client_id: clientId, ...defined({ account }) };
      await slot.exclusively((access) => access.write({ ...granted.login, extra }), signal);
      return { kind: "logged-in", ...defined({ account }) };
    },
    async status(signal) {
      const status = await statusOf(slot, "spotify", signal);
      const account = textIn((await slot.read(signal))?.extra ?? {}, "account");
      return status.kind === "logged-out" ? status : { ...status, ...defined({ account }) };
    },
    access: async (signal) => ({ url: endpoints.api, token: (await tokens.current(signal)).secret }),
    logout: () => rm(path, { force: true }),
  };
}

function tokensOf(
  slot: LoginSlot,
  { context, endpoints }: { readonly context: FlowContext; readonly endpoints: SpotifyEndpoints },
): RenewingTokens {
  return new RenewingTokens({
    slot,
    earlyMs,
    clock: context.clock,
    renew: (login, signal) => {
      const fields = { client_id: textIn(login.extra, "client_id") ?? "" };
      return renewLogin(login, { ...service(context), urls: [`${endpoints.accounts}/api/token`], fields }, signal);
    },
    missing: failed("Nobody is logged in to Spotify.", "spotify_not_logged_in"),
  });
}

function service(context: FlowContext): TokenService {
  return {
    provider: "spotify",
    name: "Spotify",
    context,
    usualLifeSeconds: 3600,
    refused: (error, status, text) => {
      if (error === "invalid_grant") return failed("Spotify has withdrawn the login.");
      return status >= 400 && status < 500 ? failed(`Spotify refused the login: ${text || status}.`) : undefined;
    },
  };
}

function failed(message: string, code = "relogin_required"): LoginFailure {
  return { kind: "failure", code, message, hint: "Log in with: hermes auth spotify" };
}

/** The name shown in status lines; a login without it is as good. */
async function accountOf(
  token: string,
  about: { readonly context: FlowContext; readonly endpoints: SpotifyEndpoints; readonly signal: AbortSignal },
): Promise<string | undefined> {
  const { context, endpoints, signal } = about;
  const headers = { Authorization: `Bearer ${token}` };
  const question = { method: "GET", body: { kind: "none" }, headers, client: context.client } as const;
  const answer = await ask(`${endpoints.api}/me`, question, signal);
  if (answer.kind !== "answer" || answer.status !== 200) return undefined;
  return textIn(answer.body, "display_name") ?? textIn(answer.body, "id");
}
