import { loadPlatform } from "#gateway";
import { freePort } from "../../fakes/free-port.ts";
import { startTwilioServer } from "../../fakes/platforms/twilio-server.ts";
import { describePlatform } from "./suite.ts";

describePlatform(await loadPlatform("sms"), async () => {
  const port = await freePort();
  const address = "https://example.com/webhooks/twilio";
  const server = await startTwilioServer({ local: `http://127.0.0.1:${port}/webhooks/twilio`, address });
  const env = {
    TWILIO_ACCOUNT_SID: server.sid,
    TWILIO_AUTH_TOKEN: server.token,
    TWILIO_PHONE_NUMBER: server.number,
    SMS_WEBHOOK_URL: address,
  };
  return {
    env,
    wrongEnv: { ...env, TWILIO_AUTH_TOKEN: "wrong" },
    settings: { "sms.base_url": server.url, "sms.webhook_host": "127.0.0.1", "sms.webhook_port": port },
    chatId: "+15551112222",
    say: (Body) => server.message({ Body }),
    repeat: () => server.repeat(),
    sendFile: (bytes) => {
      const url = `${server.url}/2010-04-01/Media/${server.file(bytes)}`;
      server.message({ Body: "", NumMedia: "1", MediaUrl0: url, MediaContentType0: "application/pdf" });
    },
    shown: server.shown,
    nextSend: server.nextSend,
    sends: server.sends,
    breakConnection: () => undefined,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
});
