import { httpRequest } from "#foundation/http/request";
import type { Secret } from "#foundation/secrets/secret";
import { isRecord, parseJson } from "#foundation/text/json";

/** Names and values the composition read from the environment; tools never look there themselves. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface ServiceCall {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly json?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as a bearer token. */
  readonly token?: Secret;
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  readonly signal: AbortSignal;
}

export type ServiceAnswer =
  | { readonly kind: "ok"; readonly value: unknown; readonly status: number }
  | { readonly kind: "failed"; readonly reason: string; readonly status?: number };

const defaultTimeoutMs = 60_000;
const defaultMaxBytes = 20_000_000;
const shownError = 300;

/** One JSON exchange with a service the user chose. Redirects are failures: a key must not follow one. */
export async function callService(url: string, call: ServiceCall): Promise<ServiceAnswer> {
  const response = await httpRequest(url, {
    method: call.method ?? (call.json === undefined ? "GET" : "POST"),
    headers: {
      accept: "application/json",
      ...(call.json === undefined ? {} : { "content-type": "application/json" }),
      ...(call.token === undefined ? {} : { authorization: `Bearer ${call.token.reveal()}` }),
      ...call.headers,
    },
    ...(call.json === undefined ? {} : { body: JSON.stringify(call.json) }),
    signal: call.signal,
    timeoutMs: call.timeoutMs ?? defaultTimeoutMs,
    totalTimeoutMs: call.timeoutMs ?? defaultTimeoutMs,
    maxBodyBytes: call.maxBytes ?? defaultMaxBytes,
    redirect: "error",
  });
  call.signal.throwIfAborted();
  if (response.kind === "failure") return { kind: "failed", reason: response.failure.message };
  const { status } = response;
  const read = await response.text();
  call.signal.throwIfAborted();
  if (read.kind === "failure") return { kind: "failed", reason: read.failure.message, status };
  const parsed = parseJson(read.text);
  if (status >= 400) {
    const words = (parsed.ok ? errorWords(parsed.value) : undefined) ?? read.text.trim();
    return { kind: "failed", reason: `HTTP ${status}${words === "" ? "" : `: ${words.slice(0, shownError)}`}`, status };
  }
  if (read.text.trim() === "") return { kind: "ok", value: undefined, status };
  if (!parsed.ok) return { kind: "failed", reason: "the service did not answer with JSON", status };
  return { kind: "ok", value: parsed.value, status };
}

/** Where services put their complaint: `error`, `error.message`, `message`, `detail`. */
function errorWords(value: unknown): string | undefined {
  if (!isRecord(value)) return undefined;
  for (const key of ["error", "message", "detail"]) {
    const field = value[key];
    if (typeof field === "string" && field !== "") return field;
    if (isRecord(field) && typeof field["message"] === "string") return field["message"];
  }
  return undefined;
}

/** A field as text; "" when it is something else. */
export function textField(value: unknown, ...names: readonly string[]): string {
  if (!isRecord(value)) return "";
  for (const name of names) {
    const field = value[name];
    if (typeof field === "string" && field !== "") return field;
  }
  return "";
}

/** The records of the first list found under one of the paths (`data.web`). */
export function listAt(value: unknown, ...paths: readonly string[]): readonly Record<string, unknown>[] {
  for (const path of paths) {
    let current: unknown = value;
    for (const part of path.split(".")) current = isRecord(current) ? current[part] : undefined;
    if (Array.isArray(current)) return current.filter(isRecord);
  }
  return [];
}
