import type { LoginPorts } from "../../platform/platform.ts";
import { textAt } from "../support/fields.ts";
import { ServiceError } from "../support/service-error.ts";
import { weixinHeaders, weixinRest } from "./api.ts";

const botType = "3";
const betweenMs = 1_000;
const mostAsks = 300;

/** Shows a link whose code a person scans with Weixin, and waits for it: gives the account and its token. */
export async function loginToWeixin(
  { config, fetch, clock, show }: LoginPorts,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  const rest = weixinRest(config.weixin.base_url, fetch);
  const headers = weixinHeaders();
  const asked = await rest(`/ilink/bot/get_bot_qrcode?bot_type=${botType}`, { headers, signal });
  const code = textAt(asked, "qrcode");
  show(`Open this link on another screen and scan its code with Weixin:\n${textAt(asked, "qrcode_img_content")}`);
  let isSeen = false;
  for (let asks = 0; asks < mostAsks; asks += 1) {
    const path = `/ilink/bot/get_qrcode_status?qrcode=${encodeURIComponent(code)}`;
    const answer = await rest(path, { headers, signal });
    const status = textAt(answer, "status");
    if (status === "confirmed")
      return { account_id: textAt(answer, "ilink_bot_id"), token: textAt(answer, "bot_token") };
    if (status === "expired") break;
    if (status === "scaned" && !isSeen) {
      isSeen = true;
      show("Scanned. Confirm on the phone.");
    }
    await clock.sleep(betweenMs, signal);
  }
  throw new ServiceError({ errorClass: "auth", message: "The code was not scanned in time. Try again." });
}
