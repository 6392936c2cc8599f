import { Secret } from "#foundation/secrets/secret";
import { isRecord } from "#foundation/text/json";
import type { SendErrorClass } from "../../platform/outbound.ts";
import type { ConnectionPorts } from "../../platform/platform.ts";
import { type Fields, textAt } from "../support/fields.ts";
import { type Rest, restOver } from "../support/rest.ts";
import { ServiceError } from "../support/service-error.ts";

/** One self-built app of one corporation. */
export interface WecomApp {
  readonly corpId: string;
  readonly corpSecret: string;
  readonly agentId: string;
  readonly token: string;
  readonly encodingKey: string;
}

/** The app of the settings, and further ones of other corporations. */
export function appsOf({ config }: ConnectionPorts): readonly WecomApp[] {
  const { wecom_callback: settings, platforms } = config;
  const first: WecomApp = {
    corpId: settings.corp_id,
    corpSecret: settings.corp_secret.reveal(),
    agentId: settings.agent_id,
    token: platforms["wecom_callback"]?.token.reveal() ?? "",
    encodingKey: settings.encoding_aes_key.reveal(),
  };
  const others = settings.apps.filter(isRecord).map((app) => ({
    corpId: textAt(app, "corp_id"),
    corpSecret: secretAt(app, "corp_secret"),
    agentId: textAt(app, "agent_id"),
    token: secretAt(app, "token"),
    encodingKey: secretAt(app, "encoding_aes_key"),
  }));
  return [first, ...others].filter(({ corpId, encodingKey }) => corpId !== "" && encodingKey !== "");
}

/** In maps without a fixed form, what is named like a secret comes as one. */
function secretAt(app: Fields, name: string): string {
  const value = app[name];
  return value instanceof Secret ? value.reveal() : textAt(app, name);
}

const classes: Readonly<Record<string, SendErrorClass>> = {
  // The system is busy.
  "-1": "network",
  "40001": "auth",
  "40013": "auth",
  "40014": "auth",
  "42001": "auth",
  "45009": "rate-limited",
  "60011": "permission",
  "81013": "not-found",
  "40003": "not-found",
};
const staleTokens = new Set(["40001", "40014", "42001"]);
const earlyMs = 60_000;

/** Calls WeCom as an app; its token is made when it is needed, and again when it went stale. */
export class WecomClient {
  readonly #app: WecomApp;
  readonly #ports: ConnectionPorts;
  readonly #rest: Rest;
  #token: { readonly text: string; readonly untilMs: number } | undefined;

  constructor(app: WecomApp, ports: ConnectionPorts) {
    this.#app = app;
    this.#ports = ports;
    const root = ports.config.wecom_callback.base_url || "https://qyapi.weixin.qq.com";
    this.#rest = restOver({
      label: "WeCom",
      root: `${root}/cgi-bin`,
      fetch: ports.fetch,
      refusal: (body) => {
        const code = textAt(body, "errcode");
        if (code === "" || code === "0") return undefined;
        return { code, errorClass: classes[code] ?? "format", message: `${code} ${textAt(body, "errmsg")}` };
      },
    });
  }

  async token(signal: AbortSignal): Promise<string> {
    const { clock } = this.#ports;
    if (this.#token !== undefined && clock.now() < this.#token.untilMs) return this.#token.text;
    const query = new URLSearchParams({ corpid: this.#app.corpId, corpsecret: this.#app.corpSecret });
    const answer = await this.#rest(`/gettoken?${query}`, { signal });
    const lastsMs = (Number(answer["expires_in"]) || 7200) * 1000 - earlyMs;
    this.#token = { text: textAt(answer, "access_token"), untilMs: clock.now() + lastsMs };
    return this.#token.text;
  }

  async sendText(user: string, content: string, signal: AbortSignal): Promise<string> {
    const body = { touser: user, msgtype: "text", agentid: Number(this.#app.agentId), text: { content } };
    const attempt = async (): Promise<string> =>
      textAt(await this.#rest(`/message/send?access_token=${await this.token(signal)}`, { body, signal }), "msgid");
    return await attempt().catch(async (error: unknown) => {
      if (!(error instanceof ServiceError) || !staleTokens.has(error.code)) throw error;
      this.#token = undefined;
      return await attempt();
    });
  }
}
