import { randomBytes } from "node:crypto";
import type { Fetch } from "#foundation/http/fetch";
import { type Fields, textAt } from "../support/fields.ts";
import { type Rest, restOver } from "../support/rest.ts";

const clientVersion = 0x00_01_00_00;
const limitedWaitMs = 3_000;

/** The session of the bot, or of a chat, is over. */
export const expired = "-14";

export interface WeixinApi {
  call(name: string, body: Fields, signal: AbortSignal): Promise<Fields>;
}

export function weixinApi(root: string, token: string, fetch: Fetch): WeixinApi {
  const rest = weixinRest(root, fetch);
  const headers = (): Readonly<Record<string, string>> => ({
    ...weixinHeaders(),
    AuthorizationType: "ilink_bot_token",
    Authorization: `Bearer ${token}`,
  });
  return {
    call: async (name, body, signal) =>
      await rest(`/ilink/bot/${name}`, {
        body: { ...body, base_info: { channel_version: "1.0.0" } },
        headers: headers(),
        signal,
      }),
  };
}

export function weixinRest(root: string, fetch: Fetch): Rest {
  return restOver({
    label: "Weixin",
    root: root.replace(/\/+$/u, ""),
    fetch,
    refusal: (body, status) => {
      const code = [textAt(body, "errcode"), textAt(body, "ret")].find((one) => one !== "" && one !== "0");
      if (status < 400 && code === undefined) return undefined;
      const message = `${code ?? status} ${textAt(body, "errmsg")}`.trim();
      const errorClass =
        code === "-2" ? "rate-limited" : code === expired ? "auth" : status < 400 ? "format" : undefined;
      return { code: code ?? String(status), message, errorClass, retryAfterMs: limitedWaitMs };
    },
  });
}

export function weixinHeaders(): Readonly<Record<string, string>> {
  return {
    "iLink-App-Id": "bot",
    "iLink-App-ClientVersion": String(clientVersion),
    "X-WECHAT-UIN": Buffer.from(String(randomBytes(4).readUInt32BE(0))).toString("base64"),
  };
}
