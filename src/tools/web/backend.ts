/** One result of a web search. */
export interface SearchHit {
  readonly title: string;
  readonly url: string;
  readonly description: string;
}

type SearchAnswer =
  | { readonly kind: "hits"; readonly hits: readonly SearchHit[] }
  | { readonly kind: "failed"; readonly reason: string };

/** What became of one address. `finalUrl` is where the page was after redirects, when the backend says so. */
export type PageAnswer =
  | {
      readonly kind: "page";
      readonly url: string;
      readonly finalUrl?: string;
      readonly title: string;
      readonly markdown: string;
    }
  | { readonly kind: "failed"; readonly url: string; readonly reason: string; readonly isPolicy?: boolean };

/** Why an address, reached from the one that was asked for, may not be visited; undefined when it may. */
export type JudgeAddress = (address: string, from: string) => Promise<string | undefined>;

/** A service that finds or reads web pages. Answers in the order of the addresses. */
export interface WebBackend {
  readonly name: string;
  search?(query: string, limit: number, signal: AbortSignal): Promise<SearchAnswer>;
  /** `judge` is asked before each hop by whoever makes the hops himself. */
  extract?(urls: readonly string[], signal: AbortSignal, judge?: JudgeAddress): Promise<readonly PageAnswer[]>;
}

/** Puts one failure in the place of every page. */
export function allFailed(urls: readonly string[], reason: string): readonly PageAnswer[] {
  return urls.map((url) => ({ kind: "failed", url, reason }));
}

/** The answers of a batch call in the order asked; an address nobody answered for has failed. */
export function inOrder(urls: readonly string[], answers: readonly PageAnswer[]): readonly PageAnswer[] {
  const left = [...answers];
  return urls.map((url) => {
    const at = left.findIndex((answer) => sameUrl(answer.url, url));
    if (at >= 0) return { ...(left.splice(at, 1)[0] as PageAnswer), url };
    return { kind: "failed", url, reason: "the service returned nothing for this address" };
  });
}

function sameUrl(left: string, right: string): boolean {
  return left === right || left.replace(/\/$/, "") === right.replace(/\/$/, "");
}
