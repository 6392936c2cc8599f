import type { SendErrorClass } from "../../platform/outbound.ts";
import type { ConnectionPorts } from "../../platform/platform.ts";
import { type Fields, textAt } from "../support/fields.ts";
import { type RefusalRead, type Rest, restOver } from "../support/rest.ts";

const earlyMs = 60_000;
const limitedWaitMs = 5_000;

/** DingTalk's own words for what went wrong; numbers come from reply addresses, words from the API. */
const classes: readonly (readonly [pattern: RegExp, errorClass: SendErrorClass])[] = [
  // The system is busy.
  [/^-1$|serviceUnavailable|systemError/iu, "network"],
  [/^(?:130101|130102)$|throttl|QpsLimit|tooFrequent/iu, "rate-limited"],
  [/authFail|invalidAuthentication|invalidClient|InvalidAccessToken|appKey/iu, "auth"],
  [/forbidden|AccessDenied/iu, "permission"],
  [/invalid(?:Conversation|User|StaffId)|notExist|notFound/iu, "not-found"],
];

export interface DingtalkApi {
  readonly root: string;
  /** Calls without a token: only the ones that name the app itself. */
  readonly open: Rest;
  readonly rest: Rest;
  /** The app by which the robot goes. */
  readonly robotCode: string;
}

export function dingtalkApi({ config: { dingtalk, platforms }, fetch, clock }: ConnectionPorts): DingtalkApi {
  const root = dingtalk.base_url.replace(/\/+$/u, "") || "https://api.dingtalk.com";
  const open = restOver({ label: "DingTalk", root, fetch, refusal });
  let token: { readonly text: string; readonly untilMs: number } | undefined;
  const accessToken = async (signal: AbortSignal): Promise<string> => {
    if (token !== undefined && clock.now() < token.untilMs) return token.text;
    const body = { appKey: dingtalk.client_id, appSecret: platforms["dingtalk"]?.token.reveal() ?? "" };
    const answer = await open("/v1.0/oauth2/accessToken", { body, signal });
    const lastsMs = (Number(answer["expireIn"]) || 7200) * 1000 - earlyMs;
    token = { text: textAt(answer, "accessToken"), untilMs: clock.now() + lastsMs };
    return token.text;
  };
  return {
    root,
    open,
    robotCode: dingtalk.robot_code || dingtalk.client_id,
    rest: async (path, request) =>
      await open(path, {
        ...request,
        headers: { "x-acs-dingtalk-access-token": await accessToken(request.signal) },
      }),
  };
}

/** The API answers a word with a status, a reply address a number with status 200. */
export function refusal(body: Fields, status: number): RefusalRead | undefined {
  const code = textAt(body, "errcode") || (status < 400 ? "" : textAt(body, "code"));
  if (status < 400 && (code === "" || code === "0")) return undefined;
  const errorClass = classes.find(([pattern]) => pattern.test(code))?.[1] ?? (status < 400 ? "format" : undefined);
  const message = `${code} ${textAt(body, "errmsg") || textAt(body, "message")}`.trim();
  return { code, errorClass, message: message || `status ${status}`, retryAfterMs: limitedWaitMs };
}
