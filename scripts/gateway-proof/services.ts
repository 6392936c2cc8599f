import { freePort } from "../../test/fakes/free-port.ts";
import { startBlueBubblesServer } from "../../test/fakes/platforms/bluebubbles-server.ts";
import { startDingtalkServer } from "../../test/fakes/platforms/dingtalk-server.ts";
import type { SendTrouble, ShownIn } from "../../test/fakes/platforms/fake-service.ts";
import { startFeishuServer } from "../../test/fakes/platforms/feishu-server.ts";
import { startHomeAssistantServer } from "../../test/fakes/platforms/homeassistant-server.ts";
import { startMatrixServer } from "../../test/fakes/platforms/matrix-server.ts";
import { startMattermostServer } from "../../test/fakes/platforms/mattermost-server.ts";
import { startQqServer } from "../../test/fakes/platforms/qq-server.ts";
import { startSignalServer } from "../../test/fakes/platforms/signal-server.ts";
import { startTwilioServer } from "../../test/fakes/platforms/twilio-server.ts";
import { startWecomBotServer } from "../../test/fakes/platforms/wecom-bot-server.ts";
import { startWecomServer } from "../../test/fakes/platforms/wecom-server.ts";
import { startWeixinServer } from "../../test/fakes/platforms/weixin-server.ts";
import { startWhatsAppBridgeServer } from "../../test/fakes/platforms/whatsapp-bridge-server.ts";
import { startWhatsAppServer } from "../../test/fakes/platforms/whatsapp-server.ts";
import type { Crowd, SendFault } from "./crowd.ts";

/** The fake of a platform, and how people of several chats write there. */
export interface ServiceCrowd {
  readonly server: AsyncDisposable & {
    repeat(): void;
    nextSend(trouble: SendTrouble): void;
  };
  readonly env: Readonly<Record<string, string>>;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** The id that the platform gives a chat. */
  chatId(chat: number): string;
  say(chatId: string, text: string): void;
  shown(): readonly ShownIn[];
  handedOver?(): readonly (readonly string[])[];
  breakConnection?(): void;
}

const troubles: Readonly<Record<SendFault, SendTrouble>> = {
  "server-error": "server-error",
  "rate-limited": "rate-limited",
  "accept-then-cut": "accept-then-cut",
};
const digits = (chat: number, length: number): string => String(chat).padStart(length, "0");

const starts: Readonly<Record<string, () => Promise<ServiceCrowd>>> = {
  bluebubbles: async () => {
    const port = await freePort();
    const local = `http://127.0.0.1:${port}/bluebubbles-webhook`;
    const server = await startBlueBubblesServer({ local, hasPrivateApi: true });
    return {
      server,
      env: { BLUEBUBBLES_SERVER_URL: server.url, BLUEBUBBLES_PASSWORD: server.password },
      settings: { webhook_port: port },
      chatId: (chat) => `iMessage;-;+1555${digits(chat, 7)}`,
      say: (guid, text) => server.message({ text, chats: [{ guid }], handle: { address: guid.split(";").at(-1) } }),
      shown: server.shownIn,
    };
  },
  dingtalk: async () => {
    const server = await startDingtalkServer();
    return {
      server,
      env: { DINGTALK_CLIENT_ID: server.clientId, DINGTALK_CLIENT_SECRET: server.secret },
      settings: { base_url: server.url },
      chatId: (chat) => `staff${chat}`,
      say: (senderStaffId, content) => server.message({ senderStaffId, text: { content } }),
      shown: server.shownIn,
      breakConnection: () => server.endSockets(),
    };
  },
  feishu: async () => {
    const server = await startFeishuServer();
    return {
      server,
      env: { FEISHU_APP_ID: server.appId, FEISHU_APP_SECRET: server.secret },
      settings: { base_url: server.url },
      chatId: (chat) => `oc_chat${chat}`,
      say(id, text) {
        const sender = { open_id: `ou_${id}`, union_id: `on_${id}`, user_id: id };
        server.message({ chat_id: id, message_type: "text", content: JSON.stringify({ text }) }, sender);
      },
      shown: server.messages,
      breakConnection: () => server.endSockets(),
    };
  },
  homeassistant: async () => {
    const server = await startHomeAssistantServer();
    let count = 0;
    return {
      server,
      env: { HASS_URL: server.url, HASS_TOKEN: server.token },
      settings: { watch_domains: ["sensor"] },
      chatId: () => "ha_events",
      say(_id, text) {
        count += 1;
        server.change(`sensor.report_${count}`, "nothing", text);
      },
      shown: () => [...server.notifications().values()].map((text) => ({ chat: "ha_events", text })),
      breakConnection: () => server.dropSockets(),
    };
  },
  matrix: async () => {
    const server = await startMatrixServer();
    return {
      server,
      env: { MATRIX_HOMESERVER: server.url, MATRIX_ACCESS_TOKEN: server.token },
      chatId: (chat) => `!room${chat}:fake.example`,
      say: (room, body) => server.message({ body }, { room, sender: room.replace("!room", "@user") }),
      shown: server.shownIn,
      breakConnection: () => server.dropPolls(),
    };
  },
  mattermost: async () => {
    const server = await startMattermostServer();
    return {
      server,
      env: { MATTERMOST_URL: server.url, MATTERMOST_TOKEN: server.token },
      chatId: (chat) => `c${digits(chat, 25)}`,
      say: (id, message) => server.post({ channel_id: id, user_id: `u${id.slice(1)}`, message }),
      shown: () => server.shown().map(({ channel_id: id, message }) => ({ chat: String(id), text: String(message) })),
      breakConnection: () => server.dropSockets(),
    };
  },
  qqbot: async () => {
    const server = await startQqServer();
    return {
      server,
      env: { QQ_APP_ID: server.appId, QQ_CLIENT_SECRET: server.secret },
      settings: { base_url: server.url },
      chatId: (chat) => `openid${chat}`,
      say: (id, content) => server.message({ author: { user_openid: id }, content }),
      shown: server.shownIn,
      breakConnection: () => server.endSockets(),
    };
  },
  signal: () => startSignal(),
  /** A daemon that does not number its events, and so cannot send them again. */
  "signal-old": () => startSignal({ isOld: true }),
  sms: async () => {
    const port = await freePort();
    const address = "https://example.com/webhooks/twilio";
    const server = await startTwilioServer({ local: `http://127.0.0.1:${port}/webhooks/twilio`, address });
    return {
      server,
      env: {
        TWILIO_ACCOUNT_SID: server.sid,
        TWILIO_AUTH_TOKEN: server.token,
        TWILIO_PHONE_NUMBER: server.number,
        SMS_WEBHOOK_URL: address,
      },
      settings: { base_url: server.url, webhook_host: "127.0.0.1", webhook_port: port },
      // Not the numbers of +1555…: the first of them is that of Hermes itself.
      chatId: (chat) => `+1556${digits(chat, 7)}`,
      say: (From, Body) => server.message({ From, Body }),
      shown: server.shownIn,
    };
  },
  wecom: async () => {
    const server = await startWecomBotServer();
    return {
      server,
      env: { WECOM_BOT_ID: server.botId, WECOM_SECRET: server.secret, WECOM_WEBSOCKET_URL: server.socketUrl },
      chatId: (chat) => `user${chat}`,
      say: (userid, content) => server.message({ from: { userid }, msgtype: "text", text: { content } }),
      shown: server.shownIn,
      handedOver: server.handedOver,
      breakConnection: () => server.endSockets(),
    };
  },
  wecom_callback: async () => {
    const port = await freePort();
    const server = await startWecomServer(`http://127.0.0.1:${port}/wecom/callback`);
    const [app] = server.apps;
    return {
      server,
      env: {
        WECOM_CALLBACK_CORP_ID: app.corpId,
        WECOM_CALLBACK_CORP_SECRET: app.corpSecret,
        WECOM_CALLBACK_AGENT_ID: "1000002",
        WECOM_CALLBACK_TOKEN: app.token,
        WECOM_CALLBACK_ENCODING_AES_KEY: app.encodingKey,
        WECOM_CALLBACK_HOST: "127.0.0.1",
        WECOM_CALLBACK_PORT: String(port),
      },
      settings: { base_url: server.url },
      chatId: (chat) => `user${chat}`,
      say: (user, text) => server.message(text, app, user),
      shown: server.shownIn,
    };
  },
  weixin: async () => {
    const server = await startWeixinServer();
    return {
      server,
      env: {
        WEIXIN_ACCOUNT_ID: server.account,
        WEIXIN_TOKEN: server.token,
        WEIXIN_BASE_URL: server.url,
        WEIXIN_CDN_BASE_URL: `${server.url}/c2c`,
      },
      chatId: (chat) => `user${chat}@im.wechat`,
      say: (user, text) => server.text(text, { from_user_id: user }),
      shown: server.shownIn,
      breakConnection: () => server.cutPolls(),
    };
  },
  whatsapp: async () => {
    const port = await freePort();
    const server = await startWhatsAppServer(`http://127.0.0.1:${port}/whatsapp/webhook`);
    return {
      server,
      env: {
        WHATSAPP_CLOUD_ACCESS_TOKEN: server.token,
        WHATSAPP_CLOUD_PHONE_NUMBER_ID: server.numberId,
        WHATSAPP_CLOUD_APP_SECRET: server.secret,
        WHATSAPP_CLOUD_VERIFY_TOKEN: "verify-me-0001",
        WHATSAPP_CLOUD_WEBHOOK_PORT: String(port),
      },
      settings: { base_url: server.url },
      chatId: (chat) => `1555${digits(chat, 7)}`,
      say: (from, body) => server.message({ from, type: "text", text: { body } }),
      shown: () =>
        server.sent().map(({ to, text }) => ({ chat: String(to), text: (text as { body?: string })?.body ?? "" })),
    };
  },
  /** WhatsApp the other way: as a linked device. */
  "whatsapp-bridge": async () => {
    const server = await startWhatsAppBridgeServer();
    return {
      server,
      env: { WHATSAPP_BRIDGE_TOKEN: server.token },
      settings: { backend: "bridge", mode: "bot", bridge_url: server.url, dm_policy: "open" },
      chatId: (chat) => `1555${digits(chat, 7)}@s.whatsapp.net`,
      say: (id, text) => server.message({ chatId: id, senderId: id, text }),
      shown: server.shownIn,
      breakConnection: () => server.dropPolls(),
    };
  },
};

async function startSignal(options: { readonly isOld?: boolean } = {}): Promise<ServiceCrowd> {
  const server = await startSignalServer(options);
  return {
    server,
    env: { SIGNAL_HTTP_URL: server.url, SIGNAL_ACCOUNT: server.account },
    chatId: (chat) => `+4917${digits(chat, 8)}`,
    say(number, message) {
      const sourceUuid = `6f1c1d2e-0000-4000-8000-${number.slice(1).padStart(12, "0")}`;
      server.envelope({ sourceNumber: number, sourceUuid, dataMessage: { message } });
    },
    shown: server.shownIn,
    handedOver: server.handedOver,
    breakConnection: () => server.dropStreams(),
  };
}

/** Other ways to reach a platform, by the names they have here. */
export const otherWays: Readonly<Record<string, string>> = { "whatsapp-bridge": "whatsapp", "signal-old": "signal" };

export const servicePlatforms: readonly string[] = Object.keys(starts);
/** All that comes from there is one conversation. */
export const oneChatPlatforms: readonly string[] = ["homeassistant"];

export async function startService(name: string): Promise<Crowd> {
  const start = starts[name];
  if (start === undefined) throw new Error(`There is no platform ${name}.`);
  return crowdOf(otherWays[name] ?? name, await start());
}

export function crowdOf(platform: string, service: ServiceCrowd): Crowd {
  const { server, env, settings = {}, breakConnection } = service;
  const numbers = new Map<string, number>();
  return {
    platform,
    isOneLane: oneChatPlatforms.includes(platform),
    config: `${platform}: ${JSON.stringify({ ...settings, allow_all_users: true })}`,
    env: Object.entries(env)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(""),
    say(chat, text) {
      const id = service.chatId(chat);
      numbers.set(id, chat);
      service.say(id, text);
    },
    repeat: () => server.repeat(),
    failNextSend: (fault) => server.nextSend(troubles[fault]),
    breakConnection: () => breakConnection?.(),
    // A chat in which nobody wrote has no number, and whatever stands there is in the wrong place.
    shown: () => service.shown().map(({ chat, text }) => ({ chat: numbers.get(chat) ?? -1, text })),
    handedOver: () => service.handedOver?.() ?? [],
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
