import { createHmac } from "node:crypto";
import { freePort } from "../../test/fakes/free-port.ts";
import { startFakeService } from "../../test/fakes/platforms/fake-service.ts";
import { Redelivery } from "../../test/fakes/platforms/redelivery.ts";
import { numbersIn } from "./answers.ts";
import type { Crowd } from "./crowd.ts";

const secret = "webhook-proof-secret-0001";
const troubles = {
  "server-error": "server-error",
  "rate-limited": "rate-limited",
  "accept-then-cut": "accept-then-cut",
} as const;

/** Programs that call, and a receiver of the answers that knows the key of each; every call is a conversation of its own. */
export async function startWebhook(): Promise<Crowd> {
  const port = await freePort();
  const calls = new Redelivery();
  const chatOf = new Map<number, number>();
  const received = new Map<string, string>();
  const receiver = await startFakeService({
    isSend: () => true,
    limited: { status: 429, json: {}, headers: { "retry-after": "1" } },
    refused: { status: 400, json: {} },
    answer({ headers, json }) {
      const key = String(headers["idempotency-key"]);
      if (!received.has(key)) received.set(key, String(json["text"]));
      return { json: {} };
    },
  });
  const routes = { proof: { secret, deliver: "webhook:back" } };
  const outbound = { back: { url: `${receiver.url}/back`, allow_private: true } };
  return {
    platform: "webhook",
    config: [
      `webhook: { host: "127.0.0.1", port: ${port}, rate_limit: 0, allow_all_users: true }`,
      `platforms: { webhook: { enabled: true, extra: ${JSON.stringify({ routes, outbound })} } }`,
    ].join("\n"),
    env: "",
    keepsNoOrder: true,
    isOneLane: true,
    say(chat, text) {
      const body = JSON.stringify({ text });
      const [number = 0] = numbersIn(text);
      chatOf.set(number, chat);
      const signature = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
      const headers = {
        "content-type": "application/json",
        "x-hub-signature-256": signature,
        "x-request-id": `call-${number}`,
      };
      calls.push({ url: `http://127.0.0.1:${port}/webhooks/proof`, headers, body });
    },
    repeat: () => calls.repeat(),
    failNextSend: (fault) => receiver.nextSend(troubles[fault]),
    breakConnection: () => undefined,
    shown: () => [...received.values()].map((text) => ({ chat: chatOf.get(numbersIn(text)[0] ?? -1) ?? -1, text })),
    async [Symbol.asyncDispose]() {
      await calls[Symbol.asyncDispose]();
      await receiver[Symbol.asyncDispose]();
    },
  };
}
