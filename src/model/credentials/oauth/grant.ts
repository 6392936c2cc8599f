import { defined } from "#foundation/defined";
import { type Exchange, errorCodeIn, errorTextIn, postForm, textIn } from "#foundation/http/ask";
import type { StoredLogin } from "../login-slot.ts";
import type { LoginFailure, RenewResult } from "../refresh.ts";
import { type FlowContext, reloginFailure, unavailable } from "./flow.ts";
import { grantedLogin } from "./login-record.ts";

/** How one service gives out tokens. */
export interface TokenService {
  readonly provider: string;
  /** As people call it. */
  readonly name: string;
  readonly context: FlowContext;
  /** Assumed where an answer does not say how long a token lives. */
  readonly usualLifeSeconds?: number;
  /** Where the token itself says when it ends. */
  expiryOf?(accessToken: string): number | undefined;
  /** Fields of an answer that are stored beside the tokens. */
  readonly keeps?: readonly string[];
  /** What a refusal means; undefined: the service is out of order, and the login itself may be fine. */
  refused(error: string | undefined, status: number, text: string): LoginFailure | undefined;
}

/** The login that a token endpoint answered with; what it does not renew stays as it was before. */
export function readGrant(
  answer: Exchange,
  before: Omit<StoredLogin, "accessToken">,
  service: TokenService,
): RenewResult {
  if (answer.kind === "unreachable") return unavailable(service.name, answer.message);
  const { usualLifeSeconds, context } = service;
  const nowMs = context.clock.now();
  const login =
    answer.status === 200 ? grantedLogin(answer.body, before, { nowMs, ...defined({ usualLifeSeconds }) }) : undefined;
  if (login !== undefined) {
    const expiresAtMs = service.expiryOf?.(login.accessToken) ?? login.expiresAtMs;
    const kept = (service.keeps ?? []).flatMap((key) => {
      const value = textIn(answer.body, key);
      return value === undefined ? [] : [[key, value]];
    });
    const extra = { ...login.extra, ...Object.fromEntries(kept) };
    return { kind: "renewed", login: { ...login, ...defined({ expiresAtMs }), extra } };
  }
  const text = errorTextIn(answer.body);
  return (
    service.refused(errorCodeIn(answer.body), answer.status, text) ??
    unavailable(service.name, text || `HTTP ${answer.status}`)
  );
}

export interface Renewal {
  /** Tried in this order; only one that is out of reach is worth the next, since an answer used the refresh token up. */
  readonly urls: readonly string[];
  readonly fields: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

/** One use of the refresh token. */
export async function renewLogin(
  login: StoredLogin,
  { urls, fields, timeoutMs, ...service }: TokenService & Renewal,
  signal: AbortSignal,
): Promise<RenewResult> {
  const { refreshToken } = login;
  if (refreshToken === undefined)
    return reloginFailure(
      service.provider,
      `The ${service.name} login has run out and carries nothing to renew it with.`,
    );
  let answer: Exchange = { kind: "unreachable", message: "no address to ask" };
  for (const url of urls) {
    const body = { grant_type: "refresh_token", ...fields, refresh_token: refreshToken };
    const { client } = service.context;
    answer = await postForm(url, body, { signal, client, ...defined({ timeoutMs }) });
    if (answer.kind === "answer") break;
  }
  return readGrant(answer, login, service);
}

/** The usual words for a login that the service does not take any more. */
export function noLongerAccepted(provider: string, name: string, reason: string | number): LoginFailure {
  return reloginFailure(provider, `The ${name} login is no longer accepted (${reason}).`);
}
