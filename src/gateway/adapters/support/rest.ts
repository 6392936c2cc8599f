import type { Fetch } from "#foundation/http/fetch";
import { isRecord, parseJson } from "#foundation/text/json";
import type { Fields } from "./fields.ts";
import { classOfStatus, type Refusal, ServiceError } from "./service-error.ts";

export interface RestRequest {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | undefined;
  /** A form goes as it is, everything else as JSON. */
  readonly body?: FormData | URLSearchParams | Fields | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal: AbortSignal;
}

/** One call. A list that is answered stands under `items`. Rejects with `ServiceError` when the service answered no. */
export type Rest = (path: string, request: RestRequest) => Promise<Fields>;

/** What could be read of a no; the rest goes by the status. */
export type RefusalRead = { readonly [K in keyof Refusal]?: Refusal[K] | undefined };

export interface RestOptions {
  readonly label: string;
  readonly root: string;
  readonly fetch: Fetch;
  headers?(): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  /** Reads the service's own way of saying no; absent goes by the status alone. */
  refusal?(body: Fields, status: number): RefusalRead | undefined;
}

export function restOver({ label, root, fetch: send, headers, refusal }: RestOptions): Rest {
  return async (path, { method, body, headers: more, signal }) => {
    const isForm = body instanceof FormData || body instanceof URLSearchParams;
    const answer = await send(`${root}${path}`, {
      method: method ?? (body === undefined ? "GET" : "POST"),
      body: isForm || body === undefined ? (body ?? null) : JSON.stringify(body),
      headers: {
        ...(isForm || body === undefined ? {} : { "content-type": "application/json" }),
        ...(await headers?.()),
        ...more,
      },
      signal,
    });
    const parsed = parseJson(await answer.text());
    const value = parsed.ok ? parsed.value : undefined;
    const fields: Fields = isRecord(value) ? value : { items: value };
    const answered = refusal?.(fields, answer.status);
    if (answer.ok && answered === undefined) return fields;
    const errorClass = answered?.errorClass ?? classOfStatus(answer.status);
    const waitMs = answered?.retryAfterMs ?? Number(answer.headers.get("retry-after") ?? 1) * 1000;
    throw new ServiceError({
      errorClass,
      message: `${label} answered ${answered?.message ?? `status ${answer.status}`}`,
      code: answered?.code ?? String(answer.status),
      retryAfterMs: errorClass === "rate-limited" ? waitMs : undefined,
    });
  };
}
