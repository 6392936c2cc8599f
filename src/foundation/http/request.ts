import { deadline, onAbort } from "../lifecycle/abort.ts";
import type { HttpAnswer } from "./answer.ts";
import { BodyReader, HttpBodyError } from "./body.ts";
import { HttpClient } from "./client.ts";
import { describeUrl, type HttpFailure, toHttpFailure } from "./failure.ts";
import type { ProxySettings } from "./proxy.ts";

export { HttpBodyError } from "./body.ts";
export type { HttpFailure } from "./failure.ts";
export { findProxyProblems, proxyFromEnv } from "./proxy.ts";

export interface HttpRequestOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | URLSearchParams | FormData;
  readonly signal: AbortSignal;
  /** The longest silence: until the headers come, and then between two pieces of the body. */
  readonly timeoutMs: number;
  /** The longest the whole exchange may take, from the request to the last byte that is read. */
  readonly totalTimeoutMs?: number;
  readonly maxBodyBytes: number;
  /** Redirects are never followed, since credentials would go along. `error` makes one a failure. */
  readonly redirect?: "manual" | "error";
  /** Which proxy to use; the environment decides when left out, `false` means none. */
  readonly proxy?: ProxySettings | false | undefined;
  /** The caller's client, with its connections, certificates and proxy; one of its own when left out. */
  readonly client?: HttpClient | undefined;
  /** The only addresses the connection may go to, whatever the name of the host says. */
  readonly addresses?: readonly string[] | undefined;
}

interface HttpResponse extends AsyncDisposable {
  readonly kind: "response";
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes as they come. Reading throws an {@link HttpBodyError} when they stop coming or become too many. */
  readonly body: AsyncIterable<Uint8Array>;
  text(): Promise<HttpText>;
  /** Gives the connection back without reading the rest. */
  discard(): Promise<void>;
}

type HttpText =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "failure"; readonly failure: HttpFailure };

export type HttpResult = HttpResponse | { readonly kind: "failure"; readonly failure: HttpFailure };

/**
 * One HTTP exchange, without retries and without following redirects. Everything that can go wrong on
 * the way is a returned failure; only bugs throw. Read the body, or dispose the response.
 */
export async function httpRequest(url: string | URL, options: HttpRequestOptions): Promise<HttpResult> {
  const target = parseUrl(url);
  if (target === undefined)
    return failed({ kind: "invalid-url", message: `not an http or https address: ${describeUrl(url)}` });
  const request = await encode(options);
  const wrong = Object.entries(request.headers).find(([name, value]) => !isHeader(name, value))?.[0];
  // The platform's own complaint repeats the value, which is often a key; this one names only the header.
  if (wrong !== undefined)
    return failed({
      kind: "invalid-request",
      message: `the header ${JSON.stringify(wrong)} has a character that HTTP does not allow`,
      code: "invalid_header",
    });
  if (options.signal.aborted) return failed({ kind: "aborted", message: "cancelled", cause: options.signal.reason });

  const exchange = new Exchange(options);
  try {
    const answer = await exchange.client.send({
      method: options.method ?? "GET",
      url: target,
      ...request,
      signals: [exchange.signal],
      addresses: options.addresses,
    });
    const isRedirect = answer.status >= 300 && answer.status < 400 && answer.headers["location"] !== undefined;
    if (options.redirect === "error" && isRedirect) {
      answer.destroy();
      await exchange.close();
      return failed({
        kind: "connection",
        code: "unexpected_redirect",
        message: `${describeUrl(target)} answered with a redirect`,
      });
    }
    exchange.idle.restart();
    return toResponse(answer, exchange, { target, maxBodyBytes: options.maxBodyBytes });
  } catch (error) {
    await exchange.close();
    return failed(exchange.explain(error, target));
  }
}

function failed(failure: HttpFailure): HttpResult {
  return { kind: "failure", failure };
}

function parseUrl(url: string | URL): URL | undefined {
  try {
    const parsed = new URL(url);
    const isHttp = parsed.protocol === "http:" || parsed.protocol === "https:";
    return isHttp && parsed.username === "" && parsed.password === "" ? parsed : undefined;
  } catch {
    return undefined;
  }
}

interface Encoded {
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

async function encode({ headers = {}, body }: HttpRequestOptions): Promise<Encoded> {
  const all = { "accept-encoding": "gzip, deflate, br", ...lowerCased(headers) };
  if (body === undefined) return { headers: all };
  if (typeof body === "string" || body instanceof Uint8Array) return { headers: all, body };
  if (body instanceof URLSearchParams)
    return {
      headers: { "content-type": "application/x-www-form-urlencoded;charset=UTF-8", ...all },
      body: String(body),
    };
  const encoded = new Response(body);
  const type = encoded.headers.get("content-type") ?? "application/octet-stream";
  return { headers: { "content-type": type, ...all }, body: new Uint8Array(await encoded.arrayBuffer()) };
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function isHeader(name: string, value: string): boolean {
  return /^[!#$%&'*+.^_`|~\w-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}

/** What lives from the request to the last byte: the timers, the link to the caller's signal, a client of its own. */
class Exchange {
  readonly idle;
  readonly #total;
  readonly #controller = new AbortController();
  readonly #links: Disposable[];
  readonly #outer: AbortSignal;
  readonly #own: HttpClient | undefined;
  readonly client: HttpClient;

  constructor(options: HttpRequestOptions) {
    this.idle = deadline(options.timeoutMs);
    this.#total = options.totalTimeoutMs === undefined ? undefined : deadline(options.totalTimeoutMs);
    this.#outer = options.signal;
    this.client = options.client ?? new HttpClient({ proxy: options.proxy });
    this.#own = options.client === undefined ? this.client : undefined;
    const stop = (reason: unknown): void => this.#controller.abort(reason);
    this.#links = [options.signal, this.idle.signal, this.#total?.signal]
      .filter((signal) => signal !== undefined)
      .map((signal) => onAbort(signal, stop));
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** What an error means here. The caller's word counts before a timer that ran out meanwhile. */
  explain(error: unknown, target: URL): HttpFailure {
    if (this.#outer.aborted) return toHttpFailure(error, target, "aborted");
    const hasTimedOut = this.idle.signal.aborted || this.#total?.signal.aborted === true;
    return toHttpFailure(error, target, hasTimedOut ? "timeout" : undefined);
  }

  async close(): Promise<void> {
    this.idle[Symbol.dispose]();
    this.#total?.[Symbol.dispose]();
    for (const link of this.#links) link[Symbol.dispose]();
    await this.#own?.[Symbol.asyncDispose]();
  }
}

function toResponse(
  answer: HttpAnswer,
  exchange: Exchange,
  options: { readonly target: URL; readonly maxBodyBytes: number },
): HttpResponse {
  const body = new BodyReader(answer, {
    maxBytes: options.maxBodyBytes,
    onChunk: () => exchange.idle.restart(),
    onEnd: () => exchange.close(),
    toFailure: (error) => exchange.explain(error, options.target),
  });
  return {
    kind: "response",
    status: answer.status,
    headers: answer.headers,
    body,
    async text() {
      try {
        return { kind: "text", text: await body.text() };
      } catch (error) {
        if (error instanceof HttpBodyError) return { kind: "failure", failure: error.failure };
        throw error;
      }
    },
    discard: () => body.discard(),
    [Symbol.asyncDispose]: () => body.discard(),
  };
}
