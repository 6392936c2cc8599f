import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { silentLogger } from "#foundation/files/logger";
import { FakeClock } from "#foundation/testing/fake-clock";
import { systemClock } from "#foundation/time/clock";
import {
  calls,
  crlf,
  cutAfter,
  emptyBody,
  fails,
  failsMidway,
  hang,
  hangAfter,
  html,
  json,
  malformedFrame,
  noDone,
  noFinish,
  overloaded,
  pings,
  rateLimited,
  reply,
  says,
  splitBytes,
  startModelServer,
  thinks,
  withHeaders,
} from "../../test/fakes/model-server/index.ts";
import { type AttemptEvent, type ModelClientDeps, streamModel } from "./client.ts";
import { Collector } from "./collect.ts";
import { classify } from "./failures/classify.ts";
import type { ModelRequest } from "./request.ts";
import { readFileTool, testCredential, testRequest } from "./testing/target.ts";
import { type Connections, openConnections } from "./transport/connections.ts";

const wires = ["chat_completions", "anthropic_messages", "codex_responses"] as const;
type Server = Awaited<ReturnType<typeof startModelServer>>;

function deps(connections: Connections, input: Partial<ModelClientDeps> = {}): ModelClientDeps {
  return { connections, classify, clock: systemClock, logger: silentLogger, ...input };
}

function requestTo(server: Server, protocol: (typeof wires)[number], input: Parameters<typeof testRequest>[0] = {}) {
  const baseUrl = protocol === "anthropic_messages" ? server.anthropicBaseUrl : server.chatBaseUrl;
  return testRequest({
    protocol,
    system: "Be brief.",
    tools: [readFileTool],
    ...input,
    target: { baseUrl, isLocal: true, ...input.target },
  });
}

async function run(request: ModelRequest, deps: ModelClientDeps, signal = new AbortController().signal) {
  const events: AttemptEvent[] = [];
  for await (const event of streamModel(request, deps, signal)) events.push(event);
  const collector = new Collector();
  for (const event of events) if (event.type !== "attempt-failed" && event.type !== "rate-limits") collector.add(event);
  const last = events.at(-1);
  return { events, collected: collector.result(), failure: last?.type === "attempt-failed" ? last.failure : undefined };
}

describe.each(wires)("an attempt over %s", (wire) => {
  it("streams text, reasoning and calls, and collects them into one message [20:R0.4] [20:R1.8] [20:R1.18] [20:R1.29] [20:R1.41]", async () => {
    await using server = await startModelServer({ strict: true, apiKey: "sk-test-0123456789abcdef" });
    await using connections = openConnections({ proxy: false });
    server.script(
      reply([thinks("Let me look.", { encrypted: true }), says("Reading it."), calls("read_file", { path: "a.txt" })]),
    );
    const { collected, failure } = await run(requestTo(server, wire), deps(connections));
    expect(failure).toBeUndefined();
    expect(collected.message.content).toBe("Reading it.");
    expect(collected.message.reasoning).toBe("Let me look.");
    expect(collected.message.tool_calls?.map((call) => call.function)).toEqual([
      { name: "read_file", arguments: '{"path":"a.txt"}' },
    ]);
    expect(collected.finish).toBe("tool_calls");
    expect(collected.usage?.output).toBeGreaterThan(0);
    server.assertClean();
  });

  it("sends an answer back in a form that a strict server takes [20:R1.2] [20:R1.32] [20:R1.43]", async () => {
    await using server = await startModelServer({ strict: true });
    await using connections = openConnections({ proxy: false });
    server.script(
      reply([
        thinks("Hm.", { encrypted: true }),
        says("Look:"),
        calls("read_file", { path: "a" }),
        calls("read_file", { path: "b" }),
      ]),
      says("Done."),
    );
    const quirks = {
      thinkingReplay: "signed",
      reasoning: wire === "anthropic_messages" ? "anthropic-budget" : "responses",
    } as const;
    const first = requestTo(server, wire, { quirks });
    const { collected } = await run(first, deps(connections));
    const results = (collected.message.tool_calls ?? []).map((call) => ({
      role: "tool" as const,
      content: "text",
      tool_call_id: call.id,
      tool_name: "read_file",
    }));
    const second = { ...first, messages: [...first.messages, collected.message, ...results] };
    const { collected: final, failure } = await run(second, deps(connections));
    expect(failure).toBeUndefined();
    expect(final.message.content).toBe("Done.");
    server.assertClean();
  });

  it("gives the same events for any cut of the bytes, for CRLF and for pings", async () => {
    await using server = await startModelServer();
    await using connections = openConnections({ proxy: false });
    const answer = reply([thinks("Hm 💡."), says("Grüße 🎉"), calls("read_file", { path: "ä" })]);
    server.script(answer, splitBytes(answer, "every-byte"), crlf(answer), pings(3, answer));
    const seen: Awaited<ReturnType<typeof run>>["collected"][] = [];
    for (let round = 0; round < 4; round += 1)
      seen.push((await run(requestTo(server, wire), deps(connections))).collected);
    const strip = ({ message, finish }: (typeof seen)[number]) => ({
      content: message.content,
      reasoning: message.reasoning,
      calls: message.tool_calls?.map((call) => call.function),
      finish,
    });
    for (const one of seen.slice(1)) expect(strip(one)).toEqual(strip(seen[0] as (typeof seen)[number]));
  });

  it("asks without streaming when streaming is off", async () => {
    await using server = await startModelServer({ strict: true });
    await using connections = openConnections({ proxy: false });
    server.script(reply([thinks("Hm."), says("Whole."), calls("read_file", { path: "x" })]));
    const request = requestTo(server, wire, { options: { stream: false } });
    const { collected } = await run(request, deps(connections));
    expect(server.requests[0]?.stream).toBe(false);
    expect(collected.message.content).toBe("Whole.");
    expect(collected.message.tool_calls?.[0]?.function.arguments).toBe('{"path":"x"}');
    expect(collected.finish).toBe("tool_calls");
    server.assertClean();
  });

  it("reports an error status with its headers", async () => {
    await using server = await startModelServer();
    await using connections = openConnections({ proxy: false });
    server.script(rateLimited({ retryAfterMs: 7_000 }), overloaded());
    const limited = await run(requestTo(server, wire), deps(connections));
    expect(limited.failure).toMatchObject({ kind: "rate_limit", retryAfterMs: 7_000, isPartial: false });
    expect(limited.events.some((event) => event.type === "rate-limits")).toBe(true);
    expect((await run(requestTo(server, wire), deps(connections))).failure?.kind).toBe("overloaded");
  });

  it("reports an error inside the stream, and that text had been shown [20:R1.47]", async () => {
    await using server = await startModelServer();
    await using connections = openConnections({ proxy: false });
    server.script(failsMidway(says("Hello there, this is some text."), overloaded()));
    const { failure, collected } = await run(requestTo(server, wire), deps(connections));
    expect(failure).toMatchObject({ kind: "overloaded", isPartial: true });
    expect(collected.isPartial).toBe(true);
    expect(collected.message.content).not.toBe("");
  });

  it("reports malformed frames, web pages and empty answers without throwing", async () => {
    await using server = await startModelServer();
    await using connections = openConnections({ proxy: false });
    server.script(malformedFrame(says("Hello"), 2), html(200, "<!doctype html><title>Oops</title>"), emptyBody(200));
    for (let round = 0; round < 3; round += 1)
      expect((await run(requestTo(server, wire), deps(connections))).failure).toBeDefined();
  });

  it("understands a server that answers a streaming request with one JSON object", async () => {
    await using server = await startModelServer();
    await using connections = openConnections({ proxy: false });
    server.onRequest((request) => {
      const bodies = {
        chat: { choices: [{ message: { role: "assistant", content: "Whole." }, finish_reason: "stop" }] },
        anthropic: { type: "message", content: [{ type: "text", text: "Whole." }], stop_reason: "end_turn" },
        responses: {
          status: "completed",
          output: [{ type: "message", content: [{ type: "output_text", text: "Whole." }] }],
        },
      };
      return json(200, bodies[request.protocol]);
    });
    const { collected, failure } = await run(requestTo(server, wire), deps(connections));
    expect(failure).toBeUndefined();
    expect(collected.message.content).toBe("Whole.");
  });

  it("settles an abort at once and leaves the client usable [20:R1.9] [20:R1.10] [20:A1.13]", async () => {
    await using server = await startModelServer();
    await using connections = openConnections({ proxy: false });
    server.script(hangAfter({ events: 4 }, says("Hello world, a long text that hangs.")), says("Again."));
    const controller = new AbortController();
    const events: AttemptEvent[] = [];
    const attempt = (async () => {
      for await (const event of streamModel(requestTo(server, wire), deps(connections), controller.signal)) {
        events.push(event);
        if (event.type === "text-start" || event.type === "attempt-start") setImmediate(() => controller.abort());
      }
    })();
    await expect(attempt).rejects.toMatchObject({ name: "AbortError" });
    await server.clientLeft(1);
    expect((await run(requestTo(server, wire), deps(connections))).collected.message.content).toBe("Again.");
  });

  it("aborts one attempt without touching another [20:R1.10]", async () => {
    await using server = await startModelServer();
    await using connections = openConnections({ proxy: false });
    server.script(hang(), says("Other."));
    const controller = new AbortController();
    const first = run(requestTo(server, wire), deps(connections), controller.signal);
    first.catch(() => undefined);
    await server.received(1);
    const second = run(requestTo(server, wire), deps(connections));
    await server.received(2);
    controller.abort();
    await expect(first).rejects.toMatchObject({ name: "AbortError" });
    expect((await second).collected.message.content).toBe("Other.");
  });

  it("closes the connection of a reader who leaves early", async () => {
    await using server = await startModelServer();
    await using connections = openConnections({ proxy: false });
    server.script(hangAfter({ events: 3 }, says("Some words that never end.")));
    for await (const event of streamModel(requestTo(server, wire), deps(connections), new AbortController().signal))
      if (event.type === "attempt-start") break;
    await server.clientLeft(1);
  });
});

describe("chat streams that end in odd ways", () => {
  it("takes an answer without [DONE], and one without a finish reason, as whole [20:R1.55]", async () => {
    await using server = await startModelServer();
    await using connections = openConnections({ proxy: false });
    server.script(noDone(says("One.")), noFinish(says("Two.")));
    const first = await run(requestTo(server, "chat_completions"), deps(connections));
    expect([first.collected.message.content, first.collected.finish]).toEqual(["One.", "stop"]);
    const second = await run(requestTo(server, "chat_completions"), deps(connections));
    expect([second.collected.message.content, second.collected.finish]).toEqual(["Two.", "stop"]);
  });

  it("keeps what was shown when the stream is cut, in exactly one HTTP attempt [20:A1.15] [10:LOOP-53]", async () => {
    await using server = await startModelServer();
    await using connections = openConnections({ proxy: false });
    server.otherwise(cutAfter(900, says("Hello and so much more text to come here")));
    const { collected, failure, events } = await run(requestTo(server, "chat_completions"), deps(connections));
    expect(failure).toMatchObject({ isPartial: true });
    expect(collected).toMatchObject({ isPartial: true, finish: "stop", lostCalls: [] });
    expect(collected.message.content).toMatch(/^Hello/);
    expect(events.filter((event) => event.type === "text-end")).toHaveLength(1);
    expect(server.requests).toHaveLength(1);
  });

  it("names the calls that were lost with the stream [20:R1.47]", async () => {
    await using server = await startModelServer();
    await using connections = openConnections({ proxy: false });
    server.script(noFinish(noDone(reply([says("Well."), calls("read_file", { path: "a-long-path-name" })]))));
    const { collected, failure } = await run(requestTo(server, "chat_completions"), deps(connections));
    expect(failure?.isPartial).toBe(true);
    expect(collected.lostCalls).toEqual(["read_file"]);
    expect(collected.message.tool_calls).toBeUndefined();
  });

  it("says that a server which refuses streaming refuses the parameter `stream` [20:R1.28] [10:LOOP-49]", async () => {
    await using server = await startModelServer();
    await using connections = openConnections({ proxy: false });
    server.script(fails(400, { message: "Streaming is not supported for this model." }));
    const { failure } = await run(requestTo(server, "chat_completions"), deps(connections));
    expect(failure).toMatchObject({ kind: "unsupported_parameter", parameter: "stream" });
  });
});

describe("deadlines", () => {
  const timeouts = {
    connectMs: 5_000,
    totalMs: 3_600_000,
    streamReadMs: 120_000,
    streamStaleMs: 180_000,
    wholeStaleMs: 300_000,
  };

  it("calls a stream stale that sends only keep-alives [20:R1.61] [10:LOOP-52]", async () => {
    await using server = await startModelServer();
    await using connections = openConnections({ proxy: false });
    const clock = new FakeClock();
    server.script(hangAfter({ events: 3 }, pings(2, says("Hello world, more to come."))));
    const target = { timeouts: { ...timeouts, streamReadMs: 0 } };
    const attempt = run(requestTo(server, "anthropic_messages", { target }), deps(connections, { clock }));
    await server.received(1);
    for (;;) {
      await clock.advance(60_000);
      const settled = await Promise.race([attempt, new Promise((resolve) => setTimeout(resolve, 5))]);
      if (settled !== undefined) break;
    }
    expect((await attempt).failure).toMatchObject({ kind: "timeout" });
    expect((await attempt).failure?.message).toMatch(/no data for \d+ s/);
  });

  it.each([
    ["a usual prompt", 1_000, true, 180],
    ["a large one", 60_000, true, 240],
    ["a huge one", 110_000, true, 300],
    ["a usual prompt, asked for in one piece", 1_000, false, 300],
    ["a large one, in one piece", 60_000, false, 450],
    ["a huge one, in one piece", 110_000, false, 600],
  ])(
    "waits for the first byte of %s no longer than silence may last [20:R1.58] [10:LOOP-52]",
    async (_, tokens, isStreamed, seconds) => {
      await using server = await startModelServer();
      await using connections = openConnections({ proxy: false });
      const clock = new FakeClock();
      server.script(hang());
      const messages = [{ role: "user" as const, content: "four".repeat(tokens) }];
      const usual = {
        connectMs: 30_000,
        totalMs: 1_800_000,
        streamReadMs: 120_000,
        streamStaleMs: 180_000,
        wholeStaleMs: 300_000,
      };
      const request = requestTo(server, "chat_completions", {
        target: { timeouts: usual },
        messages,
        options: { stream: isStreamed },
      });
      const attempt = run(request, deps(connections, { clock }));
      await server.received(1);
      await clock.advance(seconds * 1000 - 1);
      expect(await Promise.race([attempt, new Promise((resolve) => setImmediate(() => resolve("waiting")))])).toBe(
        "waiting",
      );
      await clock.advance(1);
      expect((await attempt).failure).toMatchObject({ kind: "timeout", isPartial: false });
    },
  );

  it("has no stale limit where it is switched off [20:R1.60]", async () => {
    await using server = await startModelServer();
    await using connections = openConnections({ proxy: false });
    const clock = new FakeClock();
    server.script(hang(), says("x"));
    const target = { timeouts: { ...timeouts, streamReadMs: 0, streamStaleMs: 0 } };
    const controller = new AbortController();
    const attempt = run(
      requestTo(server, "chat_completions", { target }),
      deps(connections, { clock }),
      controller.signal,
    );
    await server.received(1);
    await clock.advance(900_000);
    controller.abort();
    await expect(attempt).rejects.toMatchObject({ name: "AbortError" });
  });

  it("gives up on an attempt after its total time", async () => {
    await using server = await startModelServer();
    await using connections = openConnections({ proxy: false });
    const clock = new FakeClock();
    server.script(hang());
    const target = { timeouts: { ...timeouts, totalMs: 1_000 } };
    const attempt = run(requestTo(server, "chat_completions", { target }), deps(connections, { clock }));
    await server.received(1);
    await clock.advance(1_000);
    expect((await attempt).failure?.kind).toBe("timeout");
  });
});

describe("credentials", () => {
  it("reports a refused host without sending anything [20:R0.3]", async () => {
    await using server = await startModelServer();
    await using connections = openConnections({ proxy: false });
    const refused = Object.assign(new Error("no"), { name: "KeyScopeError" });
    const credential = { ...testCredential(), authorize: () => Promise.reject(refused) };
    const { failure } = await run(requestTo(server, "chat_completions", { target: { credential } }), deps(connections));
    expect(failure?.kind).toBe("key_scope");
    expect(server.requests).toHaveLength(0);
  });

  it("lets no key come back in a message", async () => {
    await using server = await startModelServer();
    await using connections = openConnections({ proxy: false });
    server.script(fails(401, { message: "Incorrect API key provided: sk-test-0123456789abcdef." }));
    const { failure } = await run(requestTo(server, "chat_completions"), deps(connections));
    expect(failure?.kind).toBe("auth");
    expect(failure?.message).not.toContain("sk-test-0123456789abcdef");
  });

  it("joins the betas of the wire and of the credential [20:R1.51]", async () => {
    await using server = await startModelServer();
    await using connections = openConnections({ proxy: false });
    server.script(says("ok"));
    const credential = {
      ...testCredential(),
      authorize: () => Promise.resolve({ "anthropic-beta": "oauth-2025-04-20", authorization: "Bearer x" }),
    };
    await run(requestTo(server, "anthropic_messages", { target: { credential } }), deps(connections));
    const betas = server.requests[0]?.headers["anthropic-beta"]?.split(",");
    expect(betas).toContain("oauth-2025-04-20");
    expect(betas).toContain("interleaved-thinking-2025-05-14");
  });

  it("does not follow redirects", async () => {
    const http = createServer((request, response) => {
      asked.push(request.url ?? "");
      response.writeHead(307, { location: "/elsewhere" }).end();
    });
    const asked: string[] = [];
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    await using connections = openConnections({ proxy: false });
    try {
      const baseUrl = `http://127.0.0.1:${(http.address() as AddressInfo).port}/v1`;
      const { failure } = await run(testRequest({ target: { baseUrl } }), deps(connections));
      expect(failure?.status).toBe(307);
      expect(asked).toEqual(["/v1/chat/completions"]);
    } finally {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    }
  });
});

describe("what a request cannot hold", () => {
  it("refuses unknown fields of the Responses wire before sending, by name [20:R1.30]", async () => {
    await using server = await startModelServer();
    await using connections = openConnections({ proxy: false });
    const request = requestTo(server, "codex_responses", { options: { extraBody: { frobnicate: 1 } } });
    const { failure } = await run(request, deps(connections));
    expect(failure).toMatchObject({ kind: "unsupported_parameter", parameter: "frobnicate" });
    expect(server.requests).toHaveLength(0);
  });

  it("reports an address that is none", async () => {
    await using connections = openConnections({ proxy: false });
    const { failure } = await run(testRequest({ target: { baseUrl: "not an address" } }), deps(connections));
    expect(failure).toBeDefined();
  });
});

describe("connections", () => {
  it("keeps a connection for the next attempt and replaces one the server has closed", async () => {
    const sockets = new Set<unknown>();
    let closeNext = false;
    const body = 'data: {"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
    const http = createServer((request, response) => {
      sockets.add(request.socket);
      if (closeNext) {
        closeNext = false;
        request.socket.destroy();
        return;
      }
      response.writeHead(200, { "content-type": "text/event-stream" }).end(body);
    });
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    await using connections = openConnections({ proxy: false });
    try {
      const baseUrl = `http://127.0.0.1:${(http.address() as AddressInfo).port}/v1`;
      const request = testRequest({ target: { baseUrl } });
      for (let round = 0; round < 3; round += 1)
        expect((await run(request, deps(connections))).collected.message.content).toBe("ok");
      expect(sockets.size).toBe(1);
      closeNext = true;
      expect((await run(request, deps(connections))).collected.message.content).toBe("ok");
      expect(sockets.size).toBe(2);
    } finally {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    }
  });

  it("reads gzip", async () => {
    const { gzipSync } = await import("node:zlib");
    const body = gzipSync(
      'data: {"choices":[{"delta":{"content":"packed"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
    );
    const http = createServer((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream", "content-encoding": "gzip" }).end(body);
    });
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    await using connections = openConnections({ proxy: false });
    try {
      const baseUrl = `http://127.0.0.1:${(http.address() as AddressInfo).port}/v1`;
      const { collected } = await run(testRequest({ target: { baseUrl } }), deps(connections));
      expect(collected.message.content).toBe("packed");
    } finally {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    }
  });

  it("bounds the body of an error", async () => {
    await using server = await startModelServer();
    await using connections = openConnections({ proxy: false });
    server.script(fails(500, { body: "x".repeat(5_000_000) }));
    const seen: number[] = [];
    const watching = deps(connections, {
      classify(fault, facts) {
        if (fault.kind === "http") seen.push(fault.body.length);
        return classify(fault, facts);
      },
    });
    await run(requestTo(server, "chat_completions"), watching);
    expect(seen).toEqual([64 * 1024]);
  });

  it("reports a refused connection", async () => {
    await using connections = openConnections({ proxy: false });
    const { failure } = await run(testRequest({ target: { baseUrl: "http://127.0.0.1:9/v1" } }), deps(connections));
    expect(failure).toMatchObject({ kind: "timeout", isRetryable: true });
  });

  it("passes rate-limit headers on", async () => {
    await using server = await startModelServer();
    await using connections = openConnections({ proxy: false });
    server.script(withHeaders(says("ok"), { "x-ratelimit-remaining-requests": "9", "x-other": "1" }));
    const { events } = await run(requestTo(server, "chat_completions"), deps(connections));
    const limits = events.find((event) => event.type === "rate-limits");
    expect(limits?.headers).toMatchObject({ "x-ratelimit-remaining-requests": "9" });
    expect(limits?.headers["x-other"]).toBeUndefined();
  });
});

describe("services with a wire of their own", () => {
  const root = join(dirname(fileURLToPath(import.meta.url)), "../../test/fixtures/wire");
  const served = [
    ["bedrock_converse", "bedrock/text.aws", "application/vnd.amazon.eventstream", "Hi Ä"],
    ["gemini_generate", "gemini/text.sse", "text/event-stream", "Hello"],
  ] as const;

  it.each(served)("streams %s [20:R1.62] [20:R1.65]", async (protocol, file, type, expected) => {
    const http = createServer((_request, response) => {
      response.writeHead(200, { "content-type": type }).end(readFileSync(join(root, file)));
    });
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    await using connections = openConnections({ proxy: false });
    try {
      const baseUrl = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
      const { collected, failure } = await run(testRequest({ protocol, target: { baseUrl } }), deps(connections));
      expect(failure).toBeUndefined();
      expect(collected.message.content).toBe(expected);
    } finally {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    }
  });
});

describe("an endpoint that wants time between requests", () => {
  it("gets it from everybody who shares the connections, and the wait can be aborted [20:R2.7]", async () => {
    await using server = await startModelServer({ strict: true });
    await using connections = openConnections({ proxy: false });
    server.script(says("one"), says("two"));
    const plain = requestTo(server, "chat_completions");
    const { timeouts } = plain.target;
    const request = { ...plain, target: { ...plain.target, timeouts: { ...timeouts, minIntervalMs: 4_000 } } };
    const clock = new FakeClock(0);
    await run(request, deps(connections, { clock }));
    const waits = (): number => clock.slept.filter((ms) => ms === 4_000).length;

    const person = new AbortController();
    const input = run(request, deps(connections, { clock }), person.signal);
    expect(waits()).toBe(1);
    person.abort(new Error("enough"));
    await expect(input).rejects.toThrow("enough");

    const second = run(request, deps(connections, { clock }));
    await clock.advance(4_000);
    expect((await second).collected.message.content).toBe("two");
    expect(waits()).toBe(2);
    server.assertClean();
  });
});
