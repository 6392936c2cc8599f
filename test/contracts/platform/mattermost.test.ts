import { loadPlatform } from "#gateway";
import { mattermostChannels, startMattermostServer } from "../../fakes/platforms/mattermost-server.ts";
import { describePlatform } from "./suite.ts";

describePlatform(await loadPlatform("mattermost"), async () => {
  const server = await startMattermostServer();
  return {
    env: { MATTERMOST_URL: server.url, MATTERMOST_TOKEN: server.token },
    wrongEnv: { MATTERMOST_URL: server.url, MATTERMOST_TOKEN: "wrong-token" },
    settings: {},
    chatId: mattermostChannels.direct,
    say: (message) => server.post({ message }),
    repeat: () => server.repeat(),
    sendFile: (bytes, name) => {
      const id = server.file(bytes);
      const files = [{ id, name, mime_type: "application/pdf", size: bytes.length }];
      server.post({ file_ids: [id], metadata: { files } });
    },
    shown: () =>
      server.shown().map(({ message, file_ids: files }) => (files === undefined ? String(message) : "[file]")),
    nextSend: server.nextSend,
    sends: server.sends,
    breakConnection: () => server.dropSockets(),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
});
