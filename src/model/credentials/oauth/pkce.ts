import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** The two halves of RFC 7636 and the value that ties an answer to its question. */
export interface Pkce {
  readonly verifier: string;
  readonly challenge: string;
  readonly state: string;
}

export function newPkce(): Pkce {
  const verifier = randomBytes(32).toString("base64url");
  return { verifier, challenge: challengeOf(verifier), state: randomBytes(24).toString("base64url") };
}

export function challengeOf(verifier: string): string {
  return createHash("sha256").update(verifier).digest("base64url");
}

function isSameState(input: string, expected: string): boolean {
  const [one, other] = [Buffer.from(input), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

export type CallbackAnswer =
  | { readonly kind: "code"; readonly code: string }
  | { readonly kind: "refused"; readonly message: string };

/**
 * Reads where the browser ended: the whole address, `code#state`, or the bare code where a service shows
 * only that. An answer with a foreign state is not ours and is refused.
 */
export function readCallback(text: string, state: string): CallbackAnswer {
  const input = text.trim();
  const params = URL.canParse(input) ? new URL(input).searchParams : fromCodeText(input);
  const error = params.get("error");
  if (error !== null) return { kind: "refused", message: `the service answered ${error.slice(0, 100)}` };
  const answered = params.get("state");
  if (answered !== null && !isSameState(answered, state)) {
    return { kind: "refused", message: "the answer belongs to another login" };
  }
  const code = params.get("code");
  return code === null || code === "" ? { kind: "refused", message: "there is no code in it" } : { kind: "code", code };
}

function fromCodeText(text: string): URLSearchParams {
  if (text.includes("code=")) return new URLSearchParams(text.replace(/^[?#]/, ""));
  const [code = "", state] = text.split("#");
  return new URLSearchParams(state === undefined ? { code } : { code, state });
}
