import { timeLimit } from "#foundation/lifecycle/abort";
import { checkUrl, systemResolve } from "#tools";
import type { Destination, SendResult } from "../../platform/outbound.ts";
import type { ConnectionPorts, SendContext } from "../../platform/platform.ts";
import { classOfStatus, failureOf } from "../support/service-error.ts";
import type { OutboundHook } from "./routes.ts";
import { signatureOf } from "./signature.ts";

/** Calls a receiver with a signed message. The key is the same whenever it is sent again. */
export async function callHook(
  { url, secret, headers, timeoutMs, allowsPrivate }: OutboundHook,
  { to, text }: { readonly to: Destination; readonly text: string },
  { key, signal, ports }: SendContext & { readonly ports: Pick<ConnectionPorts, "fetch" | "clock"> },
): Promise<SendResult> {
  const rules = { allowPrivate: allowsPrivate, sites: [], resolve: systemResolve };
  const within = timeLimit(timeoutMs, signal);
  try {
    const verdict = await checkUrl(url, rules, within);
    if (verdict.kind === "refused")
      return { kind: "failed", errorClass: "permission", message: `${to.chatId} is not called: ${verdict.reason}` };
    const createdAt = new Date(ports.clock.now()).toISOString();
    const source = { platform: to.platform };
    const body = JSON.stringify({ id: key, type: "hermes.message", created_at: createdAt, source, text, media: [] });
    const answer = await ports.fetch(url, {
      method: "POST",
      body,
      signal: within,
      headers: {
        ...headers,
        "content-type": "application/json",
        "idempotency-key": key,
        "x-webhook-timestamp": createdAt,
        ...(secret === "" ? {} : { "x-webhook-signature": signatureOf(body, secret) }),
      },
    });
    await answer.body?.cancel();
    if (answer.ok) return { kind: "sent", messageId: key };
    const errorClass = answer.status < 400 ? "format" : classOfStatus(answer.status);
    return { kind: "failed", errorClass, message: `${to.chatId} answered status ${answer.status}` };
  } catch (error) {
    signal.throwIfAborted();
    // The receiver knows the key, so a call nobody answered may be made again.
    return { ...failureOf(error), errorClass: "network" };
  }
}
