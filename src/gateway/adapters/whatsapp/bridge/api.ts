import type { Config } from "#config";
import type { Fetch } from "#foundation/http/fetch";
import { ConnectionError } from "../../../platform/platform.ts";
import { type Fields, fieldsAt, textAt } from "../../support/fields.ts";
import { type RefusalRead, type Rest, restOver } from "../../support/rest.ts";
import { missingSetting, type Service, ServiceError } from "../../support/service-error.ts";

export const service: Service = { id: "whatsapp", label: "The WhatsApp bridge" };

/** The bridge does not know whether WhatsApp took a message. */
const sentOrNot = 504;
const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/iu;

export interface BridgeApi {
  readonly rest: Rest;
  readonly root: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Our account as the bridge names it. WhatsApp knows a person by a number and by a hidden id (LID). */
export interface BridgeAccount {
  readonly id: string;
  readonly lid: string;
  readonly name: string;
}

export interface BridgeHealth {
  readonly state: string;
  readonly account: BridgeAccount;
  /** What a person needs to link the device: a code drawn with characters, or one to type in. */
  readonly qr: string;
  readonly code: string;
}

/** Where the bridge is, and the word that opens it. It never leaves this machine. */
export function bridgeApi({ whatsapp }: Pick<Config, "whatsapp">, send: Fetch): BridgeApi {
  const token = whatsapp.bridge_token.reveal();
  if (token === "") throw missingSetting(service, "WHATSAPP_BRIDGE_TOKEN");
  const root = whatsapp.bridge_url.replace(/\/+$/u, "");
  const url = URL.canParse(root) ? new URL(root) : undefined;
  if (url?.protocol !== "http:" || !loopback.test(url.hostname))
    throw new ConnectionError("whatsapp_settings", "whatsapp.bridge_url must be http:// on this machine (127.0.0.1).", {
      isRetryable: false,
    });
  const headers = { authorization: `Bearer ${token}` };
  const refusal = (body: Fields, status: number): RefusalRead | undefined => {
    if (status < 400) return undefined;
    const message = `status ${status} ${textAt(body, "error").slice(0, 200)}`.trim();
    return status === sentOrNot ? { message, errorClass: "timeout" } : { message };
  };
  return {
    root,
    headers,
    rest: restOver({ label: service.label, root, fetch: send, headers: () => headers, refusal }),
  };
}

export async function healthOf({ rest }: BridgeApi, signal: AbortSignal): Promise<BridgeHealth> {
  const answer = await rest("/health", { signal });
  const account = fieldsAt(answer, "account");
  const pairing = fieldsAt(answer, "pairing");
  return {
    state: textAt(answer, "state"),
    account: {
      id: withoutDevice(textAt(account, "id")),
      lid: withoutDevice(textAt(account, "lid")),
      name: textAt(account, "name"),
    },
    qr: textAt(pairing, "qr"),
    code: textAt(pairing, "code"),
  };
}

/** The linked account, or why there is none. Only a person can link a device again. */
export function linkedAccount({ state, account }: BridgeHealth): BridgeAccount {
  checkLinked(state);
  if (state === "connected" && account.id !== "") return account;
  throw new ServiceError({ errorClass: "network", message: `it is not connected yet (${state.slice(0, 40)})` });
}

export function checkLinked(state: string): void {
  if (state !== "logged_out" && state !== "pairing") return;
  throw new ConnectionError("whatsapp_unlinked", "WhatsApp is not linked. Link it: hermes gateway setup whatsapp", {
    isRetryable: false,
  });
}

/** `4915…:12@s.whatsapp.net` is one device of `4915…@s.whatsapp.net`. */
export function withoutDevice(id: string): string {
  return id.replace(/:\d+(?=@)/u, "");
}

/** The number, or the hidden id, in front of the server. */
export function userOf(id: string): string {
  return withoutDevice(id).split("@")[0] ?? "";
}
