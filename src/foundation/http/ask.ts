import { isRecord, parseJson } from "../text/json.ts";
import type { HttpClient } from "./client.ts";
import { httpRequest } from "./request.ts";

/** What a login server answered, or why it did not. */
export type Exchange =
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly body: Readonly<Record<string, unknown>>;
      readonly headers: Readonly<Record<string, string>>;
    }
  | { readonly kind: "unreachable"; readonly message: string };

export interface ExchangeOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  /** Connections with certificates of their own. */
  readonly client?: HttpClient | undefined;
}

const defaultTimeoutMs = 20_000;
const maxAnswerBytes = 256_000;

export type AskBody =
  | { readonly kind: "form"; readonly fields: Readonly<Record<string, string>> }
  | { readonly kind: "json"; readonly value: unknown }
  | { readonly kind: "none" };

/** One question to a login server. Redirects are not followed, since tokens would go along. */
export async function ask(
  url: string,
  question: ExchangeOptions & { readonly method: "GET" | "POST"; readonly body: AskBody },
  signal: AbortSignal,
): Promise<Exchange> {
  const { body } = question;
  const response = await httpRequest(url, {
    method: question.method,
    headers: { accept: "application/json", ...contentType(body), ...question.headers },
    ...(body.kind === "form" ? { body: new URLSearchParams(body.fields).toString() } : {}),
    ...(body.kind === "json" ? { body: JSON.stringify(body.value) } : {}),
    signal,
    timeoutMs: question.timeoutMs ?? defaultTimeoutMs,
    maxBodyBytes: maxAnswerBytes,
    redirect: "error",
    client: question.client,
  });
  signal.throwIfAborted();
  if (response.kind === "failure") return { kind: "unreachable", message: response.failure.message };
  const text = await response.text();
  signal.throwIfAborted();
  if (text.kind === "failure") return { kind: "unreachable", message: text.failure.message };
  const parsed = parseJson(text.text);
  const record = parsed.ok && isRecord(parsed.value) ? parsed.value : {};
  return { kind: "answer", status: response.status, body: record, headers: response.headers };
}

function contentType(body: AskBody): Readonly<Record<string, string>> {
  switch (body.kind) {
    case "form":
      return { "content-type": "application/x-www-form-urlencoded" };
    case "json":
      return { "content-type": "application/json" };
    case "none":
      return {};
  }
}

export function postForm(
  url: string,
  fields: Readonly<Record<string, string>>,
  options: ExchangeOptions & { readonly signal: AbortSignal },
): Promise<Exchange> {
  return ask(url, { ...options, method: "POST", body: { kind: "form", fields } }, options.signal);
}

export function postJson(
  url: string,
  value: unknown,
  options: ExchangeOptions & { readonly signal: AbortSignal },
): Promise<Exchange> {
  return ask(url, { ...options, method: "POST", body: { kind: "json", value } }, options.signal);
}

/** `error` of an OAuth answer, also where a service nests it: `{error: {code}}`. */
export function errorCodeIn(body: Readonly<Record<string, unknown>>): string | undefined {
  const { error } = body;
  if (typeof error === "string") return error;
  if (isRecord(error)) {
    for (const key of ["code", "type", "message"]) {
      const value = error[key];
      if (typeof value === "string") return value;
    }
  }
  return typeof body.code === "string" ? body.code : undefined;
}

/** The service's own words, bounded; they are shown to people and never hold a token. */
export function errorTextIn(body: Readonly<Record<string, unknown>>): string {
  const nested = isRecord(body.error) ? body.error.message : undefined;
  const text = body.error_description ?? nested ?? body.message ?? errorCodeIn(body) ?? "";
  return typeof text === "string" ? text.replace(/\s+/g, " ").slice(0, 300) : "";
}

export function textIn(body: Readonly<Record<string, unknown>>, key: string): string | undefined {
  const value = body[key];
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function numberIn(body: Readonly<Record<string, unknown>>, key: string): number | undefined {
  const value = body[key];
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}
