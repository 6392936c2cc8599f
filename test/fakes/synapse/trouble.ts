import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { SendTrouble } from "../platforms/fake-service.ts";

export interface TroubledWay extends AsyncDisposable {
  readonly url: string;
  nextSend(trouble: SendTrouble): void;
  sends(): number;
  /** What the server made of the messages that went this way, oldest first, with edits done. */
  shown(): readonly string[];
  /** The next look of the client begins where the one before began. */
  repeat(): void;
  breakConnections(): void;
}

const isSend = /\/rooms\/[^/]+\/send\/m\.room\.message\//u;

interface Message {
  readonly body: string;
  readonly "m.new_content"?: { readonly body: string };
  readonly "m.relates_to"?: { readonly rel_type?: string; readonly event_id?: string };
}

/** The way to a real server, on which things go wrong. */
export async function troubledWayTo(target: string): Promise<TroubledWay> {
  const troubles: SendTrouble[] = [];
  const shown = new Map<string, string>();
  const sinces: string[] = [];
  let [sends, isRepeated] = [0, false];
  const stop = new AbortController();

  const note = (message: Message, event: string): void => {
    const { "m.relates_to": relation, "m.new_content": changed } = message;
    if (relation?.rel_type === "m.replace") shown.set(relation.event_id ?? "", changed?.body ?? "");
    else shown.set(event, message.body);
  };
  const addressOf = (request: IncomingMessage): URL => {
    const url = new URL(request.url ?? "/", target);
    const since = url.pathname.endsWith("/sync") ? url.searchParams.get("since") : null;
    if (since === null) return url;
    if (isRepeated) url.searchParams.set("since", sinces.at(-2) ?? since);
    isRepeated = false;
    if (sinces.at(-1) !== since) sinces.push(since);
    return url;
  };
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const hasMessage = request.method === "PUT" && isSend.test(request.url ?? "");
    const trouble = hasMessage ? troubles.shift() : undefined;
    sends += hasMessage ? 1 : 0;
    if (trouble === "cut") return void request.socket.destroy();
    const refuse = (status: number, fields: object): void => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(fields));
    };
    if (trouble === "rate-limited") return refuse(429, { errcode: "M_LIMIT_EXCEEDED", retry_after_ms: 1_000 });
    if (trouble === "refused-markup") return refuse(400, { errcode: "M_BAD_JSON", error: "not a message" });
    const { host: _host, connection: _connection, "content-length": _length, ...headers } = request.headers;
    const answer = await fetch(addressOf(request), {
      method: request.method ?? "GET",
      headers: headers as Record<string, string>,
      ...(body.length === 0 ? {} : { body: new Uint8Array(body) }),
      signal: stop.signal,
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    if (hasMessage && answer.ok)
      note(JSON.parse(body.toString()) as Message, (JSON.parse(bytes.toString()) as { event_id: string }).event_id);
    if (trouble === "accept-then-cut") return void request.socket.destroy();
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" }).end(bytes);
  };
  const server = createServer((request, response) => {
    pass(request, response).catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    nextSend: (trouble) => void troubles.push(trouble),
    sends: () => sends,
    shown: () => [...shown.values()],
    repeat() {
      isRepeated = true;
    },
    breakConnections: () => server.closeAllConnections(),
    async [Symbol.asyncDispose]() {
      stop.abort();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
