import { rm } from "node:fs/promises";
import { join } from "node:path";
import { defined } from "#foundation/defined";
import { ask, postForm, textIn } from "#foundation/http/ask";
import { isRecord } from "#foundation/text/json";
import { codeAssistUrl } from "../../providers/records/logins.ts";
import { fileSlot, type LoginCodec, type StoredLogin } from "../login-slot.ts";
import { momentOf } from "../pool-entry.ts";
import { type LoginFailure, RenewingTokens, type RenewResult } from "../refresh.ts";
import type { TokenSource } from "../scoped.ts";
import { askInBrowser } from "./browser-answer.ts";
import { type AuthFlow, declined, type FlowContext, reloginFailure } from "./flow.ts";
import { projectOfLogin } from "./google-project.ts";
import { readGrant, renewLogin, type TokenService } from "./grant.ts";
import { loginFrom, statusOf, tokenFields } from "./login-record.ts";
import { newPkce, type Pkce } from "./pkce.ts";

const provider = "google-gemini-cli";

export interface GoogleEndpoints {
  readonly authorize: string;
  readonly token: string;
  readonly userInfo: string;
  readonly callbackPort: number;
  /** Base address of Code Assist, which knows the project of a login. */
  readonly codeAssist: string;
}

const googleEndpoints: GoogleEndpoints = {
  authorize: "https://accounts.google.com/o/oauth2/v2/auth",
  token: "https://oauth2.googleapis.com/token",
  userInfo: "https://www.googleapis.com/oauth2/v1/userinfo?alt=json",
  callbackPort: 8085,
  codeAssist: codeAssistUrl,
};

const googleNotice =
  "Google's Code Assist login is made for Google's own program. Google may treat other uses as a breach of its terms and close the account.";

const earlyMs = 60_000;
const callbackPath = "/oauth2callback";
const scopes = [
  "https://www.googleapis.com/auth/cloud-platform",
  "https://www.googleapis.com/auth/userinfo.email",
  "https://www.googleapis.com/auth/userinfo.profile",
];

/** `auth/google_oauth.json`. */
const googleCodec: LoginCodec = {
  parse(record) {
    return loginFrom({
      accessToken: textIn(record, "access_token") ?? textIn(record, "access"),
      refreshToken: textIn(record, "refresh_token") ?? textIn(record, "refresh"),
      expiresAtMs: momentOf(record.expires_at_ms) ?? momentOf(record.expires),
      extra: record,
    });
  },
  format: (login, before) => ({
    ...before,
    ...login.extra,
    ...tokenFields(login),
    ...defined({ expires_at_ms: login.expiresAtMs }),
  }),
};

interface Client {
  readonly id: string;
  readonly secret: string;
}

/** Google wants a client of one's own; none ships with Hermes. */
function clientOf(env: FlowContext["env"]): Client | LoginFailure {
  const id = env.HERMES_GEMINI_CLIENT_ID?.trim() ?? "";
  if (id === "") {
    return {
      kind: "failure",
      code: "missing_api_key",
      message: "The Google login needs an OAuth client of the desktop kind.",
      hint: "Set HERMES_GEMINI_CLIENT_ID and HERMES_GEMINI_CLIENT_SECRET, or use an API key with: hermes auth add gemini",
    };
  }
  return { id, secret: env.HERMES_GEMINI_CLIENT_SECRET?.trim() ?? "" };
}

export function createGoogleFlow(context: FlowContext, endpoints: GoogleEndpoints = googleEndpoints): AuthFlow {
  const path = join(context.hermesHome, "auth", "google_oauth.json");
  const slot = fileSlot(path, googleCodec);
  const parts: Deps = { context, endpoints, path };
  const tokens = (): TokenSource =>
    new RenewingTokens({
      slot,
      earlyMs,
      clock: context.clock,
      renew: (login, signal) => renew(login, parts, signal),
      missing: {
        code: "relogin_required",
        message: "There is no Google login.",
        hint: "Log in with: hermes auth add google-gemini-cli",
      },
    });
  return {
    provider,
    tokens,
    flags: { "client-id": "HERMES_GEMINI_CLIENT_ID" },
    project: (signal) => projectOfLogin({ slot, tokens: tokens(), endpoints, clock: context.clock }, signal),
    async login(ui, signal) {
      const client = clientOf(context.env);
      if ("kind" in client) return client;
      if (!(await ui.confirm(googleNotice, signal))) return declined;
      const pkce = newPkce();
      const addressFor = (redirectUri: string): string => authorizeUrl({ client, pkce, endpoints }, redirectUri);
      const { callbackPort: port } = endpoints;
      const question = { ui, env: context.env, state: pkce.state, port, path: callbackPath, addressFor };
      const answer = await askInBrowser({ ...question, takesAnyPort: true }, signal);
      if (answer.kind === "refused") return reloginFailure(provider, `The login did not work: ${answer.message}.`);
      const fields = {
        grant_type: "authorization_code",
        client_id: client.id,
        client_secret: client.secret,
        code: answer.code,
        code_verifier: pkce.verifier,
        redirect_uri: answer.redirectUri,
      };
      const exchange = await postForm(endpoints.token, fields, { signal });
      const result = readGrant(exchange, { extra: {} }, service(context));
      if (result.kind === "failure") return result;
      const email = await emailOf(result.login.accessToken, endpoints, signal);
      const extra = defined({ email });
      await slot.exclusively((access) => access.write({ ...result.login, extra }), signal);
      return { kind: "logged-in", ...defined({ account: email }) };
    },
    async status(signal) {
      const status = await statusOf(slot, "google-oauth", signal);
      const account = textIn((await slot.read(signal))?.extra ?? {}, "email");
      return status.kind === "logged-out" || account === undefined ? status : { ...status, account };
    },
    logout: () => rm(path, { force: true }),
  };
}

interface Deps {
  readonly context: FlowContext;
  readonly endpoints: GoogleEndpoints;
  readonly path: string;
}

function authorizeUrl(
  { client, pkce, endpoints }: { readonly client: Client; readonly pkce: Pkce; readonly endpoints: GoogleEndpoints },
  redirectUri: string,
): string {
  const url = new URL(endpoints.authorize);
  url.search = new URLSearchParams({
    client_id: client.id,
    redirect_uri: redirectUri,
    response_type: "code",
    scope: scopes.join(" "),
    code_challenge: pkce.challenge,
    code_challenge_method: "S256",
    state: pkce.state,
    access_type: "offline",
    prompt: "consent",
  }).toString();
  return url.href;
}

async function renew(login: StoredLogin, parts: Deps, signal: AbortSignal): Promise<RenewResult> {
  const { context, endpoints, path } = parts;
  const client = clientOf(context.env);
  if ("kind" in client) return client;
  const renewal = { urls: [endpoints.token], fields: { client_id: client.id, client_secret: client.secret } };
  const result = await renewLogin(login, { ...service(context), ...renewal }, signal);
  // A revoked login will never work again; keeping it would only ask the same question at every start.
  if (result.kind === "failure" && result.code === "google_oauth_revoked") await rm(path, { force: true });
  return result;
}

function service(context: FlowContext): TokenService {
  return {
    provider,
    name: "Google",
    context,
    usualLifeSeconds: 3600,
    refused: (error) =>
      error === "invalid_grant"
        ? reloginFailure(provider, "Google has withdrawn the login.", "google_oauth_revoked")
        : undefined,
  };
}

/** The address shown in status lines; a login without it is as good. */
async function emailOf(token: string, endpoints: GoogleEndpoints, signal: AbortSignal): Promise<string | undefined> {
  const answer = await ask(
    endpoints.userInfo,
    { method: "GET", body: { kind: "none" }, headers: { Authorization: `Bearer ${token}` } },
    signal,
  );
  return answer.kind === "answer" && isRecord(answer.body) ? textIn(answer.body, "email") : undefined;
}
