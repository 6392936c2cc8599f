import type { LoginPorts } from "../../../platform/platform.ts";
import { connectionErrorOf, ServiceError } from "../../support/service-error.ts";
import { bridgeApi, healthOf, service, userOf } from "./api.ts";

const betweenMs = 1_000;
const mostAsks = 300;
export const linkedDeviceRisk =
  "Linked devices use an unofficial protocol: WhatsApp may block the account. Use a number you can afford to lose.";

/** Shows what the phone must scan, or type in, until the bridge says that the device is linked. */
export async function pairBridge({ config, fetch, clock, show }: LoginPorts, signal: AbortSignal): Promise<void> {
  const api = bridgeApi(config, fetch);
  show(linkedDeviceRisk);
  let shown = "";
  let wasAsked = false;
  for (let asks = 0; asks < mostAsks; asks += 1) {
    const { state, account, qr, code } = await healthOf(api, signal).catch((error: unknown) => {
      throw connectionErrorOf(service, error);
    });
    if (state === "connected") {
      show(`WhatsApp is linked as ${printable(account.name || userOf(account.id))}.`);
      if (config.whatsapp.mode === "self-chat")
        show(
          `Write to yourself there; WHATSAPP_ALLOWED_USERS must name your number, ${printable(userOf(account.id))}.`,
        );
      return;
    }
    if (state === "logged_out" && !wasAsked) {
      wasAsked = true;
      await api.rest("/pair", { body: {}, signal });
    }
    const text = state === "pairing" ? [qr, code && `Or type in this code: ${code}`].filter(Boolean).join("\n") : "";
    if (text !== "" && text !== shown) {
      shown = text;
      show(`On the phone: WhatsApp, Linked devices, Link a device.\n${printable(text)}`);
    }
    await clock.sleep(betweenMs, signal);
  }
  throw connectionErrorOf(
    service,
    new ServiceError({ errorClass: "auth", message: "the device was not linked in time" }),
  );
}

/** What comes from another program moves no cursor here. */
export function printable(text: string): string {
  return text.replaceAll(/[^\P{C}\n]/gu, "");
}
