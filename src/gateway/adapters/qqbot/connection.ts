import { createHash } from "node:crypto";
import type { Destination, Outbound, SendResult } from "../../platform/outbound.ts";
import type { Connection, ConnectionPorts, SendContext } from "../../platform/platform.ts";
import { type Fields, textAt } from "../support/fields.ts";
import { Latest } from "../support/latest.ts";
import { openLine } from "../support/line.ts";
import { openFile } from "../support/media.ts";
import type { Rest } from "../support/rest.ts";
import { connectionErrorOf, failureOf, missingSetting, type Service, ServiceError } from "../support/service-error.ts";
import { qqApi } from "./api.ts";
import { QqGateway } from "./gateway.ts";

const service: Service = { id: "qqbot", label: "QQ" };
const waitsMs = [2_000, 5_000, 10_000, 30_000, 60_000];
const rememberedChats = 1_000;
const answerNumbers = 20_000_000;
const piecesPerAnswer = 100;
const typingEveryMs = 50_000;
/** The platform has a message with this number already: it arrived the first time. */
const isRepeated = (error: unknown): boolean => error instanceof ServiceError && error.code === "40054005";

/** Connects an official bot by its gateway. */
export async function connectQq(ports: ConnectionPorts, signal: AbortSignal): Promise<Connection> {
  const { qqbot } = ports.config;
  if (qqbot.app_id === "") throw missingSetting(service, "QQ_APP_ID");
  const api = qqApi(ports);
  await api.authorization(signal).catch((error: unknown) => {
    throw connectionErrorOf(service, error);
  });
  const lastOf = new Latest<string>(rememberedChats);
  const gateway = new QqGateway({ ports, api, account: qqbot.app_id, lastOf });
  const line = openLine({ service, ports, waitsMs, stay: (ready, within) => gateway.stay(ready, within) });
  await line.ready;
  const typedAtMs = new Latest<number>(rememberedChats);
  return {
    account: { id: qqbot.app_id, name: qqbot.app_id },
    lost: line.lost,
    send: (to, message, context) =>
      sendToQq(to, message, {
        ...context,
        rest: api.rest,
        last: lastOf.get(to.chatId),
        usesMarkdown: qqbot.markdown_support,
      }),
    async typing({ chatId }, within) {
      const [last, nowMs] = [lastOf.get(chatId), ports.clock.now()];
      if (!chatId.startsWith("user:") || last === undefined || nowMs - (typedAtMs.get(chatId) ?? 0) < typingEveryMs)
        return;
      typedAtMs.set(chatId, nowMs);
      const body = { msg_type: 6, input_notify: { input_type: 1, input_second: 60 }, msg_id: last, msg_seq: 1 };
      await api.rest(pathOf(chatId), { body, signal: within });
    },
    fetchAttachment: ({ ref }, within) =>
      openFile(ports.fetch, { label: service.label, url: ref["url"] ?? "" }, within),
    [Symbol.asyncDispose]: () => line[Symbol.asyncDispose](),
  };
}

function pathOf(chatId: string): string {
  const [kind = "", id = ""] = chatId.split(":");
  const paths: Readonly<Record<string, string>> = {
    user: "/v2/users",
    group: "/v2/groups",
    channel: "/channels",
    guild: "/dms",
  };
  return `${paths[kind] ?? "/channels"}/${encodeURIComponent(id)}/messages`;
}

interface Sending extends SendContext {
  readonly rest: Rest;
  readonly last: string | undefined;
  readonly usesMarkdown: boolean;
}

async function sendToQq(to: Destination, message: Outbound, at: Sending): Promise<SendResult> {
  if (message.kind !== "text") return { kind: "failed", errorClass: "unknown", message: "QQ gets words only" };
  const answered = message.replyTo ?? at.last;
  const content: Fields = at.usesMarkdown
    ? { msg_type: 2, markdown: { content: message.body.text } }
    : {
        msg_type: 0,
        content: message.body.plain,
        ...(answered === undefined ? {} : { message_reference: { message_id: answered } }),
      };
  const about = answered === undefined ? {} : { msg_id: answered, msg_seq: numberOf(at.key) };
  try {
    const answer = await at.rest(pathOf(to.chatId), { body: { ...content, ...about }, signal: at.signal });
    return { kind: "sent", messageId: textAt(answer, "id") || undefined };
  } catch (error) {
    return isRepeated(error) ? { kind: "sent", messageId: undefined } : failureOf(error);
  }
}

/**
 * QQ drops a second message with the same number for the same message. Keys end with the number of the part: parts of one
 * answer follow each other, other answers have numbers elsewhere, and a part that is sent again has its own number again.
 */
export function numberOf(key: string): number {
  const [, answer = key, part = "0"] = /^(.*):(\d+)$/su.exec(key) ?? [];
  const start = createHash("sha256").update(answer).digest().readUInt32BE(0) % answerNumbers;
  return start * piecesPerAnswer + (Number(part) % piecesPerAnswer) + 1;
}
