import { keepToken } from "./token.tsx";

/** The page cannot come in again by itself; the message is for the person. */
export class LockedError extends Error {}

interface Ticket {
  readonly id: string;
  readonly key: CryptoKey;
}

const hourMs = 3_600_000;

/**
 * The right of this page to speak to the server. The token is of one start; for the next one the page has a ticket, whose secret stays in
 * its memory: not even its own scripts can read it again, and no storage holds it. With it the page and the server of the next start prove
 * to each other that they know it, the server first, since something else may have taken the port.
 */
export class Access {
  #token: string;
  #ticket: Ticket | undefined;
  #returning: Promise<void> | undefined;

  constructor(token: string) {
    this.#token = token;
    void this.#renewTicket();
    setInterval(() => void this.#renewTicket(), 12 * hourMs);
  }

  get token(): string {
    return this.#token;
  }

  /** Makes sure that the server knows the token, by returning to it where it was started anew. Fails where nobody answers. */
  async ensure(): Promise<void> {
    const response = await this.#post("ticket", {});
    if (response.status === 401) await this.comeBack();
    else await this.#takeTicket(response);
  }

  /** To a server that does not know the token any more. */
  comeBack(): Promise<void> {
    this.#returning ??= this.#comeBack().finally(() => {
      this.#returning = undefined;
    });
    return this.#returning;
  }

  async #comeBack(): Promise<void> {
    const ticket = this.#ticket;
    if (ticket === undefined) throw new LockedError(lockedText);
    const { id, key } = ticket;
    const { origin } = window.location;
    const nonce = base64url(crypto.getRandomValues(new Uint8Array(24)));
    const hello = await this.#post("hello", { id, nonce });
    if (!hello.ok) throw new LockedError(lockedText);
    const { start, proof } = (await hello.json()) as { readonly start: string; readonly proof: string };
    const isProven = await crypto.subtle.verify("HMAC", key, bytesOf(proof), textBytes(`server\n${origin}\n${nonce}`));
    if (!isProven) throw new Error("A different Hermes is answering at this address. Trying again…");
    const own = await crypto.subtle.sign("HMAC", key, textBytes(`page\n${origin}\n${start}`));
    const answer = await this.#post("proof", { id, proof: base64url(new Uint8Array(own)) });
    if (!answer.ok) throw new LockedError(lockedText);
    this.#token = ((await answer.json()) as { readonly token: string }).token;
    keepToken(this.#token);
    await this.#renewTicket();
  }

  async #renewTicket(): Promise<void> {
    // Without one the page lives as long as this start of the server; the next call that needs it says so.
    await this.#post("ticket", {}).then(
      (response) => this.#takeTicket(response),
      () => undefined,
    );
  }

  async #takeTicket(response: Response): Promise<void> {
    if (!response.ok) return;
    const { id, secret } = (await response.json()) as { readonly id: string; readonly secret: string };
    const algorithm = { name: "HMAC", hash: "SHA-256" };
    const key = await crypto.subtle.importKey("raw", bytesOf(secret), algorithm, false, ["sign", "verify"]);
    this.#ticket = { id, key };
  }

  #post(what: "ticket" | "hello" | "proof", body: Readonly<Record<string, string>>): Promise<Response> {
    const bearer: Record<string, string> = what === "ticket" ? { authorization: `Bearer ${this.#token}` } : {};
    const headers = { ...bearer, "content-type": "application/json" };
    return fetch(`api/return/${what}`, { method: "POST", headers, body: JSON.stringify(body) });
  }
}

const lockedText = 'The dashboard was restarted. Open the address that "hermes dashboard" printed.';

const textBytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
const bytesOf = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
