import type { Fetch } from "#foundation/http/fetch";
import { isRecord, parseJson } from "#foundation/text/json";
import type { SendErrorClass, SendResult } from "../../platform/outbound.ts";
import { neverLeft } from "../support/never-left.ts";

/** What Slack says when it refuses: `channel_not_found`, `ratelimited`. */
class SlackError extends Error {
  readonly code: string;
  readonly retryAfterMs: number | undefined;

  constructor(code: string, retryAfterMs?: number) {
    super(`Slack answered ${code}`);
    this.name = "SlackError";
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}

export type SlackAnswer = Readonly<Record<string, unknown>>;
/** One method of the Web API. Rejects with `SlackError` when Slack answered no. */
export type SlackApi = (method: string, body: SlackAnswer, signal: AbortSignal) => Promise<SlackAnswer>;

export function slackApi(send: Fetch, root: string, token: string): SlackApi {
  return async (method, body, signal) => {
    const answer = await send(`${root}/${method}`, {
      method: "POST",
      body: JSON.stringify(body),
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json; charset=utf-8" },
      signal,
    });
    const waitSeconds = Number(answer.headers.get("retry-after") ?? 1);
    if (answer.status === 429) throw new SlackError("ratelimited", waitSeconds * 1000);
    const parsed = parseJson(await answer.text());
    const result = parsed.ok && isRecord(parsed.value) ? parsed.value : {};
    if (result["ok"] === true) return result;
    throw new SlackError(typeof result["error"] === "string" ? result["error"] : `status ${answer.status}`);
  };
}

const classes: Readonly<Record<string, SendErrorClass>> = {
  ratelimited: "rate-limited",
  rate_limited: "rate-limited",
  channel_not_found: "not-found",
  message_not_found: "not-found",
  thread_not_found: "not-found",
  is_archived: "not-found",
  msg_too_long: "too-large",
  msg_blocks_too_long: "too-large",
  not_in_channel: "permission",
  restricted_action: "permission",
  missing_scope: "permission",
  cant_update_message: "permission",
  invalid_blocks: "format",
  invalid_arguments: "format",
  no_text: "format",
};
const refusedTokens = new Set(["invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired"]);

export function isAuthError(error: unknown): boolean {
  return error instanceof SlackError && refusedTokens.has(error.code);
}

/** The channel is none of this workspace; another one may have it. */
export function isNoSuchChannel(error: unknown): boolean {
  return error instanceof SlackError && error.code === "channel_not_found";
}

export function failureOf(error: unknown): Extract<SendResult, { readonly kind: "failed" }> {
  if (error instanceof SlackError) {
    const errorClass = isAuthError(error)
      ? "auth"
      : (classes[error.code] ?? (error.code.startsWith("status 5") ? "network" : "unknown"));
    return { kind: "failed", errorClass, message: error.message, retryAfterMs: error.retryAfterMs };
  }
  return {
    kind: "failed",
    errorClass: neverLeft(error) ? "network" : "timeout",
    message: error instanceof Error ? error.message : "no answer",
  };
}
