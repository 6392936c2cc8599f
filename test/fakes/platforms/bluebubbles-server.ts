import { type FakeService, type Fields, formOf, Refused, type ShownIn, startFakeService } from "./fake-service.ts";

export interface BlueBubblesServer extends Pick<FakeService, "calls" | "nextSend" | "sends" | "url" | "file"> {
  readonly password: string;
  message(data: Fields): void;
  repeat(): void;
  shown(): readonly string[];
  shownIn(): readonly ShownIn[];
  hooks(): readonly string[];
  [Symbol.asyncDispose](): Promise<void>;
}

export const blueBubblesChat = "iMessage;-;+15551112222";

/** What `/message/query` gives: from a time on, in an order, in pages. */
function page(messages: readonly Fields[], asked: Fields): readonly Fields[] {
  const { after = 0, sort = "DESC", limit = 100, offset = 0 } = asked;
  const found = messages.filter((one) => Number(one["dateCreated"]) >= Number(after));
  const sorted = sort === "ASC" ? found : found.toReversed();
  return sorted.slice(Number(offset), Number(offset) + Number(limit));
}

/** A BlueBubbles server on loopback; refuses wrong passwords, unknown chats, empty texts, and a key that it knows. */
export async function startBlueBubblesServer(options: {
  readonly local: string;
  readonly hasPrivateApi?: boolean;
}): Promise<BlueBubblesServer> {
  const { local, hasPrivateApi = true } = options;
  const password = "blue-password-0001";
  const shown: ShownIn[] = [];
  const chats = new Set([blueBubblesChat]);
  const keys = new Set<string>();
  const hooks = new Map<number, string>();
  const messages: Fields[] = [];
  let count = 0;
  const refuse = (status: number, message: string): never => {
    throw new Refused(status, { status, message, error: { message } });
  };
  const accept = (chat: string, key: string, text: string) => {
    if (!chats.has(chat)) refuse(404, "Chat does not exist!");
    if (key === "" || text === "") refuse(400, "tempGuid and message are required");
    if (keys.has(key)) refuse(400, `Message is already queued to be sent! (${key})`);
    keys.add(key);
    shown.push({ chat, text });
    return { json: { status: 200, data: { guid: `sent-${shown.length}` } } };
  };
  const service = await startFakeService({
    isSend: ({ path }) => path === "/api/v1/message/text",
    limited: { status: 429, json: { message: "Too many requests" }, headers: { "retry-after": "2" } },
    refused: { status: 400, json: { message: "Validation Error" } },
    async answer(call) {
      const { method, json, query } = call;
      const path = call.path.replace("/api/v1", "");
      if (query.get("password") !== password) refuse(401, "Unauthorized");
      if (path === "/server/info")
        return { json: { data: { private_api: hasPrivateApi, detected_imessage: "me@e.com" } } };
      if (path === "/webhook" && method === "GET")
        return { json: { data: [...hooks].map(([id, url]) => ({ id, url })) } };
      if (path === "/webhook") {
        count += 1;
        hooks.set(count, String(json["url"]));
        return { json: { data: { id: count } } };
      }
      if (method === "DELETE") return { json: { data: hooks.delete(Number(path.split("/").at(-1))) } };
      const [, file] = /^\/attachment\/(\w+)\/download$/u.exec(path) ?? [];
      if (file !== undefined) return { bytes: service.fileOf(file) ?? "" };
      if (/^\/chat\/.+\/(?:read|typing)$/u.test(path))
        return { json: { status: hasPrivateApi ? 200 : refuse(500, "no private API") } };
      if (path === "/message/query") return { json: { data: page(messages, json) } };
      if (path === "/message/text") {
        if (!hasPrivateApi && json["selectedMessageGuid"] !== undefined) refuse(400, "needs the private API");
        return accept(String(json["chatGuid"]), String(json["tempGuid"] ?? ""), String(json["message"] ?? ""));
      }
      if (path !== "/message/attachment") return refuse(404, "not found");
      const form = await formOf(call);
      const isFile = form.get("attachment") instanceof Blob;
      return accept(String(form.get("chatGuid")), String(form.get("tempGuid")), isFile ? "[file]" : "");
    },
  });
  // It calls once, and never again, whatever the answer is.
  let calling: Promise<unknown> = Promise.resolve();
  const call = (data: Fields | undefined): void => {
    const body = JSON.stringify({ type: "new-message", data });
    const headers = { "content-type": "application/json" };
    const url = `${local}?password=${encodeURIComponent(password)}`;
    calling = calling.then(() => fetch(url, { method: "POST", headers, body }).catch(() => undefined));
  };
  return {
    ...service,
    password,
    message(data) {
      count += 1;
      const common = { guid: `in-${count}`, handle: { address: "+15551112222" }, chats: [{ guid: blueBubblesChat }] };
      const message: Fields & typeof common = { ...common, dateCreated: 1_700_000_000_000 + count, ...data };
      for (const { guid } of message.chats) chats.add(guid);
      messages.push(message);
      call(message);
    },
    repeat: () => call(messages.at(-1)),
    shown: () => shown.map(({ text }) => text),
    shownIn: () => [...shown],
    hooks: () => [...hooks.values()],
  };
}
