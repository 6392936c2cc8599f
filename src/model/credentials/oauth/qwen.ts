import { join } from "node:path";
import { defined } from "#foundation/defined";
import { textIn } from "#foundation/http/ask";
import { clientIds } from "../../providers/identification.ts";
import { fileSlot, type LoginCodec, type StoredLogin } from "../login-slot.ts";
import { momentOf } from "../pool-entry.ts";
import { type LoginFailure, RenewingTokens, type RenewResult } from "../refresh.ts";
import { type AuthFlow, declined, type FlowContext } from "./flow.ts";
import { renewLogin } from "./grant.ts";
import { loginFrom, statusOf, tokenFields } from "./login-record.ts";

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
    return loginFrom({
      accessToken: textIn(record, "access_token"),
      refreshToken: textIn(record, "refresh_token"),
      expiresAtMs: momentOf(record.expiry_date),
      extra: record,
    });
  },
  format: (login, before) => ({
    ...before,
    ...login.extra,
    ...tokenFields(login),
    ...defined({ expiry_date: login.expiresAtMs }),
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
    isForeign: true,
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
    status: (signal) => statusOf(slot, "qwen-cli", signal),
    // The file is the other program's; forgetting it is its business.
    logout: () => Promise.resolve(),
  };
}

function renew(
  login: StoredLogin,
  { context, endpoints }: { readonly context: FlowContext; readonly endpoints: QwenEndpoints },
  signal: AbortSignal,
): Promise<RenewResult> {
  return renewLogin(
    login,
    {
      provider,
      name: "Qwen",
      context,
      usualLifeSeconds: 3600,
      urls: [endpoints.token],
      fields: { client_id: clientIds.qwen },
      keeps: ["resource_url"],
      refused: (error, status) =>
        status >= 500
          ? undefined
          : {
              ...missing,
              code: "relogin_required",
              message: `The Qwen login is no longer accepted (${error ?? status}).`,
            },
    },
    signal,
  );
}
