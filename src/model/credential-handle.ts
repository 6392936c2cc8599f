import type { Secret } from "#foundation/secrets/secret";

/** How a secret is put on a request. */
export type AuthScheme =
  | { readonly kind: "bearer" }
  | { readonly kind: "header"; readonly name: string; readonly prefix?: string }
  | { readonly kind: "aws-sigv4"; readonly region: string; readonly service: string }
  | { readonly kind: "none" };

/** The facts a request needs to be signed; `url` has been checked against the hosts of the credential. */
export interface SignInput {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * The right to use an endpoint. It knows the hosts it may go to and refuses every other one, so
 * that no caller has to remember.
 */
export interface CredentialHandle {
  /** Stable within its provider's pool; `none` for keyless endpoints. */
  readonly id: string;
  /** `env:OPENROUTER_API_KEY`, `auth.json`, `config`, … for messages to people. */
  readonly source: string;
  /** First and last four characters, or `***`. */
  readonly masked: string;
  readonly allowedHosts: readonly string[];
  /** Headers for this request. Rejects with {@link KeyScopeError} for a host that is not allowed. */
  authorize(input: SignInput, signal: AbortSignal): Promise<Readonly<Record<string, string>>>;
  /** Gets a new token where that is possible; false means this credential cannot be refreshed. */
  refresh(signal: AbortSignal): Promise<boolean>;
  /** For redaction at every sink; empty for keyless endpoints. */
  readonly secrets: readonly Secret[];
}
