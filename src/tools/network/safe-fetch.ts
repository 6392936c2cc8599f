import { type ProxySettings, proxyFor, proxyFromEnv } from "#foundation/http/proxy";
import { HttpBodyError, httpRequest } from "#foundation/http/request";
import { deadline, linkSignals } from "#foundation/lifecycle/abort";
import { checkUrl, type UrlRules } from "./urls.ts";

interface SafeFetchOptions {
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  readonly maxRedirects?: number;
  /** Asked before every hop: why it may not be made, or undefined. */
  readonly judge?: ((address: string) => Promise<string | undefined>) | undefined;
}

export type SafeFetched =
  | {
      readonly kind: "page";
      readonly url: string;
      readonly status: number;
      readonly contentType: string;
      readonly body: Uint8Array;
    }
  | { readonly kind: "refused"; readonly reason: string; readonly isPolicy: boolean; readonly url: string }
  | { readonly kind: "failed"; readonly reason: string; readonly url: string };

export type SafeFetch = (url: string, options: SafeFetchOptions) => Promise<SafeFetched>;

const defaultRedirects = 10;

/**
 * Fetches from the public web only. Every hop is judged anew, and the connection goes to the very
 * address that was judged, so that a name cannot point elsewhere between the check and the use. Behind a
 * proxy it is the proxy that looks names up and connects; what this machine can look up is judged all the same.
 */
export function createSafeFetch(
  rules: UrlRules,
  proxy: ProxySettings | false = proxyFromEnv(process.env) ?? false,
): SafeFetch {
  const isProxied = (url: URL): boolean => proxy !== false && proxyFor(url, proxy) !== undefined;
  return async (input, options) => {
    using limit = deadline(options.timeoutMs);
    const signal = linkSignals(options.signal, limit.signal);
    let next = input;
    for (let hop = 0; hop <= (options.maxRedirects ?? defaultRedirects); hop += 1) {
      // Before the name is looked up, which already tells its owner something.
      const held = await options.judge?.(next);
      if (held !== undefined) return { kind: "refused", reason: held, isPolicy: true, url: next };
      const verdict = await checkUrl(next, { ...rules, isResolvedElsewhere: isProxied }, signal);
      if (verdict.kind === "refused") return { ...verdict, url: next };
      const addresses = isProxied(verdict.url) ? undefined : verdict.addresses;
      const answer = await get(verdict.url, { addresses, options, signal, proxy });
      options.signal.throwIfAborted();
      if (answer.kind === "failure") {
        const reason = limit.signal.aborted ? `no answer within ${options.timeoutMs / 1000} s` : answer.reason;
        return { kind: "failed", url: next, reason };
      }
      if (answer.kind === "page") return { ...answer, url: verdict.url.href };
      next = new URL(answer.location, verdict.url).href;
    }
    return { kind: "failed", url: input, reason: "too many redirects" };
  };
}

type Answer =
  | { readonly kind: "redirect"; readonly location: string }
  | { readonly kind: "page"; readonly status: number; readonly contentType: string; readonly body: Uint8Array }
  | { readonly kind: "failure"; readonly reason: string };

interface Hop {
  readonly addresses: readonly string[] | undefined;
  readonly options: SafeFetchOptions;
  readonly signal: AbortSignal;
  readonly proxy: ProxySettings | false;
}

/** The answer is bounded after unpacking, so that a small one cannot become a huge one. */
async function get(url: URL, { addresses, options, signal, proxy }: Hop): Promise<Answer> {
  const { maxBytes, timeoutMs, headers } = options;
  const response = await httpRequest(url, {
    headers: headers ?? {},
    signal,
    timeoutMs,
    maxBodyBytes: maxBytes,
    proxy,
    addresses,
  });
  if (response.kind === "failure") return { kind: "failure", reason: response.failure.message };
  const { status } = response;
  const location = response.headers["location"];
  if (status >= 300 && status < 400 && location !== undefined) {
    await response.discard();
    return { kind: "redirect", location };
  }
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of response.body) chunks.push(chunk);
  } catch (error) {
    if (!(error instanceof HttpBodyError)) throw error;
    return { kind: "failure", reason: error.failure.message };
  }
  return { kind: "page", status, contentType: response.headers["content-type"] ?? "", body: Buffer.concat(chunks) };
}
