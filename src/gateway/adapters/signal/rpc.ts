import type { Fetch } from "#foundation/http/fetch";
import type { SendErrorClass } from "../../platform/outbound.ts";
import { type Fields, fieldsAt, textAt } from "../support/fields.ts";
import { restOver } from "../support/rest.ts";
import { ServiceError } from "../support/service-error.ts";

/** One method of the daemon's JSON-RPC. */
export type SignalRpc = (method: string, params: Fields, signal: AbortSignal) => Promise<Fields>;

/** signal-cli's own numbers. */
const classes: Readonly<Record<string, SendErrorClass>> = {
  "-1": "format",
  "-3": "network",
  "-4": "permission",
  "-5": "rate-limited",
};

export function signalRpc(send: Fetch, root: string): SignalRpc {
  const rest = restOver({ label: "signal-cli", root, fetch: send });
  let count = 0;
  return async (method, params, signal) => {
    count += 1;
    const body = { jsonrpc: "2.0", id: String(count), method, params };
    const answer = await rest("/api/v1/rpc", { body, signal });
    const error = fieldsAt(answer, "error");
    const code = textAt(error, "code");
    if (code === "") {
      const { result } = answer;
      return typeof result === "object" && result !== null ? (result as Fields) : { result };
    }
    throw new ServiceError({
      errorClass: classes[code] ?? "unknown",
      message: `signal-cli answered ${withoutNumbers(textAt(error, "message"))}`,
      code,
      retryAfterMs: code === "-5" ? 60_000 : undefined,
    });
  };
}

/** Numbers of people are not for logs. */
export function withoutNumbers(text: string): string {
  return text.replaceAll(/\+\d{4,}/gu, (number) => `${number.slice(0, 3)}…${number.slice(-2)}`);
}
