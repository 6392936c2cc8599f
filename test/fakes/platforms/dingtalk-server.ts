import { type WebSocket, WebSocketServer } from "ws";
import { type FakeCall, type FakeService, type Fields, Refused, startFakeService } from "./fake-service.ts";

export interface DingtalkServer extends Pick<FakeService, "calls" | "nextSend" | "sends" | "url" | "file"> {
  readonly clientId: string;
  readonly secret: string;
  readonly template: string;
  /** Somebody writes to the robot: `staff1`, unless it is said otherwise. */
  message(data: Fields): void;
  repeat(): void;
  shown(): readonly string[];
  /** The same with the chat each stands in. */
  shownIn(): readonly { readonly chat: string; readonly text: string }[];
  /** How often each card was ended. */
  finalised(): readonly number[];
  refuseCards(): void;
  endSockets(): void;
  [Symbol.asyncDispose](): Promise<void>;
}

interface Shown {
  readonly chat: string;
  text: string;
  readonly card?: string;
  finals: number;
}

const topic = "/v1.0/im/bot/messages/get";
const hourMs = 3_600_000;

/** DingTalk's API and stream on loopback; refuses wrong secrets and tokens, unknown chats, long texts, and ended cards. */
export async function startDingtalkServer(): Promise<DingtalkServer> {
  const [clientId, secret, token, template] = [
    "dingfake0001",
    "ding-fake-secret-0001",
    "ding-access-0001",
    "tpl.schema",
  ];
  const sockets = new Set<WebSocket>();
  const waiting = new Map<string, Fields>();
  const tickets = new Set<string>();
  const shown: Shown[] = [];
  let last: Fields = {};
  let count = 0;
  let takesCards = true;
  const refuse = (status: number, code: string): never => {
    throw new Refused(status, { code, message: code, requestid: "r" });
  };
  const show = (chat: string, text: string, card?: string): void => {
    if (chat === "" || chat === "nobody") refuse(400, "invalidConversationId");
    if ([...text].length > 20_000) refuse(400, "contentTooLong");
    shown.push({ chat, text, finals: 0, ...(card === undefined ? {} : { card }) });
  };
  const cards = ({ path, json }: FakeCall): Fields => {
    if (!takesCards) refuse(400, "param.cardTemplateNotExist");
    const id = String(json["outTrackId"]);
    const card = shown.find((one) => one.card === id);
    if (path === "/v1.0/card/instances") {
      if (json["cardTemplateId"] !== template) refuse(400, "param.templateNotExist");
      if (!/^hermes_[0-9a-f]{12}$/u.test(id)) refuse(400, "param.outTrackId");
      return { result: id };
    }
    if (path === "/v1.0/card/instances/deliver") {
      const [, chat = ""] = /^dtv1\.card\/\/IM_(?:GROUP|ROBOT)\.(.+)$/u.exec(String(json["openSpaceId"])) ?? [];
      if (card === undefined) show(chat, "", id);
      return { result: [{ success: true }] };
    }
    if (card === undefined) return refuse(400, "param.cardNotExist");
    if (card.finals > 0) refuse(400, "card.finalized");
    card.text = String(json["content"]);
    card.finals += json["isFinalize"] === true ? 1 : 0;
    return { success: true };
  };
  const robot = ({ path, json, query }: FakeCall): Fields => {
    if (path.startsWith("/robot/sendBySession")) {
      const markdown = json["markdown"] as Fields | undefined;
      if (json["msgtype"] !== "markdown" || markdown?.["title"] !== "Hermes") return { errcode: 400, errmsg: "param" };
      show(query.get("session") ?? "", String(markdown["text"]));
      return { errcode: 0, errmsg: "ok" };
    }
    if (json["robotCode"] !== clientId) refuse(400, "invalidRobotCode");
    if (path === "/v1.0/robot/messageFiles/download")
      return { downloadUrl: `${service.url}/files/${String(json["downloadCode"])}` };
    if (path.startsWith("/v1.0/robot/emotion/")) return { success: true };
    const { text } = JSON.parse(String(json["msgParam"])) as { text: string };
    const group = path === "/v1.0/robot/groupMessages/send" ? json["openConversationId"] : undefined;
    show(String(group ?? (json["userIds"] as string[] | undefined)?.[0] ?? ""), text);
    return { processQueryKey: `q${shown.length}` };
  };
  const service = await startFakeService({
    isSend: ({ path }) => /sendBySession|groupMessages\/send|batchSend|card\/streaming/u.test(path),
    limited: { json: { errcode: 130101, errmsg: "send too fast" } },
    refused: { json: { errcode: 460101, errmsg: "message is invalid" } },
    answer(call) {
      const { path, headers, json } = call;
      const [, file] = /^\/files\/(\w+)$/u.exec(path) ?? [];
      if (file !== undefined) return { bytes: service.fileOf(file) ?? "" };
      if (path === "/v1.0/gateway/connections/open") {
        if (json["clientId"] !== clientId || json["clientSecret"] !== secret) refuse(401, "authFailed");
        tickets.add(`ticket-${tickets.size}`);
        const endpoint = `${service.url.replace("http", "ws")}/connect`;
        return { json: { endpoint, ticket: `ticket-${tickets.size - 1}` } };
      }
      if (path === "/v1.0/oauth2/accessToken") {
        if (json["appKey"] !== clientId || json["appSecret"] !== secret) refuse(401, "invalidClientIdOrSecret");
        return { json: { accessToken: token, expireIn: 7200 } };
      }
      if (!path.startsWith("/robot/") && headers["x-acs-dingtalk-access-token"] !== token)
        refuse(401, "InvalidAuthentication");
      return { json: path.startsWith("/v1.0/card/") ? cards(call) : robot(call) };
    },
  });
  const gateway = new WebSocketServer({ server: service.server, path: "/connect" });
  const deliver = (socket: WebSocket, frame: Fields): void => socket.send(JSON.stringify(frame));
  gateway.on("connection", (socket, request) => {
    const ticket = new URL(request.url ?? "", "ws://localhost").searchParams.get("ticket") ?? "";
    // A ticket is good for one connection.
    if (!tickets.delete(ticket)) return socket.close();
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("message", (data) => {
      const { code, headers } = JSON.parse(String(data)) as { code: number; headers: Fields };
      if (code === 200) waiting.delete(String(headers["messageId"]));
    });
    deliver(socket, { specVersion: "1.0", type: "SYSTEM", headers: { topic: "CONNECTED" }, data: "{}" });
    for (const frame of waiting.values()) deliver(socket, frame);
  });
  /** What is not acknowledged is delivered again. */
  const push = (data: Fields): void => {
    count += 1;
    const headers = { topic, messageId: `d${count}`, contentType: "application/json" };
    const frame = { specVersion: "1.0", type: "CALLBACK", headers, data: JSON.stringify(data) };
    waiting.set(`d${count}`, frame);
    for (const socket of sockets) deliver(socket, frame);
  };
  return {
    ...service,
    clientId,
    secret,
    template,
    message(data) {
      const staff = String(data["senderStaffId"] ?? "staff1");
      const text = { msgtype: "text", text: { content: "" } };
      const chat = data["conversationType"] === "2" ? String(data["conversationId"]) : staff;
      last = {
        ...text,
        msgId: `msg${count}`,
        conversationId: `cid${staff}==`,
        conversationType: "1",
        senderId: `$:LWCP:${staff}`,
        senderStaffId: staff,
        senderNick: "Ada",
        chatbotUserId: "$:LWCP:robot",
        createAt: 1_700_000_000_000,
        sessionWebhook: `${service.url}/robot/sendBySession?session=${encodeURIComponent(chat)}`,
        sessionWebhookExpiredTime: Date.now() + 2 * hourMs,
        ...data,
      };
      push(last);
    },
    repeat: () => push(last),
    shown: () => shown.map(({ text }) => text),
    shownIn: () => shown.map(({ chat, text }) => ({ chat, text })),
    finalised: () => shown.flatMap(({ card, finals }) => (card === undefined ? [] : [finals])),
    refuseCards: () => {
      takesCards = false;
    },
    endSockets() {
      for (const socket of sockets) socket.terminate();
      sockets.clear();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of gateway.clients) socket.terminate();
      gateway.close();
      await service[Symbol.asyncDispose]();
    },
  };
}
