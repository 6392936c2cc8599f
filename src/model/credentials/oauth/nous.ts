import { errorCodeIn, postForm, textIn } from "#foundation/http/ask";
import { type DeviceCode, deviceGrantType, standardPoll } from "#foundation/http/device-code";
import { deadline, raceAbort } from "#foundation/lifecycle/abort";
import { Secret } from "#foundation/secrets/secret";
import { clientIds } from "../../providers/identification.ts";
import { type LoginSlot, type SlotAccess, type StoredLogin, storeSlot } from "../login-slot.ts";
import { type LoginFailure, toError } from "../refresh.ts";
import { type AccessToken, CredentialUnavailableError, type TokenSource } from "../scoped.ts";
import { codeOf, type Poll, runDeviceFlow } from "./device-flow.ts";
import { type AuthFlow, declined, type FlowContext, reloginFailure, unavailable } from "./flow.ts";
import { forgetLogin, grantedLogin, rememberLogin, statusOf } from "./login-record.ts";
import { nousCodec } from "./nous-login.ts";
import { mintAgentKey, type NousEndpoints, nousEndpoints, refreshNous } from "./nous-portal.ts";

const provider = "nous";

const nousNotice =
  "Hermes will hold a login to the Nous Portal and ask it for inference keys; usage counts against your account there.";

/** The access token is renewed this long before its end. */
const earlyMs = 120_000;
const loginLimitMs = 15 * 60_000;
const minKeyLifeSeconds = 1800;

/**
 * The inference key of the Nous Portal. Two things live in one login: the portal's access token, which goes to the
 * portal and to the tool services of the same account, and the agent key it gives out, which is what inference
 * gets. Invariants:
 *
 * 1. A rotated refresh token is on disk before anything else is done with the answer it came in.
 * 2. One process at a time renews or mints; the next one finds the result in the store.
 */
class NousTokens implements TokenSource {
  readonly #slot: LoginSlot;
  readonly #context: FlowContext;
  readonly #endpoints: NousEndpoints;
  #secrets: readonly Secret[] = [];
  #pending: Promise<AccessToken | LoginFailure> | undefined;

  constructor(slot: LoginSlot, context: FlowContext, endpoints: NousEndpoints = nousEndpoints(context.env)) {
    this.#slot = slot;
    this.#context = context;
    this.#endpoints = endpoints;
  }

  get secrets(): readonly Secret[] {
    return this.#secrets;
  }

  async current(signal: AbortSignal): Promise<AccessToken> {
    const login = await this.#slot.read(signal);
    if (login === undefined) throw toError(loggedOut);
    const key = this.#usableKey(login);
    if (key !== undefined) return this.#remember(key, login);
    return this.#unwrap(await this.#renewOnce(undefined, signal));
  }

  /** The portal's own token, good for two minutes at least. */
  async portal(signal: AbortSignal): Promise<Secret> {
    const login = await this.#slot.read(signal);
    if (login !== undefined && this.#isFresh(login)) return new Secret(login.accessToken);
    using limit = deadline(90_000);
    const renewed = await raceAbort(
      this.#slot.exclusively(async (access): Promise<StoredLogin | LoginFailure> => {
        const now = await access.read();
        if (now === undefined) return loggedOut;
        return this.#isFresh(now) ? now : await this.#refresh(now, access, limit.signal);
      }, limit.signal),
      signal,
    );
    if (isFailure(renewed)) throw toError(renewed);
    return new Secret(renewed.accessToken);
  }

  async renew(signal: AbortSignal): Promise<boolean> {
    const login = await this.#slot.read(signal);
    if (login === undefined) return false;
    return !isFailure(await this.#renewOnce(textIn(login.extra, "agent_key"), signal));
  }

  #renewOnce(refused: string | undefined, signal: AbortSignal): Promise<AccessToken | LoginFailure> {
    this.#pending ??= this.#underLock(refused).finally(() => {
      this.#pending = undefined;
    });
    return raceAbort(this.#pending, signal);
  }

  async #underLock(refused: string | undefined): Promise<AccessToken | LoginFailure> {
    using limit = deadline(90_000);
    return this.#slot.exclusively(async (access): Promise<AccessToken | LoginFailure> => {
      const login = await access.read();
      if (login === undefined) return loggedOut;
      const key = this.#usableKey(login);
      // Another process was here first, unless the key it left is the one that was just refused.
      if (key !== undefined && key.secret.reveal() !== refused) return this.#remember(key, login);
      return this.#mint(login, access, limit.signal);
    }, limit.signal);
  }

  async #mint(login: StoredLogin, access: SlotAccess, signal: AbortSignal): Promise<AccessToken | LoginFailure> {
    const first = this.#isFresh(login) ? login : await this.#refresh(login, access, signal);
    if (isFailure(first)) return first;
    const minted = await mintAgentKey(first.accessToken, this.#minting(), signal);
    if (minted.kind === "minted") return this.#keep(minted, first, access);
    if (minted.code !== "invalid_token" && minted.code !== "invalid_grant") return minted;
    if (first !== login) return reloginFailure(provider, "The Nous Portal does not accept this login any more.");
    const second = await this.#refresh(login, access, signal);
    if (isFailure(second)) return second;
    const again = await mintAgentKey(second.accessToken, this.#minting(), signal);
    if (again.kind === "minted") return this.#keep(again, second, access);
    return again.code === "invalid_token" || again.code === "invalid_grant"
      ? reloginFailure(provider, "The Nous Portal does not accept this login any more.")
      : again;
  }

  async #refresh(login: StoredLogin, access: SlotAccess, signal: AbortSignal): Promise<StoredLogin | LoginFailure> {
    const refreshed = await refreshNous(login, { endpoints: this.#endpoints, context: this.#context }, signal);
    if (refreshed.kind === "failure") return refreshed;
    await access.write(refreshed.login);
    return refreshed.login;
  }

  async #keep(
    minted: { readonly key: string; readonly expiresAtMs: number },
    login: StoredLogin,
    access: SlotAccess,
  ): Promise<AccessToken> {
    const extra = {
      ...login.extra,
      agent_key: minted.key,
      agent_key_expires_at: new Date(minted.expiresAtMs).toISOString(),
    };
    await access.write({ ...login, extra });
    return this.#remember({ secret: new Secret(minted.key), expiresAtMs: minted.expiresAtMs }, login);
  }

  #isFresh({ expiresAtMs }: StoredLogin): boolean {
    return expiresAtMs === undefined || this.#context.clock.now() < expiresAtMs - earlyMs;
  }

  #usableKey(login: StoredLogin): AccessToken | undefined {
    const key = textIn(login.extra, "agent_key");
    const expiresAtMs = Date.parse(textIn(login.extra, "agent_key_expires_at") ?? "");
    if (key === undefined || Number.isNaN(expiresAtMs)) return undefined;
    if (expiresAtMs - this.#context.clock.now() < this.#minLifeSeconds() * 1000) return undefined;
    return { secret: new Secret(key), expiresAtMs };
  }

  #minLifeSeconds(): number {
    const seconds = Number(this.#context.env.HERMES_NOUS_MIN_KEY_TTL_SECONDS);
    return Number.isFinite(seconds) && seconds > 0 ? seconds : minKeyLifeSeconds;
  }

  #minting(): {
    readonly endpoints: NousEndpoints;
    readonly context: FlowContext;
    readonly minLifeSeconds: number;
  } {
    return { endpoints: this.#endpoints, context: this.#context, minLifeSeconds: this.#minLifeSeconds() };
  }

  #remember(token: AccessToken, login: StoredLogin): AccessToken {
    const others = [login.accessToken, login.refreshToken].filter((text) => text !== undefined);
    this.#secrets = [token.secret, ...others.map((text) => new Secret(text))];
    return token;
  }

  #unwrap(result: AccessToken | LoginFailure): AccessToken {
    if (isFailure(result)) throw toError(result);
    return result;
  }
}

function isFailure(value: object): value is LoginFailure {
  return "kind" in value && value.kind === "failure";
}

const loggedOut: LoginFailure = reloginFailure(provider, "There is no login to the Nous Portal.");

export function createNousFlow(context: FlowContext, endpoints: NousEndpoints = nousEndpoints(context.env)): AuthFlow {
  const slot = storeSlot(context.authFile, provider, nousCodec);
  const location = { authFile: context.authFile, provider };
  return {
    provider,
    async login(ui, signal) {
      if (!(await ui.confirm(nousNotice, signal))) return declined;
      const code = await requestCode(endpoints, context, signal);
      if ("kind" in code) return code;
      const granted = await runDeviceFlow(
        {
          provider,
          code,
          poll: (input, pollSignal) => poll(input, { endpoints, context }, pollSignal),
          clock: context.clock,
          ui,
          maxIntervalMs: 30_000,
          limitMs: loginLimitMs,
        },
        signal,
      );
      if (granted.kind === "failure") return granted;
      await rememberLogin(location, { login: granted.value, codec: nousCodec }, signal);
      // The key is minted now, so that an account without a subscription is told at once.
      try {
        await new NousTokens(slot, context, endpoints).current(signal);
      } catch (error) {
        if (!(error instanceof CredentialUnavailableError)) throw error;
        return { kind: "failure", code: error.code, message: error.message, hint: error.hint ?? "" };
      }
      return { kind: "logged-in" };
    },
    tokens: () => new NousTokens(slot, context, endpoints),
    poolTokens: (other) => new NousTokens(other, context, endpoints),
    flags: { "portal-url": "HERMES_PORTAL_BASE_URL", "inference-url": "NOUS_INFERENCE_BASE_URL" },
    status: (signal) => statusOf(slot, "portal", signal),
    logout: (signal) => forgetLogin(location, signal),
  };
}

/**
 * The account that pays for services instead of own keys: undefined without a login, or when its subscription does
 * not cover any. That an inference key is given out is the proof that it does.
 */
export function nousSubscription(
  context: FlowContext,
  endpoints: NousEndpoints = nousEndpoints(context.env),
): (signal: AbortSignal) => Promise<{ readonly token: Secret; readonly isPaid: boolean } | undefined> {
  const slot = storeSlot(context.authFile, provider, nousCodec);
  const tokens = new NousTokens(slot, context, endpoints);
  return async (signal) => {
    if ((await slot.read(signal)) === undefined) return undefined;
    try {
      await tokens.current(signal);
      return { token: await tokens.portal(signal), isPaid: true };
    } catch (error) {
      if (!(error instanceof CredentialUnavailableError)) throw error;
      return undefined;
    }
  };
}

async function requestCode(
  endpoints: NousEndpoints,
  context: FlowContext,
  signal: AbortSignal,
): Promise<DeviceCode | LoginFailure> {
  const fields = { client_id: clientIds.nous, scope: "inference:mint_agent_key" };
  return codeOf(await postForm(endpoints.deviceCode, fields, { signal, client: context.client }), "the Nous Portal");
}

async function poll(
  code: DeviceCode,
  parts: { readonly endpoints: NousEndpoints; readonly context: FlowContext },
  signal: AbortSignal,
): Promise<Poll<StoredLogin>> {
  const answer = await postForm(
    parts.endpoints.token,
    {
      grant_type: deviceGrantType,
      client_id: clientIds.nous,
      device_code: code.deviceCode,
    },
    { signal, client: parts.context.client },
  );
  if (answer.kind === "unreachable") return answer;
  const tokens = grantedLogin(answer.body, { extra: {} }, { nowMs: parts.context.clock.now() });
  if (answer.status === 200 && tokens !== undefined) return { kind: "granted", value: tokens };
  const error = errorCodeIn(answer.body);
  // The portal asks for one second more each time, not for five.
  if (error === "slow_down") return { kind: "slow-down", addMs: 1_000 };
  return standardPoll(error) ?? unavailable("the Nous Portal", `HTTP ${answer.status}`);
}
