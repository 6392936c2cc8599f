import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  calls,
  crlf,
  cutAfter,
  emptyBody,
  events,
  hang,
  hangAfter,
  html,
  json,
  type ModelServer,
  malformedFrame,
  noDone,
  noFinish,
  pings,
  raw,
  reply,
  says,
  slow,
  splitBytes,
  startModelServer,
  thinks,
  withHeaders,
} from "./index.ts";
import { ask, dataOf, paths, readEvents, send, smallest, stream, type Wire } from "./testing/ask.ts";

/** A client that shows the chunks as they came, and how the connection ended. */
async function chunksOf(server: ModelServer, wire: Wire): Promise<{ chunks: Buffer[]; error: string | undefined }> {
  const client = httpRequest(`${server.url}${paths[wire]}`, { method: "POST", agent: false });
  client.end(JSON.stringify(stream(wire).body));
  const [response] = (await once(client, "response")) as [IncomingMessage];
  const chunks: Buffer[] = [];
  // Listening, not iterating: an iterator may join chunks that wait for it.
  response.on("data", (chunk: Buffer) => chunks.push(chunk));
  return new Promise((resolve) => {
    response.once("end", () => resolve({ chunks, error: undefined }));
    response.once("error", (error: NodeJS.ErrnoException) => resolve({ chunks, error: error.code }));
  });
}

async function readSome(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  const { value } = await reader.read();
  return Buffer.from(value ?? []).toString("utf8");
}

async function wholeStream(wire: Wire, text: string): Promise<string> {
  await using server = await startModelServer({ clock: { now: () => 0 } });
  server.script(says(text));
  return (await ask(server, wire, stream(wire))).text;
}

describe("wire faults", () => {
  test("cuts the connection after exactly so many bytes", async () => {
    await using server = await startModelServer();
    server.script(cutAfter(300, says("Hello big wide world")), cutAfter(0, says("x")));
    const { chunks, error } = await chunksOf(server, "chat");
    expect(Buffer.concat(chunks).length).toBe(300);
    expect(error).toBe("ECONNRESET");
    await expect(server.clientLeft(1)).rejects.toThrow("The server itself cut the connection of request 1.");
    await expect(server.answered(1)).rejects.toThrow("Request 1 ended before it was answered in full.");
    const nothing = await chunksOf(server, "chat");
    expect(nothing).toEqual({ chunks: [], error: "ECONNRESET" });
  });

  test("cuts with a reset when asked", async () => {
    await using server = await startModelServer();
    server.script(cutAfter(10, says("x"), { by: "reset" }));
    await expect(ask(server, "chat", stream("chat"))).rejects.toThrow();
  });

  test("cuts a body that is no stream, too", async () => {
    await using server = await startModelServer();
    server.script(cutAfter(20, says("Hello")));
    await expect(ask(server, "chat", { body: smallest.chat })).rejects.toThrow();
  });

  test("hangs after so many events until the client leaves", async () => {
    await using server = await startModelServer();
    server.script(hangAfter({ events: 2 }, says("Hello")), says("next"));
    const controller = new AbortController();
    const response = await send(server, "chat", { ...stream("chat"), signal: controller.signal });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    let text = "";
    while (readEvents(text).length < 2) text += await readSome(reader);
    expect(text).toContain('"content":"Hello"');
    const left = server.clientLeft(1);
    controller.abort();
    expect((await left).number).toBe(1);
    expect((await ask(server, "chat", { body: smallest.chat })).status).toBe(200);
  });

  test("hangs after so many bytes", async () => {
    await using server = await startModelServer();
    server.script(hangAfter(7, says("Hello")));
    const controller = new AbortController();
    const response = await send(server, "chat", { ...stream("chat"), signal: controller.signal });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    expect(await readSome(reader)).toBe("data: {");
    controller.abort();
    await server.clientLeft(1);
  });

  test("hangs without headers", async () => {
    await using server = await startModelServer();
    server.script(hang());
    const controller = new AbortController();
    const pending = send(server, "anthropic", { ...stream("anthropic"), signal: controller.signal });
    await server.received(1);
    controller.abort();
    await expect(pending).rejects.toThrow();
    await server.clientLeft(1);
    expect(server.ledger.entries).toEqual([]);
  });

  test("disposing ends a hanging connection", async () => {
    const server = await startModelServer();
    server.script(hang());
    const pending = ask(server, "chat", stream("chat"));
    const caught = expect(pending).rejects.toThrow();
    await server.received(1);
    const second = server.received(2);
    const told = expect(second).rejects.toThrow("The model server was closed.");
    await server[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
    await caught;
    await told;
  });

  test("breaks the JSON of one event and leaves the others whole", async () => {
    await using server = await startModelServer();
    server.script(malformedFrame(says("Hello"), 1), malformedFrame(says("Hello")));
    const list = (await ask(server, "chat", stream("chat"))).events();
    expect(list.map(({ data }) => isJson(data))).toEqual([true, false, true, false]);
    expect(list[3]?.data).toBe("[DONE]");
    const body = await ask(server, "chat", { body: smallest.chat });
    expect([body.status, isJson(body.text)]).toEqual([200, false]);
  });

  test("splits characters and lines anywhere, and every piece arrives on its own", async () => {
    await using server = await startModelServer({ clock: { now: () => 0 } });
    const text = "Grüße 👋 日本";
    server.script(splitBytes(says(text), "every-byte"), splitBytes(says(text), [3, 1, 50]));
    const single = await chunksOf(server, "chat");
    expect(single.error).toBeUndefined();
    expect(single.chunks.every((chunk) => chunk.length === 1)).toBe(true);
    expect(textOf(Buffer.concat(single.chunks).toString("utf8"))).toBe(text);
    const mixed = await chunksOf(server, "chat");
    expect(mixed.chunks.slice(0, 4).map((chunk) => chunk.length)).toEqual([3, 1, 50, 3]);
    expect(textOf(Buffer.concat(mixed.chunks).toString("utf8"))).toBe(text);
  });

  test("splitting never changes the bytes", async () => {
    const expected = await wholeStream("anthropic", "Hello 👋 world");
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 6 }), async (sizes) => {
        await using server = await startModelServer({ clock: { now: () => 0 } });
        server.script(splitBytes(says("Hello 👋 world"), sizes));
        const { chunks } = await chunksOf(server, "anthropic");
        expect(Buffer.concat(chunks).toString("utf8")).toBe(expected);
      }),
      { numRuns: 25 },
    );
  });

  test("a split needs a positive size", () => {
    expect(() => splitBytes(says("x"), [0])).toThrow(/positive size/);
  });

  test("sends slow replies step by step, as released", async () => {
    await using server = await startModelServer();
    server.script(slow(says("one two three")));
    const response = await send(server, "chat", stream("chat"));
    expect(response.status).toBe(200);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const seen: string[] = [];
    for (let step = 0; step < 3; step += 1) {
      server.release();
      seen.push(textOf(await readSome(reader)));
    }
    expect(seen).toEqual(["", "one", " two"]);
    server.release(Number.POSITIVE_INFINITY);
    let rest = "";
    for (let piece = await readSome(reader); piece !== ""; piece = await readSome(reader)) rest += piece;
    expect(textOf(rest)).toBe(" three");
    await server.answered(1);
    await expect(server.clientLeft(1)).rejects.toThrow("answered in full");
  });

  test("takes several events per release, and forgets a client that left at the gate", async () => {
    await using server = await startModelServer();
    server.script(slow(says("gone")), slow(says("a b c d"), { eventsPerRelease: 3 }));
    const controller = new AbortController();
    const first = await send(server, "chat", { ...stream("chat"), signal: controller.signal });
    expect(first.status).toBe(200);
    controller.abort();
    await server.clientLeft(1);
    const second = await send(server, "chat", stream("chat"));
    const reader = (second.body as ReadableStream<Uint8Array>).getReader();
    server.release();
    let text = "";
    while (readEvents(text).length < 3) text += await readSome(reader);
    expect(textOf(text)).toBe("a b");
    server.release(2);
    await server.answered(2);
  });

  test("waits for a client that reads slower than the server writes, and notices when it leaves", async () => {
    await using server = await startModelServer();
    const long = "x".repeat(12_000_000);
    server.otherwise(says(long, { fragments: 300 }));
    const patient = await send(server, "chat", stream("chat"));
    expect(textOf(await patient.text())).toBe(long);
    await server.answered(1);
    const controller = new AbortController();
    await send(server, "chat", { ...stream("chat"), signal: controller.signal });
    const left = server.clientLeft(2);
    controller.abort();
    await left;
  });

  test("adds headers, and the last wrapper wins", async () => {
    await using server = await startModelServer();
    server.script(withHeaders(withHeaders(says("x"), { "x-a": "1", "x-b": "1" }), { "x-b": "2" }));
    const { headers } = await ask(server, "chat", { body: smallest.chat });
    expect([headers.get("x-a"), headers.get("x-b")]).toEqual(["1", "2"]);
  });

  test("pings in the provider's way", async () => {
    await using server = await startModelServer();
    server.otherwise(pings(2, says("x")));
    const claude = (await ask(server, "anthropic", stream("anthropic"))).events();
    expect(claude.slice(0, 4).map(({ event }) => event)).toEqual([
      "message_start",
      "ping",
      "ping",
      "content_block_start",
    ]);
    const chat = await ask(server, "chat", stream("chat"));
    expect(chat.text.startsWith(": OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\ndata: {")).toBe(true);
    expect(textOf(chat.text)).toBe("x");
    expect((await ask(server, "chat", { body: smallest.chat })).status).toBe(200);
  });

  test.each([
    ["chat", "finish_reason"],
    ["anthropic", "message_delta"],
    ["responses", "response.output_item.done"],
  ] as const)("ends a %s stream without its last word", async (wire, lastSeen) => {
    await using server = await startModelServer();
    server.script(noDone(says("x")));
    const answer = await ask(server, wire, stream(wire));
    expect(answer.text).not.toMatch(/\[DONE\]|message_stop|response\.completed/);
    expect(answer.events().at(-1)?.data).toContain(lastSeen);
  });

  test.each(["chat", "anthropic", "responses"] as const)("ends a %s stream right after its content", async (wire) => {
    await using server = await startModelServer();
    server.script(noFinish(says("x")));
    const answer = await ask(server, wire, stream(wire));
    expect(answer.text).not.toMatch(/\[DONE\]|message_stop|message_delta|response\.completed|"finish_reason":"stop"/);
    expect(answer.text).toContain('"x"');
  });

  test("ends lines in CR LF", async () => {
    await using server = await startModelServer();
    server.script(crlf(says("x")));
    const { text } = await ask(server, "anthropic", stream("anthropic"));
    expect(text.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
    expect(readEvents(text).at(-1)).toEqual({ event: "message_stop", data: '{"type":"message_stop"}' });
  });

  test("wrappers combine", async () => {
    await using server = await startModelServer();
    server.script(cutAfter(40, splitBytes(pings(1, says("x")), [10])));
    const { chunks, error } = await chunksOf(server, "chat");
    expect(Buffer.concat(chunks).toString("utf8")).toMatch(/^: OPENROUTER PROCESSING\n\ndata: /);
    expect([Buffer.concat(chunks).length, error]).toEqual([40, "ECONNRESET"]);
  });

  test("sends pages, nothing, any JSON, any bytes and hand-written events", async () => {
    await using server = await startModelServer();
    server.script(
      html(502),
      emptyBody(204),
      json(200, { choices: [] }),
      raw(200, Buffer.from([0xff, 0xfe]), { "content-type": "application/octet-stream" }),
      events(["{}", { event: "e", data: "d" }]),
    );
    const page = await ask(server, "chat", { body: smallest.chat });
    expect([page.status, page.headers.get("content-type"), page.text.startsWith("<html>")]).toEqual([
      502,
      "text/html; charset=utf-8",
      true,
    ]);
    const empty = await ask(server, "chat", { body: smallest.chat });
    expect([empty.status, empty.text]).toEqual([204, ""]);
    expect((await ask(server, "chat", { body: smallest.chat })).json()).toEqual({ choices: [] });
    const bytes = await (await send(server, "chat", { body: smallest.chat })).arrayBuffer();
    expect([...new Uint8Array(bytes)]).toEqual([0xff, 0xfe]);
    expect((await ask(server, "chat", stream("chat"))).events()).toEqual([
      { event: undefined, data: "{}" },
      { event: "e", data: "d" },
    ]);
  });

  test("a fragmented text adds up again, whatever it is", async () => {
    await using server = await startModelServer();
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: "grapheme", maxLength: 40 }),
        fc.integer({ min: 1, max: 9 }),
        async (text, count) => {
          server.script(says(text), says(text, { fragments: count }), calls("t", { text }, { fragments: count }));
          expect(textOf((await ask(server, "chat", stream("chat"))).text)).toBe(text);
          expect(textOf((await ask(server, "chat", stream("chat"))).text)).toBe(text);
          const data = dataOf(await ask(server, "anthropic", stream("anthropic"))) as {
            delta?: { partial_json?: string };
          }[];
          expect(JSON.parse(data.map(({ delta }) => delta?.partial_json ?? "").join(""))).toEqual({ text });
        },
      ),
      { numRuns: 40 },
    );
  });

  test("fragments that do not add up, and faults as parts, are mistakes of the test", async () => {
    await using server = await startModelServer();
    server.script(says("ab", { fragments: ["a"] }));
    expect((await ask(server, "chat", { body: smallest.chat })).text).toContain("do not add up");
    expect(() => server.assertClean()).toThrow(/do not add up/);
    expect(() => reply([hang(), thinks("x")])).toThrow(/silence cannot be a part/);
  });
});

/** The visible words of a chat stream. */
function textOf(stream: string): string {
  return readEvents(stream)
    .filter(({ data }) => data !== "[DONE]")
    .map(
      ({ data }) =>
        (JSON.parse(data) as { choices: { delta: { content?: string } }[] }).choices[0]?.delta.content ?? "",
    )
    .join("");
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
