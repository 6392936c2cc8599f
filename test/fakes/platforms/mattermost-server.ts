import { type WebSocket, WebSocketServer } from "ws";
import { type FakeCall, type FakeService, type Fields, formOf, Refused, startFakeService } from "./fake-service.ts";

export interface MattermostServer extends Pick<FakeService, "calls" | "nextSend" | "sends" | "url" | "file"> {
  readonly token: string;
  /** A person posts, in `direct` unless it is said otherwise; a channel that is not known yet is a direct one. */
  post(more: Fields): void;
  repeat(): void;
  shown(): readonly Fields[];
  dropSockets(): void;
  [Symbol.asyncDispose](): Promise<void>;
}

export const mattermostChannels = { direct: "d".repeat(26), town: "t".repeat(26) } as const;
const me = { id: "b".repeat(26), username: "hermes" };

/** Mattermost's REST and socket on loopback; refuses wrong tokens, unknown channels and roots, and long posts. */
export async function startMattermostServer(): Promise<MattermostServer> {
  const token = "mattermost-fake-token-0001";
  const types: Record<string, string> = { [mattermostChannels.direct]: "D", [mattermostChannels.town]: "O" };
  const posts: Fields[] = [];
  const sockets = new Set<WebSocket>();
  let last: Fields = {};
  let count = 0;
  let nowMs = 1_700_000_000_000;

  const store = (post: Fields): Fields => {
    count += 1;
    nowMs += 10;
    const stored = {
      id: `p${String(count).padStart(25, "0")}`,
      create_at: nowMs,
      delete_at: 0,
      type: "",
      root_id: "",
      ...post,
    };
    posts.push(stored);
    return stored;
  };
  const create = (post: Fields): Fields => {
    if (types[String(post["channel_id"])] === undefined) throw new Refused(403, { message: "no such channel for you" });
    if ([...String(post["message"])].length > 16_383) throw new Refused(400, { message: "the message is too long" });
    const root = posts.find(({ id }) => id === post["root_id"]);
    if ((post["root_id"] ?? "") !== "" && (root === undefined || root["root_id"] !== ""))
      throw new Refused(400, { message: "Invalid RootId parameter" });
    const twin = posts.find(
      (one) => one["pending_post_id"] !== undefined && one["pending_post_id"] === post["pending_post_id"],
    );
    return twin ?? store({ ...post, user_id: me.id });
  };
  const answer = async (call: FakeCall): Promise<unknown> => {
    const { method, json } = call;
    const path = call.path.replace("/api/v4", "");
    if (path === "/users/me") return me;
    if (path === "/users/me/channels")
      return Object.entries(types).map(([id, type]) => ({
        id,
        type,
        display_name: "",
        last_post_at: Math.max(
          0,
          ...posts.filter((one) => one["channel_id"] === id).map((one) => Number(one["create_at"])),
        ),
      }));
    if (path === "/users/me/typing" || path === "/reactions") return { status: "OK" };
    if (path === "/posts" && method === "POST") return create(json);
    const [, edited] = /^\/posts\/(\w+)\/patch$/u.exec(path) ?? [];
    const at = posts.findIndex(({ id }) => id === edited);
    if (edited !== undefined) {
      const before = posts[at];
      if (before === undefined) throw new Refused(404, { message: "no such post" });
      posts[at] = { ...before, message: json["message"] };
      return posts[at];
    }
    const [, channel] = /^\/channels\/(\w+)\/posts$/u.exec(path) ?? [];
    const since = Number(call.query.get("since") ?? 0);
    const found = posts.filter((one) => one["channel_id"] === channel && Number(one["create_at"]) > since);
    if (channel !== undefined) return { posts: Object.fromEntries(found.map((one) => [one["id"], one])) };
    if (path === "/files") {
      const file = (await formOf(call)).get("files");
      if (!(file instanceof Blob)) throw new Refused(400, { message: "no file" });
      return { file_infos: [{ id: service.file(Buffer.from(await file.arrayBuffer())) }] };
    }
    throw new Refused(404, { message: `no route ${path}` });
  };

  const service = await startFakeService({
    isSend: ({ method, path }) => method === "POST" && path === "/api/v4/posts",
    limited: { status: 429, json: { message: "limit exceeded" }, headers: { "retry-after": "3" } },
    refused: { status: 400, json: { message: "Invalid or missing message" } },
    async answer(call) {
      if (call.headers.authorization !== `Bearer ${token}`) throw new Refused(401, { message: "Invalid session" });
      const [, file] = /\/files\/(\w+)$/u.exec(call.path) ?? [];
      if (file !== undefined) return { bytes: service.fileOf(file) ?? Buffer.alloc(0) };
      return { json: await answer(call) };
    },
  });
  const gateway = new WebSocketServer({ server: service.server, path: "/api/v4/websocket" });
  gateway.on("connection", (socket) => {
    socket.on("close", () => sockets.delete(socket));
    socket.on("message", (data) => {
      const { action, seq, data: sent } = JSON.parse(String(data)) as Fields;
      if (action !== "authentication_challenge") return;
      if ((sent as Fields)["token"] !== token) {
        socket.send(JSON.stringify({ status: "FAIL", seq_reply: seq }));
        return socket.close();
      }
      sockets.add(socket);
      socket.send(JSON.stringify({ status: "OK", seq_reply: seq }));
      socket.send(JSON.stringify({ event: "hello", data: {} }));
    });
  });
  const deliver = (post: Fields): void => {
    last = post;
    const data = { channel_type: types[String(post["channel_id"])], sender_name: "@alice", post: JSON.stringify(post) };
    for (const socket of sockets) socket.send(JSON.stringify({ event: "posted", data }));
  };
  return {
    ...service,
    token,
    post(more) {
      const post = store({ channel_id: mattermostChannels.direct, user_id: "a".repeat(26), message: "", ...more });
      types[String(post["channel_id"])] ??= "D";
      deliver(post);
    },
    repeat: () => deliver(last),
    shown: () => posts.filter((one) => one["user_id"] === me.id),
    dropSockets() {
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
