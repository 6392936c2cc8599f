import { createHmac } from "node:crypto";
import type { WebhookCall } from "../support/webhook.ts";
import { isSame } from "../support/webhook.ts";

/** An older call may be one that somebody recorded. */
const longestAgeMs = 300_000;

/** Whether Slack made this call with our secret, and now. */
export function isFromSlack(
  { headers, body }: Pick<WebhookCall, "headers" | "body">,
  secret: string,
  nowMs: number,
): boolean {
  const timestamp = headers["x-slack-request-timestamp"];
  if (typeof timestamp !== "string" || !/^\d{1,12}$/u.test(timestamp)) return false;
  if (Math.abs(nowMs - Number(timestamp) * 1000) > longestAgeMs) return false;
  const expected = createHmac("sha256", secret).update(`v0:${timestamp}:`).update(body).digest("hex");
  return isSame(headers["x-slack-signature"], `v0=${expected}`);
}
