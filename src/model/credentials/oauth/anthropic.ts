import { rm } from "node:fs/promises";
import { join } from "node:path";
import { defined } from "#foundation/defined";
import { postJson, textIn } from "#foundation/http/ask";
import { isRecord, parseJson } from "#foundation/text/json";
import { clientIds } from "../../providers/identification.ts";
import type { Keychain } from "../keychain.ts";
import { fileSlot, type LoginCodec, type LoginSlot, type StoredLogin } from "../login-slot.ts";
import { momentOf } from "../pool-entry.ts";
import { RenewingTokens, type RenewResult } from "../refresh.ts";
import type { TokenSource } from "../scoped.ts";
import { type AuthFlow, declined, type FlowContext, reloginFailure } from "./flow.ts";
import { noLongerAccepted, readGrant, renewLogin, type TokenService } from "./grant.ts";
import { loginFrom, statusOf, tokenFields } from "./login-record.ts";
import { newPkce, readCallback } from "./pkce.ts";

const provider = "anthropic";

export interface AnthropicEndpoints {
  readonly authorize: string;
  readonly redirect: string;
  /** Tried in this order. */
  readonly tokens: readonly string[];
}

export const anthropicEndpoints: AnthropicEndpoints = {
  authorize: "https://claude.ai/oauth/authorize",
  redirect: "https://console.anthropic.com/oauth/code/callback",
  tokens: ["https://platform.claude.com/v1/oauth/token", "https://console.anthropic.com/v1/oauth/token"],
};

const anthropicNotice =
  "A Claude subscription login is meant for Anthropic's own programs. Using it in Hermes may be against its terms; an API key is the safe way.";

const earlyMs = 60_000;
const renewTimeoutMs = 10_000;
const keychainItem = "Claude Code-credentials";

/** The credential file of Claude Code, and the same shape in the keychain. */
const claudeCodeCodec: LoginCodec = {
  parse(record) {
    const { claudeAiOauth: login } = record;
    if (!isRecord(login)) return undefined;
    return loginFrom({
      accessToken: textIn(login, "accessToken"),
      refreshToken: textIn(login, "refreshToken"),
      expiresAtMs: momentOf(login.expiresAt),
      extra: login,
    });
  },
  format: (login, before) => ({
    ...before,
    claudeAiOauth: {
      ...(isRecord(before.claudeAiOauth) ? before.claudeAiOauth : {}),
      accessToken: login.accessToken,
      ...defined({ refreshToken: login.refreshToken, expiresAt: login.expiresAtMs }),
    },
  }),
};

/** Our own login, `.anthropic_oauth.json`. */
const ownAnthropicCodec: LoginCodec = {
  parse(record) {
    return loginFrom({
      accessToken: textIn(record, "access_token") ?? textIn(record, "accessToken"),
      refreshToken: textIn(record, "refresh_token") ?? textIn(record, "refreshToken"),
      expiresAtMs: momentOf(record.expires_at_ms) ?? momentOf(record.expiresAt),
      extra: record,
    });
  },
  format: (login, before) => ({
    ...before,
    ...tokenFields(login),
    ...defined({ expires_at_ms: login.expiresAtMs }),
  }),
};

/** Where Claude Code keeps its login: the keychain where it answers, else the file. */
export async function claudeCodeSlot(
  context: FlowContext,
  keychain: Keychain | undefined,
  signal: AbortSignal,
): Promise<LoginSlot> {
  const file = fileSlot(join(context.userHome, ".claude", ".credentials.json"), claudeCodeCodec);
  if (keychain === undefined) return file;
  const inKeychain = keychainSlot(keychain, file);
  return (await inKeychain.read(signal)) === undefined ? file : inKeychain;
}

/** Locks with the file beside it, so that all of our processes take turns. */
function keychainSlot(keychain: Keychain, file: LoginSlot): LoginSlot {
  const record = async (signal: AbortSignal): Promise<Readonly<Record<string, unknown>>> => {
    const parsed = parseJson((await keychain.read(keychainItem, signal)) ?? "{}");
    return parsed.ok && isRecord(parsed.value) ? parsed.value : {};
  };
  return {
    read: async (signal) => claudeCodeCodec.parse(await record(signal)),
    exclusively: (work, signal) =>
      file.exclusively(
        () =>
          work({
            read: async () => claudeCodeCodec.parse(await record(signal)),
            write: async (login) => {
              const text = JSON.stringify(claudeCodeCodec.format(login, await record(signal)));
              await keychain.write(keychainItem, text, signal);
            },
          }),
        signal,
      ),
  };
}

export function anthropicTokens(
  slot: LoginSlot,
  context: FlowContext,
  endpoints: AnthropicEndpoints = anthropicEndpoints,
): TokenSource {
  return new RenewingTokens({
    slot,
    earlyMs,
    clock: context.clock,
    renew: (login, signal) => renew(login, { context, endpoints }, signal),
    missing: {
      code: "missing_api_key",
      message: "There is no Anthropic login.",
      hint: "Set ANTHROPIC_API_KEY, or log in with: hermes auth add anthropic",
    },
  });
}

interface Deps {
  readonly context: FlowContext;
  readonly endpoints: AnthropicEndpoints;
}

function renew(login: StoredLogin, { context, endpoints }: Deps, signal: AbortSignal): Promise<RenewResult> {
  const renewal = { urls: endpoints.tokens, fields: { client_id: clientIds.anthropic }, timeoutMs: renewTimeoutMs };
  return renewLogin(login, { ...service(context), ...renewal }, signal);
}

function service(context: FlowContext): TokenService {
  return {
    provider,
    name: "Anthropic",
    context,
    usualLifeSeconds: 3600,
    refused: (error, status) => (status >= 500 ? undefined : noLongerAccepted(provider, "Anthropic", error ?? status)),
  };
}

/** Anthropic's own page shows a code that is pasted back; there is nothing to listen for. */
export function createAnthropicFlow(
  context: FlowContext,
  endpoints: AnthropicEndpoints = anthropicEndpoints,
): AuthFlow {
  const path = join(context.hermesHome, ".anthropic_oauth.json");
  const slot = fileSlot(path, ownAnthropicCodec);
  return {
    provider,
    async login(ui, signal) {
      if (!(await ui.confirm(anthropicNotice, signal))) return declined;
      const pkce = newPkce();
      const url = new URL(endpoints.authorize);
      url.search = new URLSearchParams({
        code: "true",
        client_id: clientIds.anthropic,
        response_type: "code",
        redirect_uri: endpoints.redirect,
        scope: "org:create_api_key user:profile user:inference",
        code_challenge: pkce.challenge,
        code_challenge_method: "S256",
        state: pkce.state,
      }).toString();
      ui.showPage({ url: url.href });
      if (!ui.isHeadless) await ui.openBrowser(url.href);
      const answer = readCallback(await ui.paste("Paste the code from the browser", signal), pkce.state);
      if (answer.kind === "refused") return reloginFailure(provider, `The login did not work: ${answer.message}.`);
      const body = {
        grant_type: "authorization_code",
        client_id: clientIds.anthropic,
        code: answer.code,
        state: pkce.state,
        redirect_uri: endpoints.redirect,
        code_verifier: pkce.verifier,
      };
      const [tokenUrl = ""] = endpoints.tokens;
      const exchange = await postJson(tokenUrl, body, { signal });
      const result = readGrant(exchange, { extra: {} }, service(context));
      if (result.kind === "failure") return result;
      await slot.exclusively((access) => access.write(result.login), signal);
      return { kind: "logged-in" };
    },
    tokens: () => anthropicTokens(slot, context, endpoints),
    status: (signal) => statusOf(slot, "hermes_pkce", signal),
    logout: () => rm(path, { force: true }),
  };
}
