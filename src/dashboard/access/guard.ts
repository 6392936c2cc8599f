import { createHash, timingSafeEqual } from "node:crypto";
import { hostname } from "node:os";

export interface GuardOptions {
  readonly token: string;
  readonly port: number;
  readonly publicUrl?: URL | undefined;
  readonly isTls?: boolean | undefined;
  /** The address of this machine that other machines reach it at; undefined on loopback. */
  readonly outside?: string | undefined;
}

/** What a request says about where it comes from. */
export interface Caller {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly fetchSite?: string | undefined;
  readonly token?: string | undefined;
}

export type Verdict =
  | { readonly kind: "allowed" }
  | { readonly kind: "refused"; readonly status: 401 | 403; readonly reason: string };

/**
 * Who may speak to the dashboard.
 *
 * 1. Only under names of this machine, or the stated one of a reverse proxy: a name that somebody else points here (DNS rebinding) is refused.
 * 2. A page of another origin is refused, whatever it brings.
 * 3. Everything but the page's own files needs the token of this start, which only the address that was printed carries. A page that
 *    had one of an earlier start gets it by proof (`returns.ts`).
 */
export class Guard {
  readonly #hosts: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;
  readonly #outside: RegExp | undefined;
  readonly #scheme: "http" | "https";
  readonly #digest: Buffer;

  constructor({ token, port, publicUrl, isTls = false, outside }: GuardOptions) {
    const names = ["127.0.0.1", "localhost", "[::1]", ...(outside === undefined ? [] : [outside, hostname()])];
    const hosts = names.map((name) => `${name.toLowerCase()}:${port}`);
    this.#hosts = new Set(publicUrl === undefined ? hosts : [...hosts, publicUrl.host]);
    this.#scheme = isTls ? "https" : "http";
    const origins = hosts.map((host) => `${this.#scheme}://${host}`);
    // Nobody can point an address somewhere else, only a name.
    this.#outside =
      outside === undefined ? undefined : new RegExp(`^(?:\\d{1,3}(?:\\.\\d{1,3}){3}|\\[[0-9a-f:.]+\\]):${port}$`);
    this.#origins = new Set(publicUrl === undefined ? origins : [...origins, publicUrl.origin]);
    this.#digest = digest(token);
  }

  /** The files of the page: nothing in them is secret. */
  judgePage({ host }: Pick<Caller, "host">): Verdict {
    return this.#isServed(host?.toLowerCase() ?? "") ? allowed : refused(403, "This host name is not served.");
  }

  judgeCall(caller: Caller): Verdict {
    const source = this.#judgeSource(caller);
    if (source.kind === "refused") return source;
    const { token } = caller;
    const isKnown = token !== undefined && timingSafeEqual(digest(token), this.#digest);
    return isKnown ? allowed : refused(401, "Open the address that hermes dashboard printed.");
  }

  /** A page that had the token of an earlier start and is about to prove it; the proof holds the origin, so it has to be there. */
  judgeReturn(caller: Caller): Verdict {
    return caller.origin === undefined ? refused(403, "This origin is not allowed.") : this.#judgeSource(caller);
  }

  /** Browsers ask nobody before they open a WebSocket to another origin, so here the origin has to be there. */
  judgeSocket(caller: Caller): Verdict {
    return caller.origin === undefined ? refused(403, "This origin is not allowed.") : this.judgeCall(caller);
  }

  #judgeSource(caller: Caller): Verdict {
    const page = this.judgePage(caller);
    if (page.kind === "refused") return page;
    const { origin, fetchSite } = caller;
    if (origin !== undefined && !this.#isOwn(origin)) return refused(403, "This origin is not allowed.");
    if (fetchSite !== undefined && fetchSite !== "same-origin" && fetchSite !== "none")
      return refused(403, "Other pages may not call the dashboard.");
    return allowed;
  }

  #isServed(host: string): boolean {
    return this.#hosts.has(host) || this.#outside?.test(host) === true;
  }

  #isOwn(origin: string): boolean {
    const [scheme, host = ""] = origin.split("://");
    return this.#origins.has(origin) || (scheme === this.#scheme && this.#outside?.test(host) === true);
  }
}

const allowed: Verdict = { kind: "allowed" };
const refused = (status: 401 | 403, reason: string): Verdict => ({ kind: "refused", status, reason });
const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
