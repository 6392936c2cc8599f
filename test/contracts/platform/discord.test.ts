import { loadPlatform } from "#gateway";
import { startDiscordServer } from "../../fakes/platforms/discord-server.ts";
import { describePlatform } from "./suite.ts";

describePlatform(await loadPlatform("discord"), async () => {
  const server = await startDiscordServer();
  const chatId = "700000000000000001";
  const troubles = {
    "rate-limited": { status: 429, body: { message: "You are being rate limited.", retry_after: 1.5, global: false } },
    "refused-markup": { status: 400, body: { message: "Invalid Form Body", code: 50_035 } },
    "accept-then-cut": "accept-then-cut",
    cut: "cut",
  } as const;
  let count = 0;
  const message = (content: string, attachments: readonly object[] = []): void => {
    count += 1;
    const author = { id: "7", username: "ann", discriminator: "0" };
    const time = "2026-01-01T00:00:00.000Z";
    server.dispatch("MESSAGE_CREATE", {
      id: `90000000000000000${count}`,
      channel_id: chatId,
      type: 0,
      content,
      author,
      mentions: [],
      attachments,
      timestamp: time,
    });
  };
  return {
    env: { DISCORD_BOT_TOKEN: server.token },
    wrongEnv: { DISCORD_BOT_TOKEN: "wrong.token" },
    settings: { "discord.base_url": server.url },
    chatId,
    say: (text) => message(text),
    repeat: () => server.repeat(),
    sendFile: (bytes, name) =>
      message("", [
        { id: "1", filename: name, size: bytes.length, url: server.file(bytes), content_type: "application/pdf" },
      ]),
    shown: () =>
      server
        .shown()
        .map(({ content, body }) => (content === "" && body["file_bytes"] !== undefined ? "[file]" : content)),
    nextSend: (trouble) => server.trouble(troubles[trouble]),
    sends: () => server.calls.filter(({ method, path }) => method === "POST" && path.endsWith("/messages")).length,
    deliversAgain: true,
    breakConnection: () => server.dropSockets(),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
});
