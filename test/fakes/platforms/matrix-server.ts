import {
  type FakeCall,
  type FakeService,
  type Fields,
  Refused,
  type ShownIn,
  startFakeService,
} from "./fake-service.ts";

export interface MatrixServer extends Pick<FakeService, "calls" | "nextSend" | "sends" | "url" | "file"> {
  readonly token: string;
  /** Somebody writes, Alice in her room unless it is said otherwise. */
  message(content: Fields, at?: { readonly room: string; readonly sender: string }): void;
  repeat(): void;
  shown(): readonly string[];
  shownIn(): readonly ShownIn[];
  dropPolls(): void;
  [Symbol.asyncDispose](): Promise<void>;
}

export const matrixRoom = "!direct:fake.example";
const me = "@hermes:fake.example";
const alice = "@alice:fake.example";

interface Said {
  readonly room: string;
  readonly event: Fields;
}

/** A home server on loopback: rooms of two, their stream, transactions; refuses wrong tokens, unknown rooms, and long events. */
export async function startMatrixServer(): Promise<MatrixServer> {
  const token = "syt_fake_token_0001";
  const stream: Said[] = [];
  const rooms = new Map([[matrixRoom, alice]]);
  const transactions = new Map<string, string>();
  const shown = new Map<string, ShownIn>();
  const waiting = new Set<() => void>();
  let repeated: Said | undefined;
  let drops = 0;
  const refuse = (status: number, errcode: string): never => {
    throw new Refused(status, { errcode, error: errcode });
  };
  const wake = (): void => {
    for (const one of waiting) one();
    waiting.clear();
  };
  const put = (path: string, room: string, content: Fields): string => {
    const known = transactions.get(path);
    if (known !== undefined) return known;
    if (JSON.stringify(content).length > 65_000) refuse(413, "M_TOO_LARGE");
    const id = `$sent${transactions.size}`;
    transactions.set(path, id);
    const relation = (content["m.relates_to"] ?? {}) as Fields;
    const edited = relation["rel_type"] === "m.replace" ? String(relation["event_id"]) : undefined;
    if (edited !== undefined && !shown.has(edited)) refuse(400, "M_UNKNOWN");
    const current = (content["m.new_content"] ?? content) as Fields;
    if (path.includes("/m.room.message/")) shown.set(edited ?? id, { chat: room, text: String(current["body"]) });
    return id;
  };
  const sync = async ({ query }: FakeCall): Promise<unknown> => {
    const since = query.get("since");
    const from = since === null ? stream.length : Number(since.slice(1));
    if (since !== null && from >= stream.length && repeated === undefined) {
      await new Promise<void>((resolve) => {
        waiting.add(resolve);
        setTimeout(resolve, Number(query.get("timeout"))).unref();
      });
    }
    const coming = stream.slice(from);
    // What was not delivered yet comes in its place, and is no repetition.
    const again = since !== null && repeated !== undefined && !coming.includes(repeated) ? [repeated] : [];
    const events = [...again, ...coming];
    if (since !== null) repeated = undefined;
    const join: Record<string, { timeline: { events: Fields[]; limited: boolean } }> = {};
    for (const { room, event } of events) {
      join[room] ??= { timeline: { events: [], limited: false } };
      join[room].timeline.events.push(event);
    }
    return { next_batch: `s${stream.length}`, rooms: { join } };
  };
  const answer = async (call: FakeCall): Promise<unknown> => {
    const path = call.path.replace("/_matrix/client/v3", "");
    const [, encoded = ""] = /^\/rooms\/([^/]+)\//u.exec(path) ?? [];
    const room = decodeURIComponent(encoded);
    const other = rooms.get(room);
    if (room !== "" && other === undefined) refuse(403, "M_FORBIDDEN");
    if (path === "/account/whoami") return { user_id: me };
    if (path === "/sync") return await sync(call);
    if (path.endsWith("/account_data/m.direct")) return refuse(404, "M_NOT_FOUND");
    if (path.endsWith("/joined_members")) return { joined: { [me]: {}, [other ?? alice]: {} } };
    if (path.includes("/send/")) return { event_id: put(path, room, call.json) };
    if (path.includes("/typing/")) return {};
    if (path === "/_matrix/media/v3/upload") return { content_uri: `mxc://fake.example/${service.file(call.body)}` };
    return refuse(404, "M_UNRECOGNIZED");
  };
  const service = await startFakeService({
    isSend: ({ path }) => path.includes("/send/m.room.message/"),
    limited: { status: 429, json: { errcode: "M_LIMIT_EXCEEDED", error: "Too Many Requests", retry_after_ms: 2000 } },
    refused: { status: 400, json: { errcode: "M_BAD_JSON", error: "bad" } },
    async answer(call) {
      if (call.headers.authorization !== `Bearer ${token}`) refuse(401, "M_UNKNOWN_TOKEN");
      const [, file] = /media\/download\/fake\.example\/(\w+)$/u.exec(call.path) ?? [];
      if (file !== undefined) return { bytes: service.fileOf(file) ?? "" };
      if (call.path.endsWith("/sync") && drops > 0) {
        drops -= 1;
        throw new Refused(502, {});
      }
      return { json: await answer(call) };
    },
  });
  return {
    ...service,
    token,
    message(content, { room, sender } = { room: matrixRoom, sender: alice }) {
      const id = `$in${stream.length}`;
      rooms.set(room, sender);
      const common = { type: "m.room.message", sender, origin_server_ts: 1_700_000_000_000 };
      stream.push({ room, event: { ...common, event_id: id, content: { msgtype: "m.text", ...content } } });
      wake();
    },
    repeat() {
      repeated = stream.at(-1);
      wake();
    },
    shown: () => [...shown.values()].map(({ text }) => text),
    shownIn: () => [...shown.values()],
    dropPolls() {
      drops = 1;
      wake();
    },
    async [Symbol.asyncDispose]() {
      wake();
      await service[Symbol.asyncDispose]();
    },
  };
}
