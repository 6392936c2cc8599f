import { join } from "node:path";
import { Secret } from "#foundation/secret";
import { clientIds } from "../../providers/identification.ts";
import { fileSlot, type LoginCodec, type StoredLogin } from "../login-slot.ts";
import { momentOf } from "../pool-entry.ts";
import { type LoginFailure, RenewingTokens, type RenewResult } from "../refresh.ts";
import { errorCodeIn, numberIn, postForm, textIn } from "./exchange.ts";
import { type AuthFlow, declined, type FlowContext, reloginFailure, unavailable } from "./flow.ts";

const provider = "qwen-oauth";

export interface QwenEndpoints {
  readonly token: string;
}

const qwenEndpoints: QwenEndpoints = { token: "https://chat.qwen.ai/api/v1/oauth2/token" };

const qwenNotice =
  "Hermes will use the login of the Qwen Code program on this machine, and renew it in that program's file when it runs out.";

const earlyMs = 120_000;

/** `~/.qwen/oauth_creds.json`, which belongs to the Qwen Code program. */
export const qwenCodec: LoginCodec = {
  parse(record) {
    const accessToken = textIn(record, "access_token");
    if (accessToken === undefined) return undefined;
    const refreshToken = textIn(record, "refresh_token");
    const expiresAtMs = momentOf(record.expiry_date);
    return {
      accessToken,
      ...(refreshToken === undefined ? {} : { refreshToken }),
      ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
      extra: record,
    };
  },
  format: (login, before) => ({
    ...before,
    ...login.extra,
    access_token: login.accessToken,
    ...(login.refreshToken === undefined ? {} : { refresh_token: login.refreshToken }),
    ...(login.expiresAtMs === undefined ? {} : { expiry_date: login.expiresAtMs }),
  }),
};

const missing: LoginFailure = {
  kind: "failure",
  code: "qwen_auth_missing",
  message: "There is no login of the Qwen Code program on this machine.",
  hint: "Log in there with: qwen auth qwen-oauth",
};

/** Another program's login: there is nothing to log in to from here, only to use and to renew. */
export function createQwenFlow(context: FlowContext, endpoints: QwenEndpoints = qwenEndpoints): AuthFlow {
  const slot = fileSlot(join(context.userHome, ".qwen", "oauth_creds.json"), qwenCodec);
  return {
    provider,
    async login(ui, signal) {
      if ((await slot.read(signal)) === undefined) return missing;
      return (await ui.confirm(qwenNotice, signal)) ? { kind: "logged-in" } : declined;
    },
    tokens: () =>
      new RenewingTokens({
        slot,
        earlyMs,
        clock: context.clock,
        renew: (login, signal) => renew(login, { context, endpoints }, signal),
        missing,
      }),
    async status(signal) {
      const login = await slot.read(signal);
      if (login === undefined) return { kind: "logged-out" };
      const expiry = login.expiresAtMs === undefined ? {} : { expiresAtMs: login.expiresAtMs };
      return { kind: "logged-in", source: "qwen-cli", secret: new Secret(login.accessToken), ...expiry };
    },
    // The file is the other program's; forgetting it is its business.
    logout: () => Promise.resolve(),
  };
}

async function renew(
  login: StoredLogin,
  parts: { readonly context: FlowContext; readonly endpoints: QwenEndpoints },
  signal: AbortSignal,
): Promise<RenewResult> {
  if (login.refreshToken === undefined) return reloginFailure(provider, "The Qwen login has run out.");
  const answer = await postForm(
    parts.endpoints.token,
    { grant_type: "refresh_token", client_id: clientIds.qwen, refresh_token: login.refreshToken },
    { signal },
  );
  if (answer.kind === "unreachable") return unavailable("Qwen", answer.message);
  const accessToken = textIn(answer.body, "access_token");
  if (answer.status !== 200 || accessToken === undefined) {
    if (answer.status >= 500) return unavailable("Qwen", `HTTP ${answer.status}`);
    const reason = errorCodeIn(answer.body) ?? answer.status;
    return { ...missing, code: "relogin_required", message: `The Qwen login is no longer accepted (${reason}).` };
  }
  const life = numberIn(answer.body, "expires_in") ?? 3600;
  const resource = textIn(answer.body, "resource_url");
  return {
    kind: "renewed",
    login: {
      accessToken,
      refreshToken: textIn(answer.body, "refresh_token") ?? login.refreshToken,
      expiresAtMs: parts.context.clock.now() + life * 1000,
      extra: { ...login.extra, ...(resource === undefined ? {} : { resource_url: resource }) },
    },
  };
}
