import { HermesError, UserError } from "#foundation/errors";
import type { Secret } from "#foundation/secrets/secret";
import type { AuthScheme, CredentialHandle, SignInput } from "../credential-handle.ts";
import { hostOf, isInScope } from "../providers/hosts.ts";
import { maskKey } from "./mask.ts";

/** A credential was asked to go to a host it does not belong to. Never dropped silently, never sent. */
export class KeyScopeError extends HermesError {
  override readonly name: string = "KeyScopeError";
  readonly host: string;
  readonly allowedHosts: readonly string[];

  constructor(host: string, handle: Pick<CredentialHandle, "source" | "allowedHosts">) {
    const allowed = handle.allowedHosts.length === 0 ? "no host" : handle.allowedHosts.join(", ");
    super(`The credential from ${handle.source} may not be sent to ${host}; it belongs to ${allowed}.`, {
      code: "key_scope_violation",
      data: { host, allowedHosts: handle.allowedHosts, source: handle.source },
    });
    this.host = host;
    this.allowedHosts = handle.allowedHosts;
  }
}

/** There is a login, but no token can be had from it; the hint says how to get one. */
export class CredentialUnavailableError extends UserError {
  override readonly name: string = "CredentialUnavailableError";
}

/** A token ready to be sent, and what else the endpoint wants to know about it. */
export interface AccessToken {
  readonly secret: Secret;
  readonly expiresAtMs?: number;
  /** Sent with the token and nowhere else, such as the account it belongs to. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Gives a token that is good now, renewing it where that is possible. */
export interface TokenSource {
  /** Looks at the expiry before every call. Rejects with {@link CredentialUnavailableError}. */
  current(signal: AbortSignal): Promise<AccessToken>;
  /** Renews even if the token looks good. False: it cannot be renewed. */
  renew(signal: AbortSignal): Promise<boolean>;
  /** The tokens held now, for redaction. */
  readonly secrets: readonly Secret[];
  /** A token is got at the first request; asking for it earlier tells nothing. */
  readonly isLazy?: boolean;
}

interface HandleFacts {
  readonly id: string;
  readonly source: string;
  readonly scheme: AuthScheme;
  readonly allowedHosts: readonly string[];
  /** Last word on the headers of a request, after the token was put in. */
  readonly shape?: (headers: Readonly<Record<string, string>>, input: SignInput) => Readonly<Record<string, string>>;
}

/** A key that stays as it is. */
export function keyCredential(facts: HandleFacts & { readonly secret: Secret }): CredentialHandle {
  const { secret } = facts;
  const token: AccessToken = { secret };
  return tokenCredential({
    ...facts,
    masked: maskKey(secret),
    tokens: { current: () => Promise.resolve(token), renew: () => Promise.resolve(false), secrets: [secret] },
  });
}

/** A token that is renewed when it runs out. */
export function tokenCredential(
  facts: HandleFacts & { readonly tokens: TokenSource; readonly masked?: string },
): CredentialHandle {
  const { id, source, scheme, allowedHosts, tokens } = facts;
  return {
    id,
    source,
    allowedHosts,
    get masked() {
      const [first] = tokens.secrets;
      return facts.masked ?? (first === undefined ? "***" : maskKey(first));
    },
    get secrets() {
      return tokens.secrets;
    },
    async authorize(input, signal) {
      checkScope(input.url, { source, allowedHosts });
      const token = await tokens.current(signal);
      const headers = { ...token.headers, ...schemeHeaders(scheme, token.secret) };
      return facts.shape === undefined ? headers : facts.shape(headers, input);
    },
    refresh: (signal) => tokens.renew(signal),
  };
}

/** Throws for every host that is not allowed; callers that sign in their own way use it too. */
export function checkScope(url: URL, handle: Pick<CredentialHandle, "source" | "allowedHosts">): void {
  if (!handle.allowedHosts.some((entry) => isInScope(url, entry))) {
    throw new KeyScopeError(hostOf(url) ?? "(unreadable address)", handle);
  }
}

function schemeHeaders(scheme: AuthScheme, secret: Secret): Readonly<Record<string, string>> {
  switch (scheme.kind) {
    case "bearer":
      return { Authorization: `Bearer ${secret.reveal()}` };
    case "header":
      return { [scheme.name]: `${scheme.prefix ?? ""}${secret.reveal()}` };
    case "none":
      return {};
    case "aws-sigv4":
      throw new Error("a signed request needs the AWS credential, not a token");
  }
}

/** For endpoints that ask for nothing: sends no header at all, so it may go anywhere. */
export const noCredential: CredentialHandle = {
  id: "none",
  source: "none",
  masked: "***",
  allowedHosts: [],
  authorize: () => Promise.resolve({}),
  refresh: () => Promise.resolve(false),
  secrets: [],
};
