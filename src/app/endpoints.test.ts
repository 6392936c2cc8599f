import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { badKey, calls, reply, says, startModelServer } from "../../test/fakes/model-server/index.ts";
import { customModel, hermesStage } from "./testing.ts";

const hasTitle = (event: { readonly type: string; readonly info?: { readonly title?: string | undefined } }): boolean =>
  event.type === "session-changed" && event.info?.title !== undefined;

const quiet = "auxiliary:\n  title_generation:\n    provider: deepseek\n";

const dot = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** Everybody's keys lie around; none of them belongs to the endpoint that is used. */
const strayKeys = {
  OPENROUTER_API_KEY: "sk-or-v1-0123456789abcdef",
  ANTHROPIC_API_KEY: "sk-ant-api03-0123456789abcdef",
  AI_GATEWAY_API_KEY: "vck-0123456789abcdef",
  DEEPSEEK_API_KEY: "sk-deepseek-0123456789",
  GLM_API_KEY: "glm-0123456789abcdef",
  XAI_API_KEY: "xai-0123456789abcdef",
};

/** A password-like value anywhere in what a server was sent, body included. */
function strayKeysIn(server: { readonly requests: readonly { headers: unknown; rawBody: string }[] }): string[] {
  const sent = server.requests.map((request) => JSON.stringify(request.headers) + request.rawBody).join("\n");
  return Object.entries(strayKeys).flatMap(([name, value]) => (sent.includes(value) ? [name] : []));
}

describe("one resolver for all calls", () => {
  it("conversation, title and child go to the saved endpoint with its own key [20:R0.1] [20:R0.2] [20:A14.2]", async () => {
    await using server = await startModelServer();
    await using elsewhere = await startModelServer();
    server.onRequest((request) =>
      request.rawBody.includes("Name three trees") && !request.rawBody.includes("Have a child")
        ? says("Oak, ash, elm.")
        : undefined,
    );
    server.script(calls("delegate_task", { goal: "Name three trees" }));
    server.otherwise(says("Done"));
    await using stage = await hermesStage(
      `model:\n  provider: custom\n  default: fake-model\n  base_url: ${server.chatBaseUrl}\n  api_key: own-key-0123456789\n`,
      { env: { ...strayKeys, OPENAI_BASE_URL: elsewhere.chatBaseUrl, HERMES_INFERENCE_PROVIDER: "openrouter" } },
    );
    const ended = await stage.ask("Have a child name three trees.");
    await stage.until(hasTitle);
    expect(ended).toMatchObject({ completed: true, provider: "custom" });
    expect(server.requests.length).toBeGreaterThanOrEqual(4);
    for (const request of server.requests) expect(request.headers["authorization"]).toBe("Bearer own-key-0123456789");
    expect(strayKeysIn(server)).toEqual([]);
    expect(elsewhere.requests).toEqual([]);
  });
});

describe("side tasks", () => {
  it("can have an endpoint of their own, which gets its own key or none [20:R4.1] [20:A4.2]", async () => {
    await using main = await startModelServer();
    await using own = await startModelServer();
    main.otherwise(says("Main."));
    own.otherwise(says("Own"));
    const auxiliary = `auxiliary:\n  title_generation:\n    base_url: ${own.chatBaseUrl}\n    model: fake-model\n`;
    await using stage = await hermesStage(customModel(main.chatBaseUrl, auxiliary), { env: strayKeys });
    await stage.ask("Hello");
    await stage.until(hasTitle);
    expect(own.requests).toHaveLength(1);
    expect(own.requests[0]?.headers["authorization"]).toBeUndefined();
    expect(strayKeysIn(own)).toEqual([]);
    expect(main.requests).toHaveLength(1);
  });

  it("`main` is the saved endpoint of one's own, without anybody's key [20:A4.1] [20:R4.2]", async () => {
    await using server = await startModelServer();
    const auxiliary = "auxiliary:\n  title_generation: {provider: main}\n  vision: {provider: main}\n";
    await using stage = await hermesStage(customModel(server.chatBaseUrl, auxiliary), { env: strayKeys });
    await writeFile(path.join(stage.folder, "dot.png"), dot);
    const image = calls("vision_analyze", { image_url: path.join(stage.folder, "dot.png"), question: "What is it?" });
    server.script(image, says("A dot."), says("It is a dot."));
    server.otherwise(says("A name"));
    await stage.ask("Look at it.");
    await stage.until(hasTitle);
    expect(server.requests).toHaveLength(4);
    expect(server.requests[1]?.rawBody).toContain(dot.toString("base64"));
    expect(server.requests[2]?.rawBody).toContain("A dot.");
    expect(strayKeysIn(server)).toEqual([]);
  });

  it("follow the conversation to another model [20:A4.7]", async () => {
    await using first = await startModelServer();
    await using second = await startModelServer();
    first.otherwise(badKey());
    second.otherwise(says("From the second"));
    const named = `custom_providers:\n  - name: second\n    base_url: ${second.chatBaseUrl}\n    api_key: second-key-0123\n`;
    await using stage = await hermesStage(customModel(first.chatBaseUrl, named));
    const view = await stage.command("/model custom:second:fake-model");
    expect(view).toContain("fake-model");
    await stage.ask("Hello");
    await stage.until(hasTitle);
    expect(first.requests).toEqual([]);
    expect(second.requests.map((request) => request.headers["authorization"])).toEqual([
      "Bearer second-key-0123",
      "Bearer second-key-0123",
    ]);
  });
});

describe("a server on this machine", () => {
  it("is asked for its window, which is used, sent and told [20:A6.3] [20:A14.5] [20:R2.10]", async () => {
    await using server = await startModelServer({
      models: [{ id: "qwen3:27b", contextLength: 131_072 }],
      localServer: { kind: "ollama", numCtx: 65_536 },
    });
    server.otherwise(says("Hi."));
    const config = `model:\n  provider: custom\n  base_url: ${server.chatBaseUrl}\n${quiet}`;
    await using stage = await hermesStage(config);
    expect(await stage.ask("hello")).toMatchObject({ completed: true, model: "qwen3:27b" });
    expect(stage.session.info.contextWindow).toBe(65_536);
    expect(server.requests[0]?.body).toMatchObject({ options: { num_ctx: 65_536 } });
    expect(await stage.command("/usage")).toMatch(/66K .*window from Ollama num_ctx/);
  });
});

describe("messages", () => {
  it("have one shape in the loop, in the store and on the way to the model [20:R1.1]", async () => {
    await using server = await startModelServer({ strict: true });
    server.script(reply([says("Looking."), calls("read_file", { path: "notes.txt" })]), says("It says one."));
    await using stage = await hermesStage(customModel(server.chatBaseUrl, quiet));
    await writeFile(path.join(stage.folder, "notes.txt"), "one\n");
    const { sessionId } = await stage.ask("What do the notes say?");
    const stored = await stage.hermes.store.messages.conversation(sessionId);
    expect(stored.map((message) => message.role)).toEqual(["user", "assistant", "tool", "assistant"]);
    const [, asked, answered] = stored;
    if (asked?.role !== "assistant" || answered?.role !== "tool") throw new Error("not a call and its result");
    const [call] = asked.tool_calls ?? [];
    expect(call).toMatchObject({
      type: "function",
      function: { name: "read_file", arguments: '{"path":"notes.txt"}' },
    });
    expect(answered.tool_call_id).toBe(call?.id);
    const sent = (await server.received(2)).messages.filter((message) => message["role"] !== "system");
    expect(sent.slice(1)).toMatchObject([
      { role: "assistant", content: "Looking.", tool_calls: [{ id: call?.id, type: "function" }] },
      { role: "tool", tool_call_id: call?.id, content: answered.content },
    ]);
    server.assertClean();
  });
});

describe("without a network", () => {
  it("the first message fails with one error that says what to do, and the session goes on [20:A14.3]", async () => {
    const closed = await startModelServer();
    const baseUrl = closed.chatBaseUrl;
    await closed[Symbol.asyncDispose]();
    await using stage = await hermesStage(customModel(baseUrl, `${quiet}agent:\n  api_max_retries: 1\n`));
    const ended = await stage.ask("hello");
    expect(ended).toMatchObject({ failed: true, completed: false });
    expect(ended.error).toMatch(/127\.0\.0\.1/);
    expect(ended.error).not.toMatch(/\n\s+at /);
    expect(ended.errorClass).not.toBe("internal_error");
    expect(stage.session.info.isBusy).toBe(false);
  });
});

describe("a model without a key", () => {
  it("is not switched to, the way out is named, and the conversation goes on as it was [20:A14.7]", async () => {
    await using server = await startModelServer();
    server.otherwise(says("Still here."));
    await using stage = await hermesStage(customModel(server.chatBaseUrl));
    const said = await stage.command("/model anthropic:claude-sonnet-4-6");
    expect(said).toMatch(/ANTHROPIC_API_KEY|hermes model|hermes auth add anthropic/);
    expect(await stage.ask("Are you there?")).toMatchObject({ text: "Still here.", model: "fake-model" });
    expect(stage.session.info).toMatchObject({ model: "fake-model", provider: "custom" });
  });
});
