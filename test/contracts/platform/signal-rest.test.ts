import { expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { loadPlatform } from "#gateway";
import { startSignalRestServer } from "../../fakes/platforms/signal-rest-server.ts";
import { connectedTo, describePlatform } from "./suite.ts";

const platform = await loadPlatform("signal");

async function startKit() {
  const server = await startSignalRestServer();
  return {
    server,
    env: { SIGNAL_HTTP_URL: server.url, SIGNAL_ACCOUNT: server.account },
    wrongEnv: { SIGNAL_HTTP_URL: server.url, SIGNAL_ACCOUNT: "+4900000000" },
    settings: { "signal.backend": "rest" },
    chatId: "+4917011111111",
    say: (message: string) => server.envelope({ dataMessage: { message } }),
    repeat: () => server.repeat(),
    sendFile: (bytes: Buffer, filename: string) => {
      const id = server.file(bytes);
      server.envelope({ dataMessage: { attachments: [{ id, filename, contentType: "application/pdf" }] } });
    },
    shown: server.shown,
    nextSend: server.nextSend,
    sends: server.sends,
    deliversAgain: true,
    breakConnection: () => server.dropSockets(),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

// The container is the second way to the same platform.
describePlatform(platform, startKit);

it("groups are named as the container names them, typing and reactions go to it, and numbers stay out of errors", async () => {
  await using kit = await startKit();
  await using at = await connectedTo(platform, kit);
  const to = (chatId: string) => ({ platform: "signal", account: "", chatId });
  const message = { kind: "text", body: { text: "hello", plain: "hello" } } as const;
  await at.connection.send(to("group:abc="), message, { key: "k1", signal: never });
  expect(kit.server.shownIn()).toEqual([{ chat: `group.${Buffer.from("abc=").toString("base64")}`, text: "hello" }]);
  await at.connection.typing?.(to(kit.chatId), never);
  await at.connection.react?.(to(kit.chatId), { messageId: "7", emoji: "👍", isAdded: true }, never);
  const [typing, reaction] = kit.server.calls.slice(-2);
  expect(typing).toMatchObject({ method: "PUT", json: { recipient: kit.chatId } });
  expect(reaction).toMatchObject({ method: "POST", json: { target_author: kit.chatId, timestamp: 7, reaction: "👍" } });
  kit.nextSend("rate-limited");
  const limited = await at.connection.send(to(kit.chatId), message, { key: "k2", signal: never });
  expect(limited).toMatchObject({ errorClass: "rate-limited", retryAfterMs: 3_000 });
  expect(JSON.stringify(limited)).not.toContain("+4917011111");
});
