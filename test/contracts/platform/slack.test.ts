import { loadPlatform } from "#gateway";
import { startSlackServer } from "../../fakes/platforms/slack-server.ts";
import { describePlatform } from "./suite.ts";

describePlatform(await loadPlatform("slack"), async () => {
  const server = await startSlackServer();
  const chatId = "D0000000001";
  let count = 0;
  const message = (more: Record<string, unknown>) => {
    count += 1;
    server.event({
      type: "message",
      channel: chatId,
      channel_type: "im",
      user: "U7",
      team: "T1",
      ts: `169000${count}.000100`,
      ...more,
    });
  };
  return {
    env: { SLACK_BOT_TOKEN: server.botToken, SLACK_APP_TOKEN: server.appToken },
    wrongEnv: { SLACK_BOT_TOKEN: "xoxb-wrong", SLACK_APP_TOKEN: server.appToken },
    settings: { "slack.base_url": server.url },
    chatId,
    say: (text) => message({ text }),
    repeat: () => server.repeat(),
    sendFile: (bytes, name) =>
      message({
        text: "",
        subtype: "file_share",
        files: [{ name, mimetype: "application/pdf", url_private: server.file(bytes), size: bytes.length }],
      }),
    shown: () => server.shown().map(({ text }) => text),
    nextSend: (trouble) =>
      server.trouble(
        "chat.postMessage",
        trouble === "rate-limited"
          ? "ratelimited"
          : trouble === "refused-markup"
            ? { error: "invalid_blocks" }
            : trouble,
      ),
    sends: () => server.calls.filter(({ method }) => method === "chat.postMessage").length,
    deliversAgain: true,
    breakConnection: () => server.dropSockets(),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
});
