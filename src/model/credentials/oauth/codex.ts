import { join } from "node:path";
import { defined } from "#foundation/defined";
import { readTextFile } from "#foundation/files/files";
import { type ExchangeOptions, errorCodeIn, numberIn, postForm, postJson, textIn } from "#foundation/http/ask";
import type { DeviceCode } from "#foundation/http/device-code";
import { isRecord, parseJson } from "#foundation/text/json";
import { clientIds } from "../../providers/identification.ts";
import { withActiveProvider, withLogin } from "../auth-state.ts";
import { type LoginCodec, type LoginSlot, type StoredLogin, storeSlot } from "../login-slot.ts";
import { type LoginFailure, RenewingTokens, type RenewResult } from "../refresh.ts";
import type { TokenSource } from "../scoped.ts";
import { type Poll, runDeviceFlow } from "./device-flow.ts";
import { type AuthFlow, declined, type FlowContext, reloginFailure, unavailable } from "./flow.ts";
import { noLongerAccepted, readGrant, renewLogin, type TokenService } from "./grant.ts";
import { expiryOf, readClaims } from "./jwt.ts";
import { forgetLogin, loginFrom, rememberLogin, statusOf, tokenFields } from "./login-record.ts";

const provider = "openai-codex";

export interface CodexEndpoints {
  readonly userCode: string;
  readonly deviceToken: string;
  readonly token: string;
  readonly redirect: string;
  readonly verification: string;
}

const codexEndpoints: CodexEndpoints = {
  userCode: "https://auth.openai.com/api/accounts/deviceauth/usercode",
  deviceToken: "https://auth.openai.com/api/accounts/deviceauth/token",
  token: "https://auth.openai.com/oauth/token",
  redirect: "https://auth.openai.com/deviceauth/callback",
  verification: "https://auth.openai.com/codex/device",
};

const codexNotice =
  "The ChatGPT login is made for OpenAI's own Codex program. Hermes keeps a session of its own and never touches the one of Codex.";

const earlyMs = 120_000;
const loginLimitMs = 15 * 60_000;
const minPollMs = 3_000;

/** `providers.openai-codex` in the store: tokens in a group of their own. */
export const codexCodec: LoginCodec = {
  parse(record) {
    const { tokens } = record;
    if (!isRecord(tokens)) return undefined;
    const accessToken = textIn(tokens, "access_token");
    return loginFrom({
      accessToken,
      refreshToken: textIn(tokens, "refresh_token"),
      expiresAtMs: accessToken === undefined ? undefined : expiryOf(accessToken),
      extra: record,
    });
  },
  format: (login, before) => ({
    ...before,
    tokens: {
      ...(isRecord(before.tokens) ? before.tokens : {}),
      ...tokenFields(login),
    },
    last_refresh: new Date().toISOString(),
    auth_mode: "chatgpt",
  }),
};

/** ChatGPT's login for Codex: a device code of OpenAI's own making. */
export function createCodexFlow(context: FlowContext, endpoints: CodexEndpoints = codexEndpoints): AuthFlow {
  const slot = storeSlot(context.authFile, provider, codexCodec);
  const location = { authFile: context.authFile, provider };
  return {
    provider,
    async login(ui, signal) {
      if (!(await ui.confirm(codexNotice, signal))) return declined;
      const code = await requestCode(context, endpoints, signal);
      if ("kind" in code) return code;
      const granted = await runDeviceFlow(
        {
          provider,
          code,
          poll: (input, pollSignal) => poll(input, { context, endpoints }, pollSignal),
          clock: context.clock,
          ui,
          minIntervalMs: minPollMs,
          limitMs: loginLimitMs,
        },
        signal,
      );
      if (granted.kind === "failure") return granted;
      const login = await redeem(granted.value, { context, endpoints }, signal);
      if (login.kind === "failure") return login;
      await rememberLogin(location, { login: login.login, codec: codexCodec }, signal);
      return { kind: "logged-in" };
    },
    tokens: () => codexTokens(slot, context, endpoints),
    poolTokens: (other) => codexTokens(other, context, endpoints),
    imports: {
      question:
        "The Codex program is logged in on this machine. Copy its login? Whoever renews it first may end it for the other.",
      isThere: async () => (await readCodexProgramLogin(context)) !== undefined,
      take: (signal) => importCodexLogin(context, signal),
    },
    status: (signal) => statusOf(slot, "hermes-auth-store", signal),
    logout: (signal) => forgetLogin(location, signal),
  };
}

/** Tokens of any place that holds a Codex login: the store, or an entry of the pool. */
function codexTokens(slot: LoginSlot, context: FlowContext, endpoints: CodexEndpoints = codexEndpoints): TokenSource {
  return new RenewingTokens({
    slot,
    earlyMs,
    clock: context.clock,
    renew: (login, signal) => renew(login, { context, endpoints }, signal),
    headers: accountHeaders,
    missing: {
      code: "codex_auth_missing",
      message: "There is no ChatGPT login for Codex.",
      hint: "Log in with: hermes auth add openai-codex",
    },
  });
}

/** The account a token belongs to is named in the token itself, and wanted in a header. */
function accountHeaders(login: StoredLogin): Readonly<Record<string, string>> {
  const claims = readClaims(login.accessToken)?.["https://api.openai.com/auth"];
  const account = isRecord(claims) ? textIn(claims, "chatgpt_account_id") : undefined;
  return defined({ "ChatGPT-Account-ID": account });
}

interface Deps {
  readonly context: FlowContext;
  readonly endpoints: CodexEndpoints;
}

async function requestCode(
  context: FlowContext,
  endpoints: CodexEndpoints,
  signal: AbortSignal,
): Promise<DeviceCode | LoginFailure> {
  const answer = await postJson(endpoints.userCode, { client_id: clientIds.codex }, { ...options(context), signal });
  if (answer.kind === "unreachable") return unavailable("OpenAI", answer.message);
  const deviceCode = textIn(answer.body, "device_auth_id");
  const userCode = textIn(answer.body, "user_code") ?? textIn(answer.body, "usercode");
  if (answer.status !== 200 || deviceCode === undefined || userCode === undefined) {
    return unavailable("OpenAI", `HTTP ${answer.status} instead of a code`);
  }
  const intervalMs = (numberIn(answer.body, "interval") ?? 5) * 1000;
  return {
    deviceCode,
    userCode,
    url: endpoints.verification,
    intervalMs,
    expiresInMs: (numberIn(answer.body, "expires_in") ?? loginLimitMs / 1000) * 1000,
  };
}

interface Granted {
  readonly code: string;
  readonly verifier: string;
}

/** 403 and 404 mean that nobody has typed the code yet. */
async function poll(code: DeviceCode, parts: Deps, signal: AbortSignal): Promise<Poll<Granted>> {
  const body = { device_auth_id: code.deviceCode, user_code: code.userCode };
  const answer = await postJson(parts.endpoints.deviceToken, body, { ...options(parts.context), signal });
  if (answer.kind === "unreachable") return answer;
  if (answer.status === 403 || answer.status === 404) {
    return errorCodeIn(answer.body) === "access_denied" ? { kind: "denied" } : { kind: "pending" };
  }
  if (answer.status === 429) return { kind: "slow-down" };
  const granted = textIn(answer.body, "authorization_code");
  const verifier = textIn(answer.body, "code_verifier");
  if (answer.status !== 200 || granted === undefined || verifier === undefined) {
    return unavailable("OpenAI", `HTTP ${answer.status} instead of a grant`);
  }
  return { kind: "granted", value: { code: granted, verifier } };
}

async function redeem(granted: Granted, parts: Deps, signal: AbortSignal): Promise<RenewResult> {
  const answer = await postForm(
    parts.endpoints.token,
    {
      grant_type: "authorization_code",
      client_id: clientIds.codex,
      code: granted.code,
      code_verifier: granted.verifier,
      redirect_uri: parts.endpoints.redirect,
    },
    { ...options(parts.context), signal },
  );
  return readGrant(answer, { extra: {} }, service(parts.context));
}

function renew(login: StoredLogin, { context, endpoints }: Deps, signal: AbortSignal): Promise<RenewResult> {
  const renewal = { urls: [endpoints.token], fields: { client_id: clientIds.codex } };
  return renewLogin(login, { ...service(context), ...renewal, timeoutMs: timeoutOf(context) }, signal);
}

const finalErrors = new Set(["invalid_grant", "invalid_token", "invalid_request"]);

function service(context: FlowContext): TokenService {
  return {
    provider,
    name: "ChatGPT",
    context,
    expiryOf,
    refused(error, status) {
      if (error === "refresh_token_reused")
        return reloginFailure(
          provider,
          "The ChatGPT login was renewed by another program with the same token, which ends it for both.",
          error,
        );
      const isFinal = status === 401 || status === 403 || (error !== undefined && finalErrors.has(error));
      return isFinal ? noLongerAccepted(provider, "ChatGPT", error ?? status) : undefined;
    },
  };
}

function timeoutOf({ env }: FlowContext): number {
  const seconds = Number(env.HERMES_CODEX_REFRESH_TIMEOUT_SECONDS);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 20_000;
}

function options(context: FlowContext): ExchangeOptions {
  return { timeoutMs: timeoutOf(context), client: context.client };
}

/** The login of the Codex program itself, to be imported once when the person says so; undefined when it has run out. */
async function readCodexProgramLogin(context: FlowContext): Promise<StoredLogin | undefined> {
  const folder = context.env.CODEX_HOME?.trim() || join(context.userHome, ".codex");
  const text = await readTextFile(join(folder, "auth.json"), { maxBytes: 1_000_000 });
  const parsed = text === undefined ? undefined : parseJson(text);
  const login = parsed?.ok === true && isRecord(parsed.value) ? codexCodec.parse(parsed.value) : undefined;
  if (login?.expiresAtMs !== undefined && login.expiresAtMs <= context.clock.now()) return undefined;
  return login;
}

/** Copies that login into the store. The file of Codex is only read. */
async function importCodexLogin(context: FlowContext, signal: AbortSignal): Promise<boolean> {
  const login = await readCodexProgramLogin(context);
  if (login === undefined) return false;
  await context.authFile.update(
    (state) => withActiveProvider(withLogin(state, provider, codexCodec.format({ ...login, extra: {} }, {})), provider),
    signal,
  );
  return true;
}
