import { loadPlatform } from "#gateway";
import { startSignalServer } from "../../fakes/platforms/signal-server.ts";
import { describePlatform } from "./suite.ts";

describePlatform(await loadPlatform("signal"), async () => {
  const server = await startSignalServer();
  return {
    env: { SIGNAL_HTTP_URL: server.url, SIGNAL_ACCOUNT: server.account },
    wrongEnv: { SIGNAL_HTTP_URL: server.url, SIGNAL_ACCOUNT: "+4900000000" },
    settings: {},
    chatId: "+4917011111111",
    say: (message) => server.envelope({ dataMessage: { message } }),
    repeat: () => server.repeat(),
    sendFile: (bytes, filename) => {
      const id = server.file(bytes);
      server.envelope({ dataMessage: { attachments: [{ id, filename, contentType: "application/pdf" }] } });
    },
    shown: server.shown,
    nextSend: server.nextSend,
    sends: server.sends,
    deliversAgain: true,
    breakConnection: () => server.dropStreams(),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
});
