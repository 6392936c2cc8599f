import { freePort } from "../../test/fakes/free-port.ts";
import { startBlueBubblesServer } from "../../test/fakes/platforms/bluebubbles-server.ts";
import { startDingtalkServer } from "../../test/fakes/platforms/dingtalk-server.ts";
import type { SendTrouble } from "../../test/fakes/platforms/fake-service.ts";
import { startFeishuServer } from "../../test/fakes/platforms/feishu-server.ts";
import { startMatrixServer } from "../../test/fakes/platforms/matrix-server.ts";
import { startMattermostServer } from "../../test/fakes/platforms/mattermost-server.ts";
import { startQqServer } from "../../test/fakes/platforms/qq-server.ts";
import { startSignalServer } from "../../test/fakes/platforms/signal-server.ts";
import { startTwilioServer } from "../../test/fakes/platforms/twilio-server.ts";
import { startWecomBotServer } from "../../test/fakes/platforms/wecom-bot-server.ts";
import { startWecomServer } from "../../test/fakes/platforms/wecom-server.ts";
import { startWeixinServer } from "../../test/fakes/platforms/weixin-server.ts";
import { startWhatsAppServer } from "../../test/fakes/platforms/whatsapp-server.ts";
import type { Crowd, SendFault } from "./crowd.ts";

/** The fake of a platform in which one person writes, and how they do. */
interface OneChat {
  readonly server: AsyncDisposable & {
    repeat(): void;
    nextSend(trouble: SendTrouble): void;
  };
  readonly env: Readonly<Record<string, string>>;
  readonly settings?: Readonly<Record<string, unknown>>;
  say(text: string): void;
  shown(): readonly string[];
  breakConnection?(): void;
}

const troubles: Readonly<Record<SendFault, SendTrouble>> = {
  "server-error": "cut",
  "rate-limited": "rate-limited",
  "accept-then-cut": "accept-then-cut",
};

const starts: Readonly<Record<string, () => Promise<OneChat>>> = {
  bluebubbles: async () => {
    const port = await freePort();
    const local = `http://127.0.0.1:${port}/bluebubbles-webhook`;
    const server = await startBlueBubblesServer({ local, hasPrivateApi: true });
    const env = { BLUEBUBBLES_SERVER_URL: server.url, BLUEBUBBLES_PASSWORD: server.password };
    const settings = { webhook_port: port };
    return { server, env, settings, say: (text) => server.message({ text }), shown: server.shown };
  },
  dingtalk: async () => {
    const server = await startDingtalkServer();
    const env = { DINGTALK_CLIENT_ID: server.clientId, DINGTALK_CLIENT_SECRET: server.secret };
    const say = (content: string): void => server.message({ text: { content } });
    const settings = { base_url: server.url };
    return { server, env, settings, say, shown: server.shown, breakConnection: () => server.endSockets() };
  },
  feishu: async () => {
    const server = await startFeishuServer();
    const env = { FEISHU_APP_ID: server.appId, FEISHU_APP_SECRET: server.secret };
    const say = (text: string): void => server.message({ message_type: "text", content: JSON.stringify({ text }) });
    const settings = { base_url: server.url };
    return { server, env, settings, say, shown: server.shown, breakConnection: () => server.endSockets() };
  },
  matrix: async () => {
    const server = await startMatrixServer();
    const env = { MATRIX_HOMESERVER: server.url, MATRIX_ACCESS_TOKEN: server.token };
    const say = (body: string): void => server.message({ body });
    return { server, env, say, shown: server.shown, breakConnection: () => server.dropPolls() };
  },
  mattermost: async () => {
    const server = await startMattermostServer();
    const env = { MATTERMOST_URL: server.url, MATTERMOST_TOKEN: server.token };
    const say = (message: string): void => server.post({ message });
    const shown = (): readonly string[] => server.shown().map(({ message }) => String(message));
    return { server, env, say, shown, breakConnection: () => server.dropSockets() };
  },
  qqbot: async () => {
    const server = await startQqServer();
    const env = { QQ_APP_ID: server.appId, QQ_CLIENT_SECRET: server.secret };
    const say = (content: string): void => server.message({ content });
    const settings = { base_url: server.url };
    return { server, env, settings, say, shown: server.shown, breakConnection: () => server.endSockets() };
  },
  signal: async () => {
    const server = await startSignalServer();
    const env = { SIGNAL_HTTP_URL: server.url, SIGNAL_ACCOUNT: server.account };
    const say = (message: string): void => server.envelope({ dataMessage: { message } });
    return { server, env, say, shown: server.shown, breakConnection: () => server.dropStreams() };
  },
  sms: async () => {
    const port = await freePort();
    const address = "https://example.com/webhooks/twilio";
    const server = await startTwilioServer({ local: `http://127.0.0.1:${port}/webhooks/twilio`, address });
    const env = {
      TWILIO_ACCOUNT_SID: server.sid,
      TWILIO_AUTH_TOKEN: server.token,
      TWILIO_PHONE_NUMBER: server.number,
      SMS_WEBHOOK_URL: address,
    };
    const settings = { base_url: server.url, webhook_host: "127.0.0.1", webhook_port: port };
    return { server, env, settings, say: (Body) => server.message({ Body }), shown: server.shown };
  },
  wecom: async () => {
    const server = await startWecomBotServer();
    const env = { WECOM_BOT_ID: server.botId, WECOM_SECRET: server.secret, WECOM_WEBSOCKET_URL: server.socketUrl };
    const say = (content: string): void => server.message({ msgtype: "text", text: { content } });
    return { server, env, say, shown: server.shown, breakConnection: () => server.endSockets() };
  },
  wecom_callback: async () => {
    const port = await freePort();
    const server = await startWecomServer(`http://127.0.0.1:${port}/wecom/callback`);
    const [app] = server.apps;
    const env = {
      WECOM_CALLBACK_CORP_ID: app.corpId,
      WECOM_CALLBACK_CORP_SECRET: app.corpSecret,
      WECOM_CALLBACK_AGENT_ID: "1000002",
      WECOM_CALLBACK_TOKEN: app.token,
      WECOM_CALLBACK_ENCODING_AES_KEY: app.encodingKey,
      WECOM_CALLBACK_HOST: "127.0.0.1",
      WECOM_CALLBACK_PORT: String(port),
    };
    const settings = { base_url: server.url };
    return { server, env, settings, say: (text) => server.message(text), shown: server.shown };
  },
  weixin: async () => {
    const server = await startWeixinServer();
    const env = {
      WEIXIN_ACCOUNT_ID: server.account,
      WEIXIN_TOKEN: server.token,
      WEIXIN_BASE_URL: server.url,
      WEIXIN_CDN_BASE_URL: `${server.url}/c2c`,
    };
    return {
      server,
      env,
      say: (text) => server.text(text),
      shown: server.shown,
      breakConnection: () => server.cutPolls(),
    };
  },
  whatsapp: async () => {
    const port = await freePort();
    const server = await startWhatsAppServer(`http://127.0.0.1:${port}/whatsapp/webhook`);
    const env = {
      WHATSAPP_CLOUD_ACCESS_TOKEN: server.token,
      WHATSAPP_CLOUD_PHONE_NUMBER_ID: server.numberId,
      WHATSAPP_CLOUD_APP_SECRET: server.secret,
      WHATSAPP_CLOUD_VERIFY_TOKEN: "verify-me-0001",
      WHATSAPP_CLOUD_WEBHOOK_PORT: String(port),
    };
    const say = (body: string): void => server.message({ type: "text", text: { body } });
    const shown = (): readonly string[] =>
      server.sent().map((one) => String((one["text"] as { body?: string } | undefined)?.body ?? ""));
    return { server, env, settings: { base_url: server.url }, say, shown };
  },
};

export const oneChatPlatforms: readonly string[] = Object.keys(starts);

/** A platform whose fake has one chat; whatever number that chat has. */
export async function startOneChat(platform: string): Promise<Crowd> {
  const start = starts[platform];
  if (start === undefined) throw new Error(`There is no fake of ${platform} that repeats what nobody took in.`);
  const { server, env, settings = {}, say, shown, breakConnection } = await start();
  let number = 0;
  return {
    platform,
    config: `${platform}: ${JSON.stringify({ ...settings, allow_all_users: true })}`,
    env: Object.entries(env)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(""),
    say(chat, text) {
      number = chat;
      say(text);
    },
    repeat: () => server.repeat(),
    failNextSend: (fault) => server.nextSend(troubles[fault]),
    breakConnection: () => breakConnection?.(),
    shown: () => shown().map((text) => ({ chat: number, text })),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
