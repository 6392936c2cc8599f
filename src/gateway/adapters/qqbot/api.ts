import type { SendErrorClass } from "../../platform/outbound.ts";
import type { ConnectionPorts } from "../../platform/platform.ts";
import { type Fields, textAt } from "../support/fields.ts";
import { type Rest, restOver } from "../support/rest.ts";

const earlyMs = 60_000;

/** QQ's own numbers for what went wrong. */
const classes: Readonly<Record<string, SendErrorClass>> = {
  "100007": "auth",
  "100016": "auth",
  "11244": "auth",
  "22009": "rate-limited",
  "304045": "rate-limited",
  "304082": "not-found",
  "40034005": "not-found",
  "40034006": "permission",
};

export interface QqApi {
  readonly rest: Rest;
  /** As the gateway and every call want it. It is made anew before it ends. */
  authorization(signal: AbortSignal): Promise<string>;
  /** The gateway did not take the token. */
  forget(): void;
}

export function qqApi(ports: ConnectionPorts): QqApi {
  const { qqbot, platforms } = ports.config;
  const usual = qqbot.sandbox ? "https://sandbox.api.sgroup.qq.com" : "https://api.sgroup.qq.com";
  const refusal = (body: Fields, status: number) => {
    const code = textAt(body, "code") || textAt(body, "err_code");
    if (status < 400 && (code === "" || code === "0")) return undefined;
    return { code, errorClass: classes[code], message: `${code} ${textAt(body, "message")}`, retryAfterMs: 1000 };
  };
  const login = restOver({ label: "QQ", root: qqbot.base_url || "https://bots.qq.com", fetch: ports.fetch, refusal });
  let token: { readonly text: string; readonly untilMs: number } | undefined;
  const authorization = async (signal: AbortSignal): Promise<string> => {
    if (token === undefined || ports.clock.now() >= token.untilMs) {
      const body = { appId: qqbot.app_id, clientSecret: platforms["qqbot"]?.token.reveal() ?? "" };
      const answer = await login("/app/getAppAccessToken", { body, signal });
      const lastsMs = Number(answer["expires_in"]) * 1000 - earlyMs;
      token = { text: textAt(answer, "access_token"), untilMs: ports.clock.now() + Math.max(0, lastsMs) };
    }
    return `QQBot ${token.text}`;
  };
  const rest = restOver({ label: "QQ", root: qqbot.base_url || usual, fetch: ports.fetch, refusal });
  return {
    authorization,
    rest: async (path, request) =>
      await rest(path, { ...request, headers: { authorization: await authorization(request.signal) } }),
    forget: () => {
      token = undefined;
    },
  };
}
