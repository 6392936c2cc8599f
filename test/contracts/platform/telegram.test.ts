import { loadPlatform } from "#gateway";
import { startTelegramServer } from "../../fakes/platforms/telegram-server.ts";
import { describePlatform } from "./suite.ts";

describePlatform(await loadPlatform("telegram"), async () => {
  const server = await startTelegramServer();
  const troubles = {
    "rate-limited": { kind: "status", status: 429, description: "Too Many Requests: retry after 3", retryAfter: 3 },
    "refused-markup": { kind: "status", status: 400, description: "Bad Request: can't parse entities" },
    "accept-then-cut": { kind: "accept-then-cut" },
    cut: { kind: "cut" },
  } as const;
  let last = 0;
  return {
    env: { TELEGRAM_BOT_TOKEN: server.token },
    wrongEnv: { TELEGRAM_BOT_TOKEN: "1:wrong-token-wrong-token-wrong-token-000" },
    settings: { "telegram.base_url": server.url },
    chatId: "7",
    say: (text) => {
      last = server.text(text);
    },
    repeat: () => void server.update({}, last),
    sendFile: (bytes, name) => {
      const fileId = server.file(bytes);
      const document = { file_id: fileId, file_unique_id: "u", file_name: name, mime_type: "application/pdf" };
      server.text("", { more: { text: undefined, document } });
    },
    shown: () => server.shown().map(({ text }) => text),
    nextSend: (trouble) => server.trouble("sendMessage", troubles[trouble]),
    sends: () => server.calls.filter(({ method }) => method === "sendMessage").length,
    deliversAgain: true,
    breakConnection: () => server.trouble("getUpdates", { kind: "cut" }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
});
