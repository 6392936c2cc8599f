import { defined } from "#foundation/defined";
import type { Secret } from "#foundation/secrets/secret";
import { isRecord } from "#foundation/text/json";
import { ToolFailure } from "../contract/result.ts";
import { callService } from "../web/service-call.ts";

export interface FeishuAccess {
  /** `https://open.feishu.cn`, or where else the service is. */
  readonly url: string;
  readonly appId: string;
  readonly secret: Secret;
}

const timeoutMs = 15_000;

/** One call as the app; a fresh token is asked for each time, for documents are read rarely. Gives `data` of the answer. */
export async function callFeishu(
  { url, appId, secret }: FeishuAccess,
  path: string,
  { json, signal }: { readonly json?: unknown; readonly signal: AbortSignal },
): Promise<Readonly<Record<string, unknown>>> {
  const login = { app_id: appId, app_secret: secret.reveal() };
  const granted = await answerOf(`${url}/open-apis/auth/v3/tenant_access_token/internal`, { json: login, signal });
  const headers = { authorization: `Bearer ${String(granted["tenant_access_token"])}` };
  const answer = await answerOf(`${url}/open-apis${path}`, {
    headers,
    signal,
    ...defined({ json }),
  });
  return isRecord(answer["data"]) ? answer["data"] : {};
}

async function answerOf(
  url: string,
  call: { readonly json?: unknown; readonly headers?: Readonly<Record<string, string>>; readonly signal: AbortSignal },
): Promise<Readonly<Record<string, unknown>>> {
  const answer = await callService(url, { timeoutMs, ...call });
  if (answer.kind === "failed") throw new ToolFailure(`Feishu did not do it: ${answer.reason}`);
  const value = isRecord(answer.value) ? answer.value : {};
  if (value["code"] !== 0)
    throw new ToolFailure(`Feishu did not do it: ${String(value["code"])} ${String(value["msg"])}`);
  return value;
}
