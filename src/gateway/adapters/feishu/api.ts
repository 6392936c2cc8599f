import type { SendErrorClass } from "../../platform/outbound.ts";
import type { ConnectionPorts } from "../../platform/platform.ts";
import { type Fields, fieldsAt, textAt } from "../support/fields.ts";
import { type RefusalRead, type Rest, restOver } from "../support/rest.ts";
import { ServiceError } from "../support/service-error.ts";

const earlyMs = 60_000;
const limitedWaitMs = 2_000;
const staleTokens = new Set(["99991663", "99991664", "99991668", "99991677"]);

/** Feishu's own numbers for what went wrong. */
const classes: Readonly<Record<string, SendErrorClass>> = {
  "10003": "auth",
  "10012": "auth",
  "10014": "auth",
  "10015": "auth",
  "514": "auth",
  "403": "auth",
  "99991661": "auth",
  "99991663": "auth",
  "99991664": "auth",
  "99991668": "auth",
  "99991672": "permission",
  "230002": "permission",
  "230006": "permission",
  "230013": "permission",
  "230018": "permission",
  "99991400": "rate-limited",
  "230020": "rate-limited",
  "11232": "rate-limited",
  "11233": "rate-limited",
  "230011": "not-found",
  "231003": "not-found",
  "230025": "too-large",
  "234006": "too-large",
};

export interface FeishuApi {
  readonly root: string;
  readonly appId: string;
  /** Calls without a token: only the ones that name the app itself. */
  readonly open: Rest;
  /** What stands under `data` of the answer. */
  readonly rest: Rest;
  authorization(signal: AbortSignal): Promise<Readonly<Record<string, string>>>;
}

function feishuRoot({ base_url: own, domain }: { readonly base_url: string; readonly domain: string }): string {
  return own.replace(/\/+$/u, "") || (domain === "lark" ? "https://open.larksuite.com" : "https://open.feishu.cn");
}

export function feishuApi({ config: { feishu, platforms }, fetch, clock }: ConnectionPorts): FeishuApi {
  const root = feishuRoot(feishu);
  const open = restOver({ label: "Feishu", root, fetch, refusal });
  let token: { readonly text: string; readonly untilMs: number } | undefined;
  const authorization = async (signal: AbortSignal): Promise<Readonly<Record<string, string>>> => {
    if (token === undefined || clock.now() >= token.untilMs) {
      const body = { app_id: feishu.app_id, app_secret: platforms["feishu"]?.token.reveal() ?? "" };
      const answer = await open("/open-apis/auth/v3/tenant_access_token/internal", { body, signal });
      const lastsMs = (Number(answer["expire"]) || 7200) * 1000 - earlyMs;
      token = { text: textAt(answer, "tenant_access_token"), untilMs: clock.now() + lastsMs };
    }
    return { authorization: `Bearer ${token.text}` };
  };
  const rest: Rest = async (path, request) => {
    const call = async (): Promise<Fields> =>
      await open(`/open-apis${path}`, { ...request, headers: await authorization(request.signal) });
    const answer = await call().catch(async (error: unknown) => {
      // A token can be taken back before its time.
      if (!(error instanceof ServiceError) || !staleTokens.has(error.code)) throw error;
      token = undefined;
      return await call();
    });
    return answer["data"] === undefined ? answer : fieldsAt(answer, "data");
  };
  return { root, appId: feishu.app_id, open, rest, authorization };
}

/** A number other than 0 is a no, whatever the status. */
function refusal(body: Fields, status: number): RefusalRead | undefined {
  const code = textAt(body, "code");
  if (status < 400 && (code === "" || code === "0")) return undefined;
  const errorClass = classes[code] ?? (status < 400 ? "format" : undefined);
  return { code, errorClass, message: `${code} ${textAt(body, "msg")}`.trim(), retryAfterMs: limitedWaitMs };
}
