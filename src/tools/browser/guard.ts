import { checkUrl, hasSecretInUrl, type UrlRules } from "../network/urls.ts";
import type { DriverKind } from "./driver.ts";
import type { BrowserOptions } from "./options.ts";

export type PageVerdict = { readonly kind: "allowed" } | { readonly kind: "refused"; readonly reason: string };

export interface PageLocation {
  readonly kind: DriverKind;
  readonly surface: string;
}

/** Says which addresses a browser may show. The same rules hold for what redirects and scripts lead to. */
export class PageGuard {
  readonly #rules: UrlRules;
  readonly #options: BrowserOptions;

  constructor(rules: UrlRules, options: BrowserOptions) {
    this.#rules = rules;
    this.#options = options;
  }

  async judge(url: string, location: PageLocation, signal: AbortSignal): Promise<PageVerdict> {
    if (url === "" || url === "about:blank" || url === "about:srcdoc") return { kind: "allowed" };
    if (hasSecretInUrl(url)) return { kind: "refused", reason: "the address contains what looks like a credential" };
    if (this.#options.allowFileUrls && /^file:/i.test(url) && location.kind !== "cloud") return { kind: "allowed" };
    // An error page of the browser itself shows nothing of anybody.
    if (url.startsWith("chrome-error:")) return { kind: "allowed" };
    const verdict = await checkUrl(url, { ...this.#rules, allowPrivate: this.mayVisitPrivate(location) }, signal);
    return verdict.kind === "allowed" ? { kind: "allowed" } : { kind: "refused", reason: verdict.reason };
  }

  /** True for an address that only this machine or network can reach. */
  async isPrivate(url: string, signal: AbortSignal): Promise<boolean> {
    const open = await checkUrl(url, { ...this.#rules, allowPrivate: true }, signal);
    if (open.kind === "refused") return false;
    return (await checkUrl(url, { ...this.#rules, allowPrivate: false }, signal)).kind === "refused";
  }

  /** A browser on this machine may look at this network, but only for the person who sits here. */
  mayVisitPrivate({ kind, surface }: PageLocation): boolean {
    if (this.#options.allowPrivateUrls || this.#rules.allowPrivate) return true;
    return kind !== "cloud" && this.#options.ownSurfaces.has(surface);
  }
}
