import type { Config } from "#config";
import { defined } from "#foundation/defined";
import type { Fetch } from "#foundation/http/fetch";
import { isRecord, parseJson } from "#foundation/text/json";
import type { SendErrorClass, SendResult } from "../../platform/outbound.ts";
import { ConnectionError } from "../../platform/platform.ts";
import { neverLeft } from "../support/never-left.ts";

/** What Discord says when it refuses; `code` is its own number, 0 where it gives none. */
export class DiscordError extends Error {
  readonly status: number;
  readonly code: number;
  readonly retryAfterMs: number | undefined;

  constructor(status: number, body: Readonly<Record<string, unknown>>) {
    super(typeof body["message"] === "string" ? body["message"] : `Discord answered status ${status}`);
    this.name = "DiscordError";
    this.status = status;
    this.code = typeof body["code"] === "number" ? body["code"] : 0;
    this.retryAfterMs = typeof body["retry_after"] === "number" ? Math.ceil(body["retry_after"] * 1000) : undefined;
  }
}

export interface DiscordCall {
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  readonly path: string;
  readonly body?: unknown;
  /** Instead of a body: with files. */
  readonly form?: FormData;
}

export type DiscordApi = <T>(call: DiscordCall, signal: AbortSignal) => Promise<T>;

/** The API as the bot that the settings name. */
export function discordApiOf({ discord, platforms }: Config, send: Fetch): DiscordApi {
  const root = `${discord.base_url === "" ? "https://discord.com" : discord.base_url}/api/v10`;
  return discordApi(send, root, platforms["discord"]?.token.reveal() ?? "");
}

function discordApi(send: Fetch, root: string, token: string): DiscordApi {
  return async <T>({ method, path, body, form }: DiscordCall, signal: AbortSignal) => {
    const headers: Record<string, string> = { authorization: `Bot ${token}`, "user-agent": "DiscordBot (hermes, 1)" };
    if (body !== undefined) headers["content-type"] = "application/json";
    const sent = form ?? (body === undefined ? undefined : JSON.stringify(body));
    const answer = await send(`${root}${path}`, {
      method,
      headers,
      signal,
      ...defined({ body: sent }),
    });
    const text = await answer.text();
    const parsed = parseJson(text);
    if (answer.ok) return (parsed.ok ? parsed.value : undefined) as T;
    throw new DiscordError(answer.status, parsed.ok && isRecord(parsed.value) ? parsed.value : {});
  };
}

const byCode: Readonly<Record<number, SendErrorClass>> = {
  10003: "not-found",
  10008: "not-found",
  50001: "permission",
  50007: "permission",
  50013: "permission",
  40005: "too-large",
  50035: "format",
};

export function failureOf(error: unknown): Extract<SendResult, { readonly kind: "failed" }> {
  if (error instanceof DiscordError) {
    const { status, code, message, retryAfterMs } = error;
    const failed = (errorClass: SendErrorClass) => ({ kind: "failed", errorClass, message, retryAfterMs }) as const;
    if (status === 429) return failed("rate-limited");
    if (status === 401) return failed("auth");
    if (status === 413) return failed("too-large");
    const known = byCode[code];
    if (known !== undefined) return failed(known);
    if (status >= 500) return failed("network");
    return failed(status === 403 ? "permission" : status === 404 ? "not-found" : "format");
  }
  const message = error instanceof Error ? error.message : "no answer";
  return { kind: "failed", errorClass: neverLeft(error) ? "network" : "timeout", message };
}

/** Why there is no connection. */
export function discordConnectionError(error: unknown): ConnectionError {
  if (error instanceof ConnectionError) return error;
  const failure = failureOf(error);
  if (failure.errorClass === "auth")
    return new ConnectionError("discord_auth", `Discord does not accept the bot's token: ${failure.message}`, {
      isRetryable: false,
    });
  return new ConnectionError("discord_network", `Discord cannot be reached: ${failure.message}`, {
    isRetryable: true,
    cause: error,
  });
}
