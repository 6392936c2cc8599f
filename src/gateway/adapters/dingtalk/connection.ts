import { isRecord, parseJson } from "#foundation/text/json";
import type { Connection, ConnectionPorts, Reaction } from "../../platform/platform.ts";
import { type Fields, fieldsAt, textAt } from "../support/fields.ts";
import { openLine } from "../support/line.ts";
import { openFile } from "../support/media.ts";
import { missingSetting, type Service } from "../support/service-error.ts";
import { listenTo } from "../support/socket.ts";
import { type DingtalkApi, dingtalkApi } from "./api.ts";
import { DingtalkCards } from "./cards.ts";
import { type DingtalkRules, readCallback } from "./inbound.ts";
import { ReplyAddresses } from "./reply-addresses.ts";
import { sendToDingtalk } from "./send.ts";

const service: Service = { id: "dingtalk", label: "DingTalk" };
const waitsMs = [2_000, 5_000, 10_000, 30_000, 60_000];
const robotTopic = "/v1.0/im/bot/messages/get";

/** Connects a robot in stream mode: what is said to it comes over a socket. */
export async function connectDingtalk(ports: ConnectionPorts, _signal: AbortSignal): Promise<Connection> {
  const { dingtalk } = ports.config;
  if (dingtalk.client_id === "") throw missingSetting(service, "DINGTALK_CLIENT_ID");
  const api = dingtalkApi(ports);
  const addresses = new ReplyAddresses(api.root, ports.clock);
  const template = dingtalk.card_template_id;
  const cards = template === "" ? undefined : new DingtalkCards(api, template);
  const stream: Stream = { ports, api, addresses, rules: rulesOf(ports) };
  const line = openLine({ service, ports, waitsMs, stay: (ready, within) => stay(stream, ready, within) });
  await line.ready;
  return {
    account: { id: dingtalk.client_id, name: dingtalk.client_id },
    lost: line.lost,
    send: ({ chatId }, message, context) =>
      sendToDingtalk(message, { chatId, ...context }, { api, addresses, cards, ports }),
    react: ({ chatId }, reaction, within) => react(api, { chatId, ...reaction }, within),
    async fetchAttachment({ ref }, within) {
      const body = { downloadCode: ref["code"] ?? "", robotCode: api.robotCode };
      const answer = await api.rest("/v1.0/robot/messageFiles/download", { body, signal: within });
      return await openFile(ports.fetch, { label: service.label, url: textAt(answer, "downloadUrl") }, within);
    },
    [Symbol.asyncDispose]: () => line[Symbol.asyncDispose](),
  };
}

function rulesOf({ config: { dingtalk } }: ConnectionPorts): DingtalkRules {
  return {
    account: dingtalk.client_id,
    requireMention: dingtalk.require_mention,
    mentionPatterns: dingtalk.mention_patterns.map((pattern) => new RegExp(pattern, "iu")),
    freeChats: new Set(dingtalk.free_response_channels),
    channelPrompts: dingtalk.channel_prompts,
  };
}

interface Stream {
  readonly ports: ConnectionPorts;
  readonly api: DingtalkApi;
  readonly addresses: ReplyAddresses;
  readonly rules: DingtalkRules;
}

async function stay({ ports, api, addresses, rules }: Stream, ready: () => void, signal: AbortSignal): Promise<string> {
  const { dingtalk, platforms } = ports.config;
  const body = {
    clientId: dingtalk.client_id,
    clientSecret: platforms["dingtalk"]?.token.reveal() ?? "",
    ua: "hermes",
    subscriptions: [{ type: "CALLBACK", topic: robotTopic }],
  };
  const headers = { accept: "application/json" };
  const { endpoint, ticket } = await api.open("/v1.0/gateway/connections/open", { body, headers, signal });
  const { reason } = await listenTo(
    {
      ports,
      url: `${String(endpoint)}?ticket=${encodeURIComponent(String(ticket))}`,
      alive: ports.alive,
      opened: () => {
        ports.alive();
        ready();
      },
      async take(frame, line) {
        const about = fieldsAt(frame, "headers");
        const answer = (data: string): void =>
          line.write({
            code: 200,
            headers: { contentType: "application/json", messageId: textAt(about, "messageId") },
            message: "OK",
            data,
          });
        if (frame["type"] === "SYSTEM") {
          if (about["topic"] === "ping") answer(textAt(frame, "data"));
          else if (about["topic"] === "disconnect") line.end("asked to reconnect");
          return;
        }
        const data = dataOf(frame);
        const message = about["topic"] === robotTopic ? readCallback(data, rules) : undefined;
        if (message !== undefined) {
          addresses.learn(message.source.chatId, data);
          await ports.admit(message);
        }
        answer(JSON.stringify({ response: null }));
      },
    },
    signal,
  );
  return reason;
}

/** What is delivered comes as JSON inside JSON. */
function dataOf(frame: Fields): Fields {
  const parsed = parseJson(textAt(frame, "data"));
  return parsed.ok && isRecord(parsed.value) ? parsed.value : {};
}

const emotions: Readonly<Record<string, string>> = { "👀": "🤔Thinking", "👍": "🥳Done", "👎": "😢Failed" };

async function react(
  { rest, robotCode }: DingtalkApi,
  { chatId, messageId, emoji, isAdded }: Reaction & { readonly chatId: string },
  signal: AbortSignal,
): Promise<void> {
  const name = emotions[emoji] ?? emoji;
  const body = {
    robotCode,
    openMsgId: messageId,
    openConversationId: chatId,
    emotionType: 2,
    emotionName: name,
    textEmotion: { emotionId: "2659900", emotionName: name, text: name, backgroundId: "im_bg_1" },
  };
  await rest(`/v1.0/robot/emotion/${isAdded ? "reply" : "recall"}`, { body, signal });
}
