import { linkSignals } from "#foundation/lifecycle/abort";
import type { Connection, ConnectionPorts } from "../../platform/platform.ts";
import { admitPatiently } from "../support/admit-patiently.ts";
import { type Fields, fieldsAt, textAt } from "../support/fields.ts";
import { Latest } from "../support/latest.ts";
import { openLine } from "../support/line.ts";
import { openFile } from "../support/media.ts";
import { missingSetting, type Service } from "../support/service-error.ts";
import { listenTo, type SocketLine } from "../support/socket.ts";
import { decrypted } from "./crypto.ts";
import { readCallback, type WecomRules } from "./inbound.ts";
import { WecomRequests } from "./requests.ts";
import { sendToWecom } from "./send.ts";

const service: Service = { id: "wecom", label: "WeCom" };
const waitsMs = [2_000, 5_000, 10_000, 30_000, 60_000];
const pingEveryMs = 30_000;
const rememberedChats = 1_000;
const messages = new Set(["aibot_msg_callback", "aibot_callback"]);

/** Connects an AI bot: everything goes over one socket. */
export async function connectWecom(ports: ConnectionPorts, _signal: AbortSignal): Promise<Connection> {
  const { wecom } = ports.config;
  if (wecom.bot_id === "") throw missingSetting(service, "WECOM_BOT_ID");
  const stream: Stream = {
    ports,
    rules: rulesOf(ports),
    requests: new WecomRequests(),
    requestOf: new Latest<string>(rememberedChats),
  };
  const { requests, requestOf } = stream;
  const line = openLine({ service, ports, waitsMs, stay: (ready, within) => stay(stream, ready, within) });
  await line.ready;
  return {
    account: { id: wecom.bot_id, name: wecom.bot_id },
    lost: line.lost,
    send: ({ chatId }, message, context) =>
      sendToWecom(message, { ...context, chatId, request: requestOf.get(chatId), requests, ports }),
    async fetchAttachment({ ref }, within) {
      const bytes = await openFile(ports.fetch, { label: service.label, url: ref["url"] ?? "" }, within);
      const key = ref["key"] ?? "";
      return key === "" ? bytes : decrypted(bytes, key);
    },
    [Symbol.asyncDispose]: () => line[Symbol.asyncDispose](),
  };
}

function rulesOf({ config: { wecom } }: ConnectionPorts): WecomRules {
  return {
    account: wecom.bot_id,
    policies: {
      dm: wecom.dm_policy,
      group: wecom.group_policy,
      allowFrom: wecom.allow_from,
      groupAllowFrom: wecom.group_allow_from,
      members: wecom.groups,
    },
    channelPrompts: wecom.channel_prompts,
  };
}

interface Stream {
  readonly ports: ConnectionPorts;
  readonly rules: WecomRules;
  readonly requests: WecomRequests;
  /** The request that the last message of each chat came with: answers carry it. */
  readonly requestOf: Latest<string>;
}

async function stay(stream: Stream, ready: () => void, signal: AbortSignal): Promise<string> {
  const { ports, requests } = stream;
  const over = new AbortController();
  const within = linkSignals(signal, over.signal);
  let refused: unknown;
  let running: Promise<void> | undefined;
  const begin = async (line: SocketLine): Promise<void> => {
    try {
      await subscribe(stream, within);
      ready();
      await keepAsking(stream, within);
      line.end("no answer to a ping");
    } catch (error) {
      refused = error;
      line.end("not let in");
    }
  };
  const { reason } = await listenTo(
    {
      ports,
      url: ports.config.wecom.websocket_url,
      alive: ports.alive,
      opened: (line) => {
        requests.opened(line);
        running = begin(line);
      },
      take: (frame, line) => (requests.answer(frame) ? undefined : take(frame, line, { ...stream, signal })),
    },
    signal,
  );
  over.abort();
  requests.closed();
  await running;
  if (refused !== undefined && !signal.aborted) throw refused;
  return reason;
}

async function subscribe({ ports: { config }, requests }: Stream, signal: AbortSignal): Promise<void> {
  const cmd = "aibot_subscribe";
  const body = { bot_id: config.wecom.bot_id, secret: config.platforms["wecom"]?.token.reveal() ?? "" };
  await requests.ask({ cmd, id: requests.nextId(cmd), body }, signal);
}

/** Resolves when a ping was not answered, or the line is over. */
async function keepAsking({ ports, requests }: Stream, signal: AbortSignal): Promise<void> {
  for (;;) {
    await ports.clock.sleep(pingEveryMs, signal).catch(() => undefined);
    if (signal.aborted) return;
    const ping = { cmd: "ping", id: requests.nextId("ping"), body: {} };
    const isAnswered = await requests.ask(ping, signal).then(
      () => true,
      () => false,
    );
    if (!isAnswered) return;
  }
}

async function take(
  frame: Fields,
  line: SocketLine,
  { ports, rules, requestOf, signal }: Stream & { readonly signal: AbortSignal },
): Promise<void> {
  const body = fieldsAt(frame, "body");
  if (frame["cmd"] === "aibot_event_callback" && fieldsAt(body, "event")["eventtype"] === "disconnected_event")
    return line.end("the bot connected from elsewhere");
  if (!messages.has(textAt(frame, "cmd"))) return;
  const message = readCallback(body, rules);
  if (message === undefined) return;
  requestOf.set(message.source.chatId, textAt(fieldsAt(frame, "headers"), "req_id"));
  // WeCom hands a message over once and asks for no receipt.
  await admitPatiently(ports, message, { signal });
}
