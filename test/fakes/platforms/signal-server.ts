import { readFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { type FakeService, type Fields, Refused, type ShownIn, startFakeService } from "./fake-service.ts";

export interface SignalServer extends Pick<FakeService, "nextSend" | "sends" | "url" | "file"> {
  readonly account: string;
  envelope(envelope: Fields): void;
  repeat(): void;
  shown(): readonly string[];
  shownIn(): readonly ShownIn[];
  dropStreams(): void;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A signal-cli daemon on loopback: unknown accounts, empty messages and files that are not there are refused. */
export async function startSignalServer(): Promise<SignalServer> {
  const account = "+4915100000001";
  const streams = new Set<ServerResponse>();
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
      if (path === "/api/v1/check") return { status: 200, bytes: "" };
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
    response.write(":\n\n");
    response.on("close", () => streams.delete(response));
    streams.add(response);
    for (const envelope of waiting.splice(0)) write(response, envelope);
  });
  const write = (stream: ServerResponse, envelope: Fields): void =>
    void stream.write(`event:receive\ndata:${JSON.stringify({ account, envelope })}\n\n`);
  const deliver = (envelope: Fields): void => {
    last = envelope;
    if (streams.size === 0) waiting.push(envelope);
    for (const stream of streams) write(stream, envelope);
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
      for (const stream of streams) stream.destroy();
      streams.clear();
    },
  };
}
