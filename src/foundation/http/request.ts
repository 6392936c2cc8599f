import { deadline, onAbort } from "../lifecycle/abort.ts";
import { BodyReader, HttpBodyError } from "./body.ts";
import { openConnection } from "./connection.ts";
import { describeUrl, type HttpFailure, toHttpFailure } from "./failure.ts";
import type { ProxySettings } from "./proxy.ts";

export { HttpBodyError } from "./body.ts";
export type { HttpFailure } from "./failure.ts";
export { findProxyProblems, proxyFromEnv } from "./proxy.ts";

export interface HttpRequestOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>> | Headers;
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
  readonly proxy?: ProxySettings | false;
  /** A connection pool of the caller (an undici dispatcher); overrides `proxy`. */
  readonly dispatcher?: object;
}

interface HttpResponse extends AsyncDisposable {
  readonly kind: "response";
  readonly status: number;
  readonly headers: Headers;
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
  const headers = buildHeaders(options.headers);
  if (typeof headers === "string") return failed({ kind: "invalid-request", message: headers, code: "invalid_header" });
  if (options.signal.aborted) return failed({ kind: "aborted", message: "cancelled", cause: options.signal.reason });

  const exchange = new Exchange(options);
  try {
    const connection = await openConnection(target, { ...options, onBroken: (error) => exchange.fail(error) });
    exchange.own(connection);
    const response = await connection.send(target, {
      method: options.method ?? "GET",
      headers,
      ...(options.body === undefined ? {} : { body: options.body }),
      redirect: "manual",
      signal: exchange.signal,
    });
    if (
      options.redirect === "error" &&
      response.status >= 300 &&
      response.status < 400 &&
      response.headers.has("location")
    ) {
      await response.body?.cancel();
      await exchange.close();
      return failed({
        kind: "connection",
        code: "unexpected_redirect",
        message: `${describeUrl(target)} answered with a redirect`,
      });
    }
    exchange.idle.restart();
    return toResponse(response, exchange, { target, maxBodyBytes: options.maxBodyBytes });
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

/** The platform's own complaint repeats the value, which is often a key; this one names only the header. */
function buildHeaders(input: HttpRequestOptions["headers"]): Headers | string {
  const headers = new Headers();
  const entries = input === undefined ? [] : input instanceof Headers ? [...input.entries()] : Object.entries(input);
  for (const [name, value] of entries) {
    try {
      headers.set(name, value);
    } catch {
      return `the header ${JSON.stringify(name)} has a character that HTTP does not allow`;
    }
  }
  return headers;
}

/** What lives from the request to the last byte: the timers, the link to the caller's signal, an own connection. */
class Exchange {
  readonly idle;
  readonly #total;
  readonly #controller = new AbortController();
  readonly #links: Disposable[];
  readonly #outer: AbortSignal;
  #connection: AsyncDisposable | undefined;
  #broken: Error | undefined;

  constructor(options: HttpRequestOptions) {
    this.idle = deadline(options.timeoutMs);
    this.#total = options.totalTimeoutMs === undefined ? undefined : deadline(options.totalTimeoutMs);
    this.#outer = options.signal;
    const stop = (reason: unknown): void => this.#controller.abort(reason);
    this.#links = [options.signal, this.idle.signal, this.#total?.signal]
      .filter((signal) => signal !== undefined)
      .map((signal) => onAbort(signal, stop));
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Ends the exchange because its connection is broken. */
  fail(error: Error): void {
    this.#broken ??= error;
    this.#controller.abort(error);
  }

  /** What an error means here. The caller's word counts before a timer that ran out meanwhile. */
  explain(error: unknown, target: URL): HttpFailure {
    if (this.#outer.aborted) return toHttpFailure(error, target, "aborted");
    const hasTimedOut = this.idle.signal.aborted || this.#total?.signal.aborted === true;
    return toHttpFailure(this.#broken ?? error, target, hasTimedOut ? "timeout" : undefined);
  }

  own(connection: AsyncDisposable): void {
    this.#connection = connection;
  }

  async close(): Promise<void> {
    this.idle[Symbol.dispose]();
    this.#total?.[Symbol.dispose]();
    for (const link of this.#links) link[Symbol.dispose]();
    const connection = this.#connection;
    this.#connection = undefined;
    await connection?.[Symbol.asyncDispose]();
  }
}

function toResponse(
  response: Response,
  exchange: Exchange,
  options: { readonly target: URL; readonly maxBodyBytes: number },
): HttpResponse {
  const body = new BodyReader(response.body, {
    maxBytes: options.maxBodyBytes,
    onChunk: () => exchange.idle.restart(),
    onEnd: () => exchange.close(),
    toFailure: (error) => exchange.explain(error, options.target),
  });
  return {
    kind: "response",
    status: response.status,
    headers: response.headers,
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
