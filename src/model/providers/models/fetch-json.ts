import { httpRequest } from "#foundation/http/request";
import { parseJson } from "#foundation/text/json";
import type { CredentialHandle } from "../../credential-handle.ts";

export type JsonAnswer =
  | { readonly kind: "json"; readonly value: unknown }
  | { readonly kind: "failure"; readonly message: string; readonly status?: number };

export interface JsonQuestion {
  /** Decides itself whether it may go there. */
  readonly credential: CredentialHandle;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

/** A GET with a credential, for everything that is no model call. Aborts throw; all else is in the answer. */
export async function fetchJson(url: URL, question: JsonQuestion, signal: AbortSignal): Promise<JsonAnswer> {
  const headers = { accept: "application/json", ...question.headers };
  const authorized = await question.credential.authorize({ method: "GET", url, headers, body: "" }, signal);
  const response = await httpRequest(url, {
    headers: { ...headers, ...authorized },
    signal,
    timeoutMs: question.timeoutMs,
    maxBodyBytes: question.maxBytes,
  });
  signal.throwIfAborted();
  if (response.kind === "failure") return { kind: "failure", message: response.failure.message };
  const text = await response.text();
  const { status } = response;
  if (text.kind === "failure") return { kind: "failure", message: text.failure.message, status };
  if (status !== 200) return { kind: "failure", message: `HTTP ${status}`, status };
  const parsed = parseJson(text.text);
  return parsed.ok ? { kind: "json", value: parsed.value } : { kind: "failure", message: parsed.message, status };
}
