import { defined } from "#foundation/defined";
import { numberIn, textIn } from "#foundation/http/ask";
import { Secret } from "#foundation/secrets/secret";
import type { AuthFile } from "../auth-file.ts";
import { loginOf, withActiveProvider, withLogin } from "../auth-state.ts";
import type { LoginCodec, LoginSlot, StoredLogin } from "../login-slot.ts";
import type { LoginStatus } from "./flow.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A login out of what a record says; undefined without an access token, and without mention of what is not said. */
export function loginFrom(token: {
  readonly accessToken: string | undefined;
  readonly refreshToken: string | undefined;
  readonly expiresAtMs: number | undefined;
  readonly extra: Fields;
}): StoredLogin | undefined {
  const { accessToken, refreshToken, expiresAtMs, extra } = token;
  if (accessToken === undefined) return undefined;
  return {
    accessToken,
    ...defined({ refreshToken, expiresAtMs }),
    extra,
  };
}

/** The tokens of a login by the names OAuth has for them. */
export function tokenFields({ accessToken, refreshToken }: StoredLogin): Fields {
  return { access_token: accessToken, ...defined({ refresh_token: refreshToken }) };
}

/** The login an answer grants; what it does not renew stays as it was before. */
export function grantedLogin(
  body: Fields,
  before: Pick<StoredLogin, "refreshToken" | "extra">,
  options: { readonly nowMs: number; readonly usualLifeSeconds?: number },
): StoredLogin | undefined {
  const life = numberIn(body, "expires_in") ?? options.usualLifeSeconds;
  return loginFrom({
    accessToken: textIn(body, "access_token"),
    refreshToken: textIn(body, "refresh_token") ?? before.refreshToken,
    expiresAtMs: life === undefined ? undefined : options.nowMs + life * 1000,
    extra: before.extra,
  });
}

/** Whether somebody is logged in, as the place that holds the login tells without any network. */
export async function statusOf(slot: LoginSlot, source: string, signal: AbortSignal): Promise<LoginStatus> {
  const login = await slot.read(signal);
  if (login === undefined) return { kind: "logged-out" };
  const expiry = defined({ expiresAtMs: login.expiresAtMs });
  return { kind: "logged-in", source, secret: new Secret(login.accessToken), ...expiry };
}

/** Where logins of the store are kept and forgotten; the one that was made last is the provider in use. */
export interface StoreLocation {
  readonly authFile: AuthFile;
  readonly provider: string;
}

export async function rememberLogin(
  { authFile, provider }: StoreLocation,
  { login, codec }: { readonly login: StoredLogin; readonly codec: LoginCodec },
  signal: AbortSignal,
): Promise<void> {
  await authFile.update((state) => {
    const record = codec.format(login, loginOf(state, provider) ?? {});
    return withActiveProvider(withLogin(state, provider, record), provider);
  }, signal);
}

export async function forgetLogin({ authFile, provider }: StoreLocation, signal: AbortSignal): Promise<void> {
  await authFile.update((state) => withLogin(state, provider, undefined), signal);
}
