import type { IncomingMessage } from "node:http";
import type { LookupFunction } from "node:net";
import type { Readable } from "node:stream";
import { describe } from "#foundation/errors";
import { deadline, linkSignals } from "#foundation/lifecycle/abort";
import { checkUrl, type UrlRules } from "./urls.ts";

interface SafeFetchOptions {
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  readonly maxRedirects?: number;
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
 * address that was judged, so that a name cannot point elsewhere between the check and the use.
 */
export function createSafeFetch(rules: UrlRules): SafeFetch {
  return async (given, options) => {
    using limit = deadline(options.timeoutMs);
    const signal = linkSignals(options.signal, limit.signal);
    let next = given;
    for (let hop = 0; hop <= (options.maxRedirects ?? defaultRedirects); hop += 1) {
      const verdict = await checkUrl(next, rules, signal);
      if (verdict.kind === "refused") return { ...verdict, url: next };
      let answer: Answer;
      try {
        answer = await get(verdict.url, { addresses: verdict.addresses, options, signal });
      } catch (error) {
        if (options.signal.aborted) throw error;
        return {
          kind: "failed",
          url: next,
          reason: limit.signal.aborted ? `no answer within ${options.timeoutMs / 1000} s` : describe(error),
        };
      }
      if (answer.kind === "page") return { ...answer, url: verdict.url.href };
      next = new URL(answer.location, verdict.url).href;
    }
    return { kind: "failed", url: given, reason: "too many redirects" };
  };
}

type Answer =
  | { readonly kind: "redirect"; readonly location: string }
  | { readonly kind: "page"; readonly status: number; readonly contentType: string; readonly body: Uint8Array };

interface Hop {
  readonly addresses: readonly string[];
  readonly options: SafeFetchOptions;
  readonly signal: AbortSignal;
}

async function get(url: URL, { addresses, options, signal }: Hop): Promise<Answer> {
  const { request: send } = url.protocol === "https:" ? await import("node:https") : await import("node:http");
  return await new Promise((resolve, reject) => {
    const request = send(
      url,
      {
        lookup: pinned(addresses),
        signal,
        headers: { "accept-encoding": "gzip, deflate, br", ...options.headers },
        agent: false,
      },
      (response) => {
        const status = response.statusCode ?? 0;
        const { location } = response.headers;
        if (status >= 300 && status < 400 && location !== undefined) {
          response.destroy();
          resolve({ kind: "redirect", location });
          return;
        }
        readBody(response, options.maxBytes).then(
          (body) => resolve({ kind: "page", status, contentType: response.headers["content-type"] ?? "", body }),
          reject,
        );
      },
    );
    request.on("error", reject);
    request.end();
  });
}

/** Answers every question about a name with the addresses that were judged. */
function pinned(addresses: readonly string[]): LookupFunction {
  const entries = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  return (_host, options, callback) => {
    const [first] = entries;
    if (options.all === true) callback(null, entries);
    else callback(null, first?.address ?? "", first?.family ?? 4);
  };
}

/** Bounded after unpacking, so that a small answer cannot become a huge one. */
async function readBody(response: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of await unpacked(response)) {
    size += (chunk as Buffer).length;
    if (size > maxBytes) {
      response.destroy();
      throw new Error(`the answer has more than ${maxBytes} bytes`);
    }
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

async function unpacked(response: IncomingMessage): Promise<Readable> {
  const encoding = response.headers["content-encoding"];
  if (encoding !== "gzip" && encoding !== "deflate" && encoding !== "br") return response;
  const { createBrotliDecompress, createGunzip, createInflate } = await import("node:zlib");
  const unpack = { gzip: createGunzip, deflate: createInflate, br: createBrotliDecompress }[encoding];
  return response.pipe(unpack());
}
