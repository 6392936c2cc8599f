import type { ApiError } from "@grammyjs/types";
import type { Fetch } from "#foundation/http/fetch";
import { isRecord, parseJson } from "#foundation/text/json";

/** What Telegram says when it refuses. */
export class TelegramError extends Error {
  readonly code: number;
  readonly retryAfterMs: number | undefined;

  constructor({
    error_code: code,
    description,
    parameters,
  }: Pick<ApiError, "error_code" | "description" | "parameters">) {
    super(description);
    this.name = "TelegramError";
    this.code = code;
    this.retryAfterMs = parameters?.retry_after === undefined ? undefined : parameters.retry_after * 1000;
  }
}

/** One method of the Bot API. A form carries files. Rejects with `TelegramError` when Telegram answered no. */
export type TelegramApi = <T>(
  method: string,
  payload: Readonly<Record<string, unknown>> | FormData,
  signal: AbortSignal,
) => Promise<T>;

/** `root` is the address with the bot's token in it; no error shows it. */
export function telegramApi(send: Fetch, root: string): TelegramApi {
  return async <T>(method: string, payload: Readonly<Record<string, unknown>> | FormData, signal: AbortSignal) => {
    const isForm = payload instanceof FormData;
    const answer = await send(`${root}/${method}`, {
      method: "POST",
      ...(isForm
        ? { body: payload }
        : { body: JSON.stringify(payload), headers: { "content-type": "application/json" } }),
      signal,
    });
    const parsed = parseJson(await answer.text());
    const body = parsed.ok && isRecord(parsed.value) ? parsed.value : {};
    if (body["ok"] === true) return body["result"] as T;
    const { description = `Telegram answered with status ${answer.status}`, parameters } = body;
    throw new TelegramError({
      error_code: answer.status,
      description: String(description),
      parameters: (isRecord(parameters) ? parameters : {}) as ApiError["parameters"] & object,
    });
  };
}
