import { ask, type Exchange, errorCodeIn, errorTextIn, numberIn, textIn } from "#foundation/http/ask";
import { clientIds } from "../../providers/identification.ts";
import type { StoredLogin } from "../login-slot.ts";
import { momentOf } from "../pool-entry.ts";
import type { LoginFailure, RenewResult } from "../refresh.ts";
import { type FlowContext, reloginFailure, unavailable } from "./flow.ts";
import { renewLogin } from "./grant.ts";

const provider = "nous";

export interface NousEndpoints {
  readonly deviceCode: string;
  readonly token: string;
  readonly agentKey: string;
}

const defaultPortal = "https://portal.nousresearch.com";

export function nousEndpoints(env: Readonly<Record<string, string | undefined>>): NousEndpoints {
  const input = env.HERMES_PORTAL_BASE_URL?.trim() || env.NOUS_PORTAL_BASE_URL?.trim() || defaultPortal;
  const portal = input.replace(/\/+$/, "");
  return {
    deviceCode: `${portal}/api/oauth/device/code`,
    token: `${portal}/api/oauth/token`,
    agentKey: `${portal}/api/oauth/agent-key`,
  };
}

interface Deps {
  readonly endpoints: NousEndpoints;
  readonly context: FlowContext;
}

/** One use of the refresh token. The caller stores the answer before doing anything else. */
export function refreshNous(
  login: StoredLogin,
  { endpoints, context }: Deps,
  signal: AbortSignal,
): Promise<RenewResult> {
  return renewLogin(
    login,
    {
      provider,
      name: "Nous",
      context,
      urls: [endpoints.token],
      fields: { client_id: clientIds.nous },
      refused(error, status, text) {
        if (error === "refresh_token_reused" || /reuse/i.test(text))
          return reloginFailure(
            provider,
            "The Nous login was renewed from elsewhere with the same token, which ends it. Only Hermes may renew its own login.",
            "refresh_token_reused",
          );
        return status === 401 || error === "invalid_grant" || error === "invalid_token"
          ? reloginFailure(provider, "The Nous login is no longer accepted.")
          : undefined;
      },
    },
    signal,
  );
}

export type Minted = { readonly kind: "minted"; readonly key: string; readonly expiresAtMs: number } | LoginFailure;

const assumedKeyLifeMs = 3_600_000;

/** Asks the portal for an inference key that lives at least as long as wanted. */
export async function mintAgentKey(
  accessToken: string,
  parts: Deps & { readonly minLifeSeconds: number },
  signal: AbortSignal,
): Promise<Minted> {
  const answer = await ask(
    parts.endpoints.agentKey,
    {
      method: "POST",
      body: { kind: "json", value: { min_ttl_seconds: parts.minLifeSeconds } },
      headers: { Authorization: `Bearer ${accessToken}` },
      client: parts.context.client,
    },
    signal,
  );
  if (answer.kind === "unreachable") return unavailable("the Nous Portal", answer.message);
  const key = textIn(answer.body, "api_key") ?? textIn(answer.body, "agent_key") ?? textIn(answer.body, "key");
  if (answer.status === 200 && key !== undefined) {
    const life = numberIn(answer.body, "expires_in");
    const nowMs = parts.context.clock.now();
    const expiresAtMs =
      momentOf(answer.body.expires_at) ?? (life === undefined ? nowMs + assumedKeyLifeMs : nowMs + life * 1000);
    return { kind: "minted", key, expiresAtMs };
  }
  return mintFailure(answer);
}

/** The portal's codes, in words a person can act on. */
function mintFailure(answer: Extract<Exchange, { kind: "answer" }>): LoginFailure {
  const error = errorCodeIn(answer.body) ?? (answer.status === 401 ? "invalid_token" : `HTTP ${answer.status}`);
  switch (error) {
    case "subscription_required":
      return {
        kind: "failure",
        code: error,
        message: "The Nous account has no subscription that covers inference.",
        hint: "Choose a plan at https://portal.nousresearch.com and try again.",
      };
    case "insufficient_credits":
      return {
        kind: "failure",
        code: error,
        message: "The credit of the Nous account is used up.",
        hint: "Add credit at https://portal.nousresearch.com, or use another provider with: hermes model",
      };
    case "invalid_token":
    case "invalid_grant":
      return { ...reloginFailure(provider, "The Nous login is no longer accepted."), code: error };
    default:
      return unavailable("the Nous Portal", errorTextIn(answer.body) || error);
  }
}
