import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface ShownMessage {
  readonly chatId: string;
  readonly messageId: string;
  readonly text: string;
  readonly threadId?: string;
  readonly buttons: readonly string[];
}

export interface TelegramCall {
  readonly method: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export type Trouble =
  | { readonly kind: "status"; readonly status: number; readonly description: string; readonly retryAfter?: number }
  /** Done, but the answer never arrives. */
  | { readonly kind: "accept-then-cut" }
  /** The connection is cut before anything is done. */
  | { readonly kind: "cut" }
  /** No answer, and no end of the connection: a half-open socket. */
  | { readonly kind: "silent" };

export interface TelegramServer extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  readonly calls: TelegramCall[];
  /** What people see, after all edits. */
  shown(): readonly ShownMessage[];
  /** An update from a person; `again` repeats the number of an earlier one. */
  update(update: Record<string, unknown>, again?: number): number;
  text(
    text: string,
    options?: { chatId?: number; from?: number; chat?: Record<string, unknown>; more?: object },
  ): number;
  file(bytes: Buffer): string;
  press(messageId: string, data: string, from?: number): void;
  /** The next calls of a method fail. */
  trouble(method: string, ...troubles: readonly Trouble[]): void;
  /** Updates that a client has confirmed by asking for later ones. */
  confirmedUpTo(): number;
}

const knownChats = new Set(["7", "-100500", "8", "9"]);
/** So that many people can write, every number of four or five digits is a chat. */
const manyChats = /^[1-9]\d{3,4}$/u;

/** A Bot API on loopback that refuses what Telegram refuses: wrong tokens, markup that does not parse, long texts, unknown chats. */
export async function startTelegramServer(
  token = "123456:AAtest-token-of-the-fake-server-000000",
): Promise<TelegramServer> {
  const calls: TelegramCall[] = [];
  const updates: { readonly id: number; readonly body: Record<string, unknown> }[] = [];
  const shown = new Map<string, ShownMessage>();
  const files = new Map<string, Buffer>();
  const troubles = new Map<string, Trouble[]>();
  const waiting = new Set<() => void>();
  let updateId = 1000;
  let messageId = 0;
  let confirmed = 0;
  const wake = (): void => {
    for (const go of [...waiting]) go();
  };

  const actions: Record<string, (body: Record<string, unknown>) => unknown> = {
    getMe: () => ({ id: 42, is_bot: true, first_name: "Hermes", username: "hermes_bot" }),
    deleteWebhook: () => true,
    setWebhook: () => true,
    setMyCommands: () => true,
    sendChatAction: () => true,
    setMessageReaction: () => true,
    answerCallbackQuery: () => true,
    deleteMessage: ({ chat_id, message_id }) => shown.delete(`${String(chat_id)}:${String(message_id)}`),
    getFile: ({ file_id }) => ({
      file_id,
      file_unique_id: `u${String(file_id)}`,
      file_path: `files/${String(file_id)}`,
    }),
    sendMessage: (body) => show(body, String(body["text"])),
    editMessageText(body) {
      const key = `${String(body["chat_id"])}:${String(body["message_id"])}`;
      const before = shown.get(key);
      if (before === undefined) throw refused(400, "Bad Request: message to edit not found");
      check(body, String(body["text"]));
      const text = visible(body, String(body["text"]));
      if (before.text === text) throw refused(400, "Bad Request: message is not modified");
      shown.set(key, { ...before, text, buttons: buttonsOf(body) });
      return { message_id: Number(body["message_id"]) };
    },
  };
  for (const kind of ["Photo", "Animation", "Video", "Audio", "Voice", "Document"])
    actions[`send${kind}`] = (body) =>
      show(body, `[${kind.toLowerCase()} ${String(body["file_bytes"] ?? 0)}] ${String(body["caption"] ?? "")}`.trim());

  function show(body: Record<string, unknown>, text: string) {
    check(body, text);
    messageId += 1;
    const chatId = String(body["chat_id"]);
    const thread = body["message_thread_id"];
    shown.set(`${chatId}:${messageId}`, {
      chatId,
      messageId: String(messageId),
      text: visible(body, text),
      ...(thread === undefined ? {} : { threadId: String(thread) }),
      buttons: buttonsOf(body),
    });
    return { message_id: messageId, date: 0, chat: { id: Number(chatId), type: "private" } };
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, bot = "", method = "", ...rest] = (request.url ?? "").split("/");
    const bytes = await bodyOf(request);
    if (bot === "file") {
      const found = files.get(rest.at(-1) ?? "");
      response.writeHead(found === undefined ? 404 : 200).end(found);
      return;
    }
    const answer = (status: number, body: unknown): void => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
    if (bot !== `bot${token}`) return answer(401, { ok: false, error_code: 401, description: "Unauthorized" });
    const body = readBody(request, bytes);
    calls.push({ method, body });
    const trouble = troubles.get(method)?.shift();
    if (trouble?.kind === "silent") return;
    if (trouble?.kind === "cut") return void request.socket.destroy();
    if (trouble?.kind === "status")
      return answer(trouble.status, {
        ok: false,
        error_code: trouble.status,
        description: trouble.description,
        parameters: trouble.retryAfter === undefined ? undefined : { retry_after: trouble.retryAfter },
      });
    try {
      const result = method === "getUpdates" ? await poll(body, request) : actions[method]?.(body);
      if (result === undefined) return answer(404, { ok: false, error_code: 404, description: "Not Found" });
      if (trouble?.kind === "accept-then-cut") return void request.socket.destroy();
      answer(200, { ok: true, result });
    } catch (error) {
      const { status = 500, message = "" } = error as { status?: number; message?: string };
      answer(status, { ok: false, error_code: status, description: message });
    }
  }

  async function poll(body: Record<string, unknown>, request: IncomingMessage): Promise<unknown> {
    const offset = Number(body["offset"] ?? 0);
    confirmed = Math.max(confirmed, offset);
    const due = () => updates.filter(({ id }) => id >= offset).sort((a, b) => a.id - b.id);
    if (due().length === 0)
      await new Promise<void>((resolve) => {
        // A poll that has nothing to give ends empty after the time that was asked for.
        const over = setTimeout(() => go(), Number(body["timeout"] ?? 0) * 1000);
        const go = (): void => {
          clearTimeout(over);
          waiting.delete(go);
          resolve();
        };
        waiting.add(go);
        request.socket.once("close", go);
      });
    return due().map(({ id, body: one }) => ({ update_id: id, ...one }));
  }

  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const self: TelegramServer = {
    url: `http://127.0.0.1:${port}`,
    token,
    calls,
    shown: () => [...shown.values()],
    update(update, again) {
      if (again === undefined) updateId += 1;
      const id = again ?? updateId;
      if (again === undefined) updates.push({ id, body: update });
      else updates.push({ id, body: updates.find((one) => one.id === again)?.body ?? update });
      wake();
      return id;
    },
    text(text, { chatId = 7, from = 7, chat, more } = {}) {
      const where = chat ?? { id: chatId, type: "private", first_name: "Ann" };
      const sender = { id: from, is_bot: false, first_name: "Ann" };
      messageId += 1;
      const number = messageId;
      return self.update({
        message: { message_id: number, date: 1_700_000_000, chat: where, from: sender, text, ...more },
      });
    },
    file(bytes) {
      const id = `f${files.size + 1}`;
      files.set(id, bytes);
      return id;
    },
    press(pressed, data, from = 7) {
      const message = { message_id: Number(pressed), date: 1, chat: { id: 7, type: "private" } };
      self.update({
        callback_query: { id: "q1", data, from: { id: from, is_bot: false, first_name: "Ann" }, message },
      });
    },
    trouble(method, ...more) {
      troubles.set(method, [...(troubles.get(method) ?? []), ...more]);
    },
    confirmedUpTo: () => confirmed,
    async [Symbol.asyncDispose]() {
      wake();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return self;
}

function refused(status: number, message: string): Error {
  return Object.assign(new Error(message), { status });
}

function check(body: Record<string, unknown>, text: string): void {
  const chat = String(body["chat_id"]);
  if (!knownChats.has(chat) && !manyChats.test(chat)) throw refused(400, "Bad Request: chat not found");
  if (text.trim() === "") throw refused(400, "Bad Request: message text is empty");
  if (text.length > 4096) throw refused(400, "Bad Request: message is too long");
  if (body["parse_mode"] === "MarkdownV2") visible(body, text);
}

/** MarkdownV2 as a strict reader sees it; what Telegram would refuse throws. */
function visible(body: Record<string, unknown>, text: string): string {
  if (body["parse_mode"] !== "MarkdownV2") return text;
  const bad = (at: number, what: string): Error =>
    refused(400, `Bad Request: can't parse entities: ${what} at byte offset ${at}`);
  let out = "";
  const open: string[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? "";
    if (character === "\\") {
      out += text[at + 1] ?? "";
      at += 1;
    } else if (text.startsWith("```", at)) {
      const end = codeEnd(text, at + 3, "```");
      if (end < 0) throw bad(at, "unclosed code");
      out += text
        .slice(at + 3, end)
        .replace(/^[^\n]*\n/u, "")
        .replaceAll(/\\(.)/gsu, "$1")
        .trimEnd();
      at = end + 2;
    } else if (character === "`") {
      const end = codeEnd(text, at + 1, "`");
      if (end < 0) throw bad(at, "unclosed code");
      out += text.slice(at + 1, end).replaceAll(/\\(.)/gsu, "$1");
      at = end;
    } else if (character === "[") open.push("[");
    else if (character === "]" && open.at(-1) === "[" && text[at + 1] === "(") {
      open.pop();
      const end = /(?<!\\)\)/u.exec(text.slice(at + 2));
      if (end === null) throw bad(at, "unclosed link");
      at += 2 + end.index;
    } else if (text.startsWith("||", at)) {
      toggle(open, "||");
      at += 1;
    } else if ("*_~".includes(character)) toggle(open, character);
    else if (character === ">" && (at === 0 || text[at - 1] === "\n")) continue;
    else if ("[]()>#+-=|{}.!".includes(character)) throw bad(at, `character '${character}' is reserved`);
    else out += character;
  }
  if (open.length > 0) throw bad(text.length, `unclosed ${open.at(-1) ?? ""}`);
  return out;
}

function toggle(open: string[], mark: string): void {
  if (open.at(-1) === mark) open.pop();
  else if (open.includes(mark)) throw refused(400, "Bad Request: can't parse entities: nested marks");
  else open.push(mark);
}

function codeEnd(text: string, from: number, mark: string): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text.startsWith(mark, at)) return at;
  }
  return -1;
}

function buttonsOf(body: Record<string, unknown>): readonly string[] {
  const markup = body["reply_markup"] as { inline_keyboard?: { callback_data: string }[][] } | undefined;
  return (markup?.inline_keyboard ?? []).flat().map(({ callback_data: data }) => data);
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function readBody(request: IncomingMessage, bytes: Buffer): Record<string, unknown> {
  const type = request.headers["content-type"] ?? "";
  if (!type.startsWith("multipart/form-data"))
    return bytes.length === 0 ? {} : (JSON.parse(bytes.toString("utf8")) as Record<string, unknown>);
  const boundary = `--${/boundary=([^;]+)/u.exec(type)?.[1] ?? ""}`;
  const fields: Record<string, unknown> = {};
  for (const part of bytes.toString("latin1").split(boundary).slice(1, -1)) {
    const [head = "", ...rest] = part.split("\r\n\r\n");
    const value = rest.join("\r\n\r\n").slice(0, -2);
    const name = /name="([^"]+)"/u.exec(head)?.[1] ?? "";
    if (head.includes("filename=")) fields["file_bytes"] = value.length;
    else fields[name] = Buffer.from(value, "latin1").toString("utf8");
  }
  return fields;
}
