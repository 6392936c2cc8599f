import { Readable } from "node:stream";
import type { ChatType, InboundMessage } from "../platform/inbound.ts";
import type { Destination, Outbound, SendResult } from "../platform/outbound.ts";
import type { Capabilities, Connection, Platform } from "../platform/platform.ts";
import { lengthIn, splitText } from "../text/split.ts";

export interface Sent {
  readonly to: Destination;
  readonly message: Outbound;
  readonly key: string;
}

export interface FakePlatform {
  readonly platform: Platform;
  readonly connection: Connection;
  readonly sent: Sent[];
  /** Answers of the coming sends; without one a send succeeds. */
  readonly results: (SendResult | Error)[];
  message(text: string, options?: Partial<InboundMessage> & { chatId?: string; chatType?: ChatType }): InboundMessage;
  texts(): readonly string[];
  /** What people see, after all edits. */
  shown(): readonly string[];
  /** What files that are fetched hold, by their name in `ref`. */
  readonly files: Map<string, Buffer>;
  /** Chats that were told that somebody types. */
  readonly typing: Destination[];
  /** Marks at messages, as they were asked for. */
  readonly reactions: string[];
}

const capabilities: Capabilities = {
  maxLength: 200,
  lengthUnit: "codepoints",
  canEdit: true,
  needsFinalEdit: false,
  canType: true,
  canReact: true,
  hasButtons: true,
  hasThreads: true,
  media: { image: 1_000, document: 1_000 },
  settlesSends: "none",
  tier: "high",
  rate: { account: 300, chat: 300 },
};

/** A platform in memory: what would have gone over its wire is in `sent`. */
export function fakePlatform(options: Partial<Pick<Capabilities, "settlesSends" | "takesAnswers">> = {}): FakePlatform {
  const sent: Sent[] = [];
  const results: (SendResult | Error)[] = [];
  let count = 0;
  const typing: Destination[] = [];
  const reactions: string[] = [];
  const files = new Map<string, Buffer>();
  const connection: Connection = {
    account: { id: "bot", name: "Bot" },
    lost: new Promise(() => undefined),
    async send(to, message, { key }) {
      sent.push({ to, message, key });
      const result = results.shift() ?? { kind: "sent", messageId: `m${sent.length}` };
      if (result instanceof Error) throw result;
      return await Promise.resolve(result);
    },
    typing(to) {
      typing.push(to);
      return Promise.resolve();
    },
    react(_to, { messageId, emoji, isAdded }) {
      reactions.push(`${messageId} ${isAdded ? "+" : "-"}${emoji}`);
      return Promise.resolve();
    },
    fetchAttachment({ ref }) {
      const bytes = files.get(ref["file"] ?? "");
      if (bytes === undefined) throw new Error("gone");
      return Promise.resolve(Readable.from([bytes]) as AsyncIterable<Uint8Array>);
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  const measure = lengthIn(capabilities.lengthUnit);
  const platform: Platform = {
    id: "fake",
    label: "Fake",
    envPrefix: "FAKE",
    capabilities: { ...capabilities, ...options },
    credentials: [],
    lock: () => undefined,
    render: (markdown) =>
      splitText(markdown, { limit: capabilities.maxLength, measure }).map((text) => ({ text, plain: text })),
    readTarget: (text) => ({ chatId: text }),
    connect: () => Promise.resolve(connection),
  };
  return {
    platform,
    connection,
    sent,
    files,
    typing,
    reactions,
    shown() {
      const messages = new Map<string, string>();
      for (const [index, { message }] of sent.entries()) {
        const text = message.kind === "media" ? message.file : message.body.text;
        messages.set(message.kind === "edit" ? message.messageId : `m${index + 1}`, text);
      }
      return [...messages.values()];
    },
    results,
    message(text, { chatId = "1", chatType = "dm", ...rest } = {}) {
      count += 1;
      const source = { platform: "fake", account: "bot", chatId, chatType, userId: "7", userName: "Ann" };
      const about = { dedupKey: `fake:${count}`, messageId: `in${count}`, atMs: count, attachments: [] };
      return { source, text, ...about, ...rest };
    },
    texts: () => sent.map(({ message }) => (message.kind === "media" ? message.file : message.body.text)),
  };
}
