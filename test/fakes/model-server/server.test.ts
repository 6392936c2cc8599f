import { request as httpRequest } from "node:http";
import { describe, expect, test } from "vitest";
import { calls, fails, json, rateLimited, says, startModelServer, thinks } from "./index.ts";
import { ask, send, smallest, stream } from "./testing/ask.ts";

describe("the model server", () => {
  test("gives every wire its base URL on the loopback address", async () => {
    await using server = await startModelServer();
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(server.chatBaseUrl).toBe(`${server.url}/v1`);
    expect(server.responsesBaseUrl).toBe(`${server.url}/v1`);
    expect(server.anthropicBaseUrl).toBe(server.url);
  });

  test("answers the script in order, whatever the wire", async () => {
    await using server = await startModelServer();
    server.script(says("one"), rateLimited(), (request) => says(`asked ${request.messages.length} messages`));
    expect((await ask(server, "chat", { body: smallest.chat })).text).toContain('"one"');
    expect((await ask(server, "anthropic", { body: smallest.anthropic })).status).toBe(429);
    expect((await ask(server, "responses", { body: smallest.responses })).text).toContain("asked 1 messages");
    server.assertClean();
  });

  test("says which request found the script exhausted", async () => {
    await using server = await startModelServer();
    const answer = await ask(server, "chat", { body: smallest.chat });
    expect([answer.status, answer.json()]).toEqual([
      500,
      {
        error: {
          message:
            'The script of the model server is exhausted: no reply for request 1 (POST /v1/chat/completions, model "m", 1 messages, last: "hi").',
          type: "server_error",
          param: null,
          code: null,
        },
      },
    ]);
    expect(() => server.assertClean()).toThrow(/no reply for request 1/);
  });

  test("otherwise answers for ever, onRequest goes first", async () => {
    await using server = await startModelServer();
    server.script(says("scripted")).otherwise(says("otherwise"));
    server.onRequest((request) => (request.model === "special" ? says("dynamic") : undefined));
    const texts: string[] = [];
    for (const model of ["special", "m", "m", "m", "special"])
      texts.push((await ask(server, "chat", { body: { ...smallest.chat, model } })).text);
    expect(texts.map((text) => /dynamic|scripted|otherwise/.exec(text)?.[0])).toEqual([
      "dynamic",
      "scripted",
      "otherwise",
      "otherwise",
      "dynamic",
    ]);
  });

  test("keeps what it received", async () => {
    await using server = await startModelServer({ clock: { now: () => 42 } });
    server.otherwise(says("x"));
    const body = {
      model: "m",
      stream: true,
      messages: [
        { role: "system", content: "Be kind." },
        { role: "user", content: [{ type: "text", text: "hi" }] },
      ],
      tools: [{ type: "function", function: { name: "read", parameters: { type: "object" } } }],
    };
    const waiting = server.received(1);
    await ask(server, "chat", { body, headers: { authorization: "Bearer k", "X-Custom": "v" } });
    const request = await waiting;
    expect(request).toBe(server.requests[0]);
    expect(request).toMatchObject({
      number: 1,
      protocol: "chat",
      path: "/v1/chat/completions",
      body,
      rawBody: JSON.stringify(body),
      receivedAt: 42,
      stream: true,
      model: "m",
      messages: body.messages,
      systemText: "Be kind.",
      toolNames: ["read"],
    });
    expect([request.headers.authorization, request.headers["x-custom"]]).toEqual(["Bearer k", "v"]);
    await ask(server, "anthropic", {
      body: { ...smallest.anthropic, system: [{ type: "text", text: "S" }], tools: [{ name: "t" }] },
    });
    expect([server.requests[1]?.systemText, server.requests[1]?.toolNames]).toEqual(["S", ["t"]]);
    await ask(server, "responses", { body: { model: "m", instructions: "I", input: "hello" } });
    expect([server.requests[2]?.systemText, server.requests[2]?.messages]).toEqual([
      "I",
      [{ role: "user", content: "hello" }],
    ]);
  });

  test("knows a wire by the end of its path, and keeps the query", async () => {
    await using server = await startModelServer();
    server.otherwise(says("x"));
    for (const path of [
      "/anthropic/v1/messages",
      "/backend-api/codex/responses",
      "/openai/chat/completions?api-version=1",
    ])
      await fetch(server.url + path, { method: "POST", body: "{}" }).then((response) => response.text());
    expect(server.requests.map(({ protocol }) => protocol)).toEqual(["anthropic", "responses", "chat"]);
    expect(server.requests[2]?.query.get("api-version")).toBe("1");
  });

  test("asks for the key when one is set, in each wire's words", async () => {
    await using server = await startModelServer({ apiKey: "good" });
    server.otherwise(says("x"));
    const statuses: unknown[] = [];
    const attempts = [
      ["chat", {}],
      ["chat", { authorization: "Bearer bad" }],
      ["chat", { authorization: "Bearer good" }],
      ["anthropic", { "x-api-key": "good" }],
      ["anthropic", { authorization: "Bearer good" }],
      ["anthropic", { "x-api-key": "bad" }],
      ["responses", { "x-api-key": "good" }],
    ] as const;
    for (const [wire, headers] of attempts)
      statuses.push((await ask(server, wire, { body: smallest[wire], headers })).status);
    expect(statuses).toEqual([401, 401, 200, 200, 200, 401, 401]);
    expect(server.rejections.map(({ requestNumber, rule }) => [requestNumber, rule])).toEqual([
      [1, "all/key"],
      [2, "all/key"],
      [6, "all/key"],
      [7, "all/key"],
    ]);
    const models = await fetch(`${server.url}/v1/models`);
    expect(models.status).toBe(401);
  });

  test("refuses bodies that are too large or no JSON, strict or not, without using the script", async () => {
    await using server = await startModelServer({ maxBodyBytes: 100 });
    server.script(says("for the good one"));
    const large = { ...smallest.chat, messages: [{ role: "user", content: "x".repeat(200) }] };
    expect((await ask(server, "chat", { body: large })).status).toBe(413);
    const broken = await ask(server, "anthropic", { body: "{" });
    expect([broken.status, broken.json()]).toEqual([
      400,
      {
        type: "error",
        error: { type: "invalid_request_error", message: "The request body is not valid JSON: invalid string" },
        request_id: expect.any(String),
      },
    ]);
    expect((await ask(server, "chat", { body: smallest.chat })).text).toContain("for the good one");
    expect(() => server.assertClean()).toThrow(/request 1 broke all\/body-size[\s\S]*request 2 broke all\/json/);
  });

  test("refuses prompts beyond the window, and answers that would not fit behind them", async () => {
    await using server = await startModelServer({ contextWindow: 50 });
    server.otherwise(says("x"));
    const long = [{ role: "user", content: "x".repeat(300) }];
    const claude = await ask(server, "anthropic", { body: { ...smallest.anthropic, messages: long } });
    expect(claude.text).toContain("prompt is too long: 82 tokens > 50 maximum");
    const chat = await ask(server, "chat", { body: { ...smallest.chat, messages: long } });
    expect(chat.text).toContain("maximum context length is 50 tokens. However, your messages resulted in 82 tokens");
    const reserve = await ask(server, "anthropic", { body: { ...smallest.anthropic, max_tokens: 44 } });
    expect(reserve.text).toContain("input length and `max_tokens` exceed context limit: 7 + 44 > 50");
    const chatReserve = await ask(server, "chat", { body: { ...smallest.chat, max_tokens: 44 } });
    expect(chatReserve.text).toContain("you requested 51 tokens (7 in the messages, 44 in the completion)");
    expect((await ask(server, "chat", { body: { ...smallest.chat, max_tokens: 43 } })).status).toBe(200);
  });

  test("a handler that throws is told to the client and to assertClean", async () => {
    await using server = await startModelServer();
    server.onRequest(() => {
      throw new Error("expected something else");
    });
    const answer = await ask(server, "chat", { body: smallest.chat });
    expect([answer.status, answer.text]).toEqual([500, expect.stringContaining("expected something else")]);
    expect(() => server.assertClean()).toThrow(/a handler failed: Error: expected something else/);
  });

  test("assertClean complains about replies nobody asked for", async () => {
    await using server = await startModelServer();
    server.script(says("a"), calls("b"), thinks("c"));
    await ask(server, "chat", { body: smallest.chat });
    expect(() => server.assertClean()).toThrow("2 scripted replies were not used");
  });

  test("a client that leaves while sending is no request", async () => {
    await using server = await startModelServer();
    server.script(says("x"));
    const client = httpRequest(`${server.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-length": "100" },
    });
    const failed = new Promise<void>((resolve) => client.on("error", () => resolve()));
    await new Promise<void>((resolve) => client.write("{", () => resolve()));
    client.destroy();
    await failed;
    await ask(server, "chat", { body: smallest.chat });
    expect(server.requests.length).toBe(1);
    server.assertClean();
  });

  test("serves many calls at once", async () => {
    await using server = await startModelServer();
    server.otherwise((request) => says(`to ${request.model}`));
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => ask(server, "chat", { body: { ...smallest.chat, model: `m${index}` } })),
    );
    answers.forEach((answer, index) => {
      expect(answer.text).toContain(`"to m${index}"`);
    });
    expect((await server.received(50)).number).toBe(50);
  });

  test("other endpoints can be served, and unknown ones are 404", async () => {
    await using server = await startModelServer();
    server.serve("GET /api/v1/credits", json(200, { data: { total_credits: 5 } }));
    expect(await (await fetch(`${server.url}/api/v1/credits`)).json()).toEqual({ data: { total_credits: 5 } });
    const unknown = await fetch(`${server.url}/nowhere`, { method: "POST", body: "{}" });
    expect([unknown.status, await unknown.json()]).toEqual([
      404,
      { error: { message: "Invalid URL (POST /nowhere)", type: "invalid_request_error", param: null, code: null } },
    ]);
    expect(server.probes.map(({ method, path, status }) => [method, path, status])).toEqual([
      ["GET", "/api/v1/credits", 200],
      ["POST", "/nowhere", 404],
    ]);
    expect(() => server.serve("GET /x", says("x"))).toThrow(/can be served/);
    expect(server.requests).toEqual([]);
  });

  test("listens on a given port and frees it", async () => {
    const first = await startModelServer();
    const port = Number(new URL(first.url).port);
    await expect(startModelServer({ port })).rejects.toThrow(/EADDRINUSE/);
    await first[Symbol.asyncDispose]();
    await using second = await startModelServer({ port });
    second.script(fails(418));
    const answer = await send(second, "chat", stream("chat"));
    expect(answer.status).toBe(418);
    await answer.text();
  });

  test("a rule id that does not exist is a mistake of the test", async () => {
    await expect(startModelServer({ strict: { except: ["chat/nonsense"] } })).rejects.toThrow(/no strict rule/);
  });
});
