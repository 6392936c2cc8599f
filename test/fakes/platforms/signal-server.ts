import { readFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { type FakeService, type Fields, Refused, type ShownIn, startFakeService } from "./fake-service.ts";
import { Handover } from "./handover.ts";

export interface SignalServer extends Pick<FakeService, "nextSend" | "sends" | "url" | "file"> {
  readonly account: string;
  envelope(envelope: Fields): void;
  repeat(): void;
  shown(): readonly string[];
  shownIn(): readonly ShownIn[];
  dropStreams(): void;
  /** What was written to streams that have ended, where nothing is sent again. */
  handedOver(): readonly (readonly string[])[];
  [Symbol.asyncDispose](): Promise<void>;
}

const keptEvents = 1_000;

/**
 * A signal-cli daemon on loopback: unknown accounts, empty messages and files that are not there are refused. Its
 * events have numbers, and who names the last one gets those after it again; older daemons have no numbers.
 */
export async function startSignalServer({ isOld = false } = {}): Promise<SignalServer> {
  const account = "+4915100000001";
  const streams = new Set<ServerResponse>();
  const events: { readonly number: number; readonly envelope: Fields }[] = [];
  const handover = new Handover<ServerResponse>();
  const daemonRun = "1700000000000-";
  let count = 0;
  // Nobody listens: Signal's own server keeps it.
  const waiting: Fields[] = [];
  const shown: ShownIn[] = [];
  let last: Fields = {};
  let nowMs = 1_700_000_000_000;
  const fail = (code: number, message: string) => ({ json: { jsonrpc: "2.0", error: { code, message } } });

  const methods: Readonly<Record<string, (params: Fields) => Promise<unknown>>> = {
    async send(params) {
      const files = (params["attachments"] as string[] | undefined) ?? [];
      for (const file of files) await readFile(file);
      if (String(params["message"] ?? "") === "" && files.length === 0)
        throw new Refused(200, fail(-1, "no message").json);
      if (params["groupId"] === undefined && !Array.isArray(params["recipient"]))
        throw new Refused(200, fail(-1, "No recipients given").json);
      nowMs += 1;
      const chat = String(params["groupId"] ?? (params["recipient"] as string[])[0]);
      shown.push({ chat, text: files.length > 0 ? "[file]" : String(params["message"]) });
      return { timestamp: nowMs, results: [] };
    },
    sendTyping: () => Promise.resolve({}),
    sendReaction: () => Promise.resolve({}),
    getAttachment: ({ id }) => Promise.resolve({ data: service.fileOf(String(id))?.toString("base64") }),
  };
  const service = await startFakeService({
    isSend: ({ json }) => json["method"] === "send",
    limited: fail(-5, "Rate limited for +4917011111"),
    refused: fail(-1, "Invalid message"),
    async answer({ path, json }) {
      const params = (json["params"] ?? {}) as Fields;
      const run = methods[String(json["method"])];
      if (path !== "/api/v1/rpc" || run === undefined) return fail(-32601, "Method not implemented");
      if (params["account"] !== account) return fail(-1, "Specified account does not exist");
      return { json: { jsonrpc: "2.0", id: json["id"], result: await run(params) } };
    },
  });
  const [answer] = service.server.listeners("request") as ((request: unknown, response: unknown) => void)[];
  service.server.removeAllListeners("request");
  service.server.on("request", (request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    if (url.pathname !== "/api/v1/events") return answer?.(request, response);
    if (url.searchParams.get("account") !== account) return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": "text/event-stream" });
    const signOfLife = (): boolean => response.write(":\n\n");
    signOfLife();
    const signs = setInterval(signOfLife, 15_000);
    response.on("close", () => {
      clearInterval(signs);
      end(response);
    });
    const { "last-event-id": lastId } = request.headers;
    const isKnown = typeof lastId === "string" && lastId.startsWith(daemonRun);
    const after = isKnown ? Number(lastId.slice(daemonRun.length)) : 0;
    if (lastId !== undefined && !isOld)
      for (const event of events) if (event.number > after) write(response, event.number, event.envelope);
    streams.add(response);
    for (const envelope of waiting.splice(0)) tell(envelope);
  });
  const end = (stream: ServerResponse): void => {
    streams.delete(stream);
    handover.ended(stream);
  };
  const write = (stream: ServerResponse, number: number, envelope: Fields): void => {
    const id = isOld ? "" : `id:${daemonRun}${number}\n`;
    stream.write(`${id}event:receive\ndata:${JSON.stringify({ account, envelope })}\n\n`);
    if (isOld) handover.wrote(stream, JSON.stringify(envelope));
  };
  const tell = (envelope: Fields): void => {
    count += 1;
    events.push({ number: count, envelope });
    if (events.length > keptEvents) events.shift();
    for (const stream of streams) write(stream, count, envelope);
  };
  const deliver = (envelope: Fields): void => {
    last = envelope;
    if (streams.size === 0) waiting.push(envelope);
    else tell(envelope);
  };
  return {
    ...service,
    account,
    envelope(envelope) {
      nowMs += 1;
      const from = { sourceNumber: "+4917011111111", sourceUuid: "6f1c1d2e-0000-4000-8000-000000000001" };
      deliver({ ...from, sourceName: "Alice", timestamp: nowMs, ...envelope });
    },
    repeat: () => deliver(last),
    shown: () => shown.map(({ text }) => text),
    shownIn: () => [...shown],
    dropStreams() {
      for (const stream of streams) {
        stream.destroy();
        end(stream);
      }
    },
    handedOver: () => handover.over(),
  };
}
