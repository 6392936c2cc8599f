import { describe, expect, it } from "vitest";
import { defined } from "#foundation/defined";
import { calls, reply, says, startModelServer } from "../../test/fakes/model-server/index.ts";
import { createHermes } from "./library.ts";
import { hermesStage, temporaryStage } from "./testing.ts";

const model = (baseUrl: string): string =>
  `model:\n  provider: custom\n  default: test-model\n  base_url: ${baseUrl}\nmemory:\n  memory_enabled: false\n`;

describe("what the user adds to every request", () => {
  it("goes out and is not stored: agent.system_prompt and the prefilled messages [10:PROMPT-17] [10:A3.12] [10:PROMPT-1]", async () => {
    await using server = await startModelServer({ strict: true });
    server.otherwise(says("Hi."));
    const prefill = [
      { role: "user", content: "Prefilled question" },
      { role: "assistant", content: "Prefilled answer" },
    ];
    const agent = "agent:\n  system_prompt: Only for now.\n  prefill_messages_file: prefill.json\n";
    await using stage = await hermesStage(model(server.chatBaseUrl) + agent, {
      files: { "prefill.json": JSON.stringify(prefill) },
    });
    await stage.ask("hello");
    const [request] = server.requests;
    expect(request?.systemText).toContain("Only for now.");
    expect(request?.messages.map(({ role }) => role).slice(-3)).toEqual(["user", "assistant", "user"]);
    expect(JSON.stringify(request?.messages)).toContain("Prefilled answer");
    const { id } = stage.session.info;
    const stored = await stage.hermes.store.sessions.get(id);
    expect(stored?.systemPrompt).not.toContain("Only for now.");
    expect(JSON.stringify(await stage.hermes.store.messages.conversation(id))).not.toContain("Prefilled");
  });

  it("has the prompt of a GPT-5 model in the role of the developer, and stores it as the prompt it is [10:A3.11]", async () => {
    await using server = await startModelServer({ strict: true, models: [{ id: "gpt-5.4" }] });
    server.otherwise(says("Hi."));
    const config = model(server.chatBaseUrl).replace(
      "default: test-model",
      "default: gpt-5.4\n  api_mode: chat_completions",
    );
    await using stage = await hermesStage(config);
    await stage.ask("hello");
    const [first] = server.requests[0]?.messages ?? [];
    expect(first?.["role"]).toBe("developer");
    const { id } = stage.session.info;
    expect((await stage.hermes.store.sessions.get(id))?.systemPrompt).toBe(first?.["content"]);
    const stored = await stage.hermes.store.messages.conversation(id);
    expect(stored.map(({ role }) => role)).toEqual(["user", "assistant"]);
  });

  it.each([
    ["there is no such file", undefined],
    ["it is not JSON", "[{"],
    ["it is not a list", "{}"],
    ["entry 2 has no role", '[{"role":"user","content":"a"},{"role":"system","content":"b"}]'],
  ])("is refused by name when %s", async (why, text) => {
    await using server = await startModelServer();
    const files: Record<string, string> = defined({ "prefill.json": text });
    const config = `${model(server.chatBaseUrl)}agent:\n  prefill_messages_file: prefill.json\n`;
    await expect(hermesStage(config, { files })).rejects.toThrow(why);
  });

  it("includes the personality a person has chosen, and none before", async () => {
    await using server = await startModelServer({ strict: true });
    server.otherwise(says("Hi."));
    const own = "personalities:\n  captain: Speak like the captain of a ferry.\n";
    const asked = async (config: string): Promise<string> => {
      await using stage = await hermesStage(model(server.chatBaseUrl) + own + config);
      await stage.ask("hello");
      return server.requests.at(-1)?.systemText ?? "";
    };
    expect(await asked("display:\n  personality: captain\n")).toContain("captain of a ferry");
    expect(await asked("")).not.toMatch(/kawaii|captain/i);
  });

  it("warns of a chosen personality that does not exist", async () => {
    await using server = await startModelServer({ strict: true });
    await using stage = await hermesStage(`${model(server.chatBaseUrl)}display:\n  personality: nobody\n`);
    const said = await stage.until((event) => event.type === "notice" && event.level === "warn");
    expect(said).toMatchObject({ text: expect.stringContaining("nobody") });
  });

  it("waits between two calls that run one after the other when agent.tool_delay says so [10:TOOL-11]", async () => {
    await using server = await startModelServer({ strict: true });
    const list = { todos: [{ id: "1", content: "x", status: "pending" }] };
    server.script(reply([calls("todo", list), calls("todo", {})]), says("Done."));
    await using stage = await hermesStage(`${model(server.chatBaseUrl)}agent:\n  tool_delay: 0.2\n`);
    const started = performance.now();
    expect((await stage.ask("plan")).text).toBe("Done.");
    expect(performance.now() - started).toBeGreaterThanOrEqual(190);
  });
});

it("a program gives its conversation instructions of its own, in the prompt from the beginning [10:LOOP-2]", async () => {
  await using server = await startModelServer({ strict: true });
  server.otherwise(says("Hi."));
  await using location = await temporaryStage({ "config.yaml": model(server.chatBaseUrl) });
  await using hermes = await createHermes({
    home: location.home,
    cwd: location.folder,
    env: { HOME: location.folder },
    systemMessage: "Answer in verse.",
  });
  await hermes.chat("hello");
  expect(server.requests[0]?.systemText).toContain("Answer in verse.");
});
