import { describe, expect, test } from "vitest";
import {
  badKey,
  contextOverflow,
  fails,
  failsMidway,
  modelNotFound,
  noCredit,
  overloaded,
  payloadTooLarge,
  policyBlocked,
  type Reply,
  rateLimited,
  says,
  serverError,
  startModelServer,
} from "./index.ts";
import { ask, dataOf, smallest, stream } from "./testing/ask.ts";

type Row = readonly [name: string, make: () => Reply, expected: Readonly<Record<string, readonly [number, unknown]>>];

const invalid = "invalid_request_error";
const openai = (message: unknown, type: string, rest: { code?: string | null; param?: string } = {}) => ({
  error: { message, type, param: rest.param ?? null, code: rest.code ?? null },
});
const anthropic = (type: string, message: unknown) => ({
  type: "error",
  error: { type, message },
  request_id: expect.stringMatching(/^req_/),
});
const router = (code: number, message: unknown, metadata?: unknown) => ({
  error: { message, code, ...(metadata === undefined ? {} : { metadata }) },
  user_id: "user_fake",
});

const rows: readonly Row[] = [
  [
    "rateLimited",
    rateLimited,
    {
      chat: [
        429,
        openai(expect.stringMatching(/^Rate limit reached for m .*\(TPM\)/), "tokens", { code: "rate_limit_exceeded" }),
      ],
      anthropic: [429, anthropic("rate_limit_error", expect.stringMatching(/rate limit of 40,000 input tokens/))],
      responses: [429, openai(expect.any(String), "tokens", { code: "rate_limit_exceeded" })],
      openrouter: [
        429,
        router(429, "Provider returned error", {
          raw: expect.stringMatching(/temporarily rate-limited upstream/),
          provider_name: "FakeProvider",
        }),
      ],
    },
  ],
  [
    "overloaded",
    overloaded,
    {
      chat: [503, openai("The engine is currently overloaded, please try again later", "server_error")],
      anthropic: [529, anthropic("overloaded_error", "Overloaded")],
      responses: [503, openai("The engine is currently overloaded, please try again later", "server_error")],
      openrouter: [
        503,
        router(503, "Provider returned error", expect.objectContaining({ provider_name: "FakeProvider" })),
      ],
    },
  ],
  [
    "contextOverflow",
    contextOverflow,
    {
      chat: [
        400,
        openai(
          "This model's maximum context length is 128000 tokens. However, your messages resulted in 128001 tokens. Please reduce the length of the messages.",
          invalid,
          { code: "context_length_exceeded", param: "messages" },
        ),
      ],
      anthropic: [400, anthropic(invalid, "prompt is too long: 128001 tokens > 128000 maximum")],
      responses: [
        400,
        openai(expect.stringMatching(/^Your input exceeds the context window/), invalid, {
          code: "context_length_exceeded",
          param: "input",
        }),
      ],
      openrouter: [400, router(400, expect.stringMatching(/^This endpoint's maximum context length is 128000 tokens/))],
    },
  ],
  [
    "badKey",
    badKey,
    {
      chat: [401, openai(expect.stringMatching(/^Incorrect API key provided/), invalid, { code: "invalid_api_key" })],
      anthropic: [401, anthropic("authentication_error", "invalid x-api-key")],
      responses: [401, openai(expect.any(String), invalid, { code: "invalid_api_key" })],
      openrouter: [401, router(401, "User not found.")],
    },
  ],
  [
    "noCredit",
    noCredit,
    {
      chat: [
        429,
        openai(expect.stringMatching(/exceeded your current quota/), "insufficient_quota", {
          code: "insufficient_quota",
        }),
      ],
      anthropic: [400, anthropic(invalid, expect.stringMatching(/^Your credit balance is too low/))],
      responses: [429, openai(expect.any(String), "insufficient_quota", { code: "insufficient_quota" })],
      openrouter: [402, router(402, expect.stringMatching(/^Insufficient credits/))],
    },
  ],
  [
    "modelNotFound",
    modelNotFound,
    {
      chat: [
        404,
        openai("The model `m` does not exist or you do not have access to it.", invalid, { code: "model_not_found" }),
      ],
      anthropic: [404, anthropic("not_found_error", "model: m")],
      responses: [
        400,
        openai("The requested model 'm' does not exist.", invalid, { code: "model_not_found", param: "model" }),
      ],
      openrouter: [400, router(400, "m is not a valid model ID")],
    },
  ],
  [
    "payloadTooLarge",
    payloadTooLarge,
    {
      chat: [413, openai(expect.stringMatching(/^Maximum content size limit/), "server_error")],
      anthropic: [413, anthropic("request_too_large", "Request exceeds the maximum size")],
      responses: [413, openai(expect.any(String), "server_error")],
      openrouter: [413, router(413, "Request body too large")],
    },
  ],
  [
    "serverError",
    serverError,
    {
      chat: [500, openai(expect.stringMatching(/^The server had an error/), "server_error")],
      anthropic: [500, anthropic("api_error", "Internal server error")],
      responses: [500, openai(expect.any(String), "server_error")],
      openrouter: [500, router(500, "Internal Server Error")],
    },
  ],
  [
    "policyBlocked",
    policyBlocked,
    {
      chat: [400, openai(expect.stringMatching(/^Invalid prompt/), invalid, { code: "invalid_prompt" })],
      anthropic: [400, anthropic(invalid, "Output blocked by content filtering policy")],
      responses: [400, openai(expect.any(String), invalid, { code: "invalid_prompt" })],
      openrouter: [404, router(404, expect.stringMatching(/data policy/))],
    },
  ],
];

describe("failures", () => {
  test.each(rows)("%s speaks each provider's language", async (_name, make, expected) => {
    for (const who of ["chat", "anthropic", "responses", "openrouter"] as const) {
      await using server = await startModelServer(who === "openrouter" ? { chatDialect: "openrouter" } : {});
      server.script(make());
      const wire = who === "openrouter" ? "chat" : who;
      const answer = await ask(server, wire, { body: smallest[wire] });
      const [status, body] = expected[who] ?? [];
      expect([who, answer.status, answer.json()]).toEqual([who, status, body]);
    }
  });

  test("says how long to wait in the provider's headers", async () => {
    await using server = await startModelServer();
    server.otherwise(fails(429, { retryAfterMs: 7_500 }));
    const chat = await ask(server, "chat", { body: smallest.chat });
    expect([chat.headers.get("retry-after"), chat.headers.get("retry-after-ms")]).toEqual(["8", "7500"]);
    const anthropicAnswer = await ask(server, "anthropic", { body: smallest.anthropic });
    expect([anthropicAnswer.headers.get("retry-after"), anthropicAnswer.headers.get("retry-after-ms")]).toEqual([
      "8",
      null,
    ]);
  });

  test("a bare status gets the provider's usual type, and every field can be set", async () => {
    await using server = await startModelServer();
    server.script(
      fails(403),
      fails(403),
      fails(418, { type: "teapot", code: "t", param: "p", message: "short", headers: { "x-a": "b" } }),
      fails(400, { body: { odd: true } }),
      fails(502, { body: "upstream down" }),
    );
    expect((await ask(server, "anthropic", { body: smallest.anthropic })).json()).toEqual(
      anthropic("permission_error", "Request failed with status 403"),
    );
    expect((await ask(server, "chat", { body: smallest.chat })).json()).toEqual(
      openai("Request failed with status 403", invalid),
    );
    const teapot = await ask(server, "chat", { body: smallest.chat });
    expect([teapot.status, teapot.headers.get("x-a"), teapot.json()]).toEqual([
      418,
      "b",
      { error: { message: "short", type: "teapot", param: "p", code: "t" } },
    ]);
    expect((await ask(server, "chat", { body: smallest.chat })).text).toBe('{"odd":true}');
    expect((await ask(server, "chat", { body: smallest.chat })).text).toBe("upstream down");
  });

  test("fails in the middle of a stream as each provider does", async () => {
    await using server = await startModelServer();
    server.otherwise(failsMidway(says("Hello world", { id: "id" }), overloaded()));
    const claude = (await ask(server, "anthropic", stream("anthropic"))).events();
    expect(claude.map(({ event }) => event)).toEqual([
      "message_start",
      "content_block_start",
      "ping",
      "content_block_delta",
      "content_block_delta",
      "content_block_stop",
      "error",
    ]);
    expect(JSON.parse(claude.at(-1)?.data ?? "")).toEqual(anthropic("overloaded_error", "Overloaded"));
    const chat = dataOf(await ask(server, "chat", stream("chat")));
    expect(chat.slice(-2)).toEqual([
      openai("The engine is currently overloaded, please try again later", "server_error"),
      "[DONE]",
    ]);
    const responses = dataOf(await ask(server, "responses", stream("responses")));
    expect(responses.slice(-2)).toEqual([
      {
        type: "error",
        sequence_number: 9,
        code: "server_error",
        message: "The engine is currently overloaded, please try again later",
        param: null,
      },
      {
        type: "response.failed",
        sequence_number: 10,
        response: {
          object: "response",
          status: "failed",
          error: { code: "server_error", message: "The engine is currently overloaded, please try again later" },
          output: [],
        },
      },
    ]);
  });

  test("fails midway after so many events, and as a whole where there is no stream", async () => {
    await using server = await startModelServer();
    server.otherwise(failsMidway(says("Hello world"), rateLimited(), { afterEvents: 2 }));
    const events = (await ask(server, "anthropic", stream("anthropic"))).events();
    expect(events.map(({ event }) => event)).toEqual(["message_start", "content_block_start", "error"]);
    expect((await ask(server, "anthropic", { body: smallest.anthropic })).status).toBe(429);
  });

  test("an error names the same request in its header and in its body", async () => {
    await using server = await startModelServer();
    server.script(says("x"), overloaded());
    await ask(server, "anthropic", { body: smallest.anthropic });
    const answer = await ask(server, "anthropic", { body: smallest.anthropic });
    const id = "req_000000000000000000000002";
    expect([answer.headers.get("request-id"), answer.json().request_id]).toEqual([id, id]);
  });

  test("only a failure can fail midway", () => {
    expect(() => failsMidway(says("a"), says("b"))).toThrow(/needs a failure/);
  });
});
