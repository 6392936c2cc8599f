import { afterEach, describe, expect, it } from "vitest";
import { isValid, type Message } from "#conversation";
import { result } from "#tools";
import { fakeTool } from "#tools/testing";
import { calls, cutAfter, hang, reply, says, serverError, slow } from "../../test/fakes/model-server/index.ts";
import { type HarnessGiven, openHarness } from "./testing/harness.ts";
import { defaultAgentSettings } from "./testing/index.ts";

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one[Symbol.asyncDispose]();
});

async function harness(input: HarnessGiven = {}) {
  const one = await openHarness(input);
  open.push(one);
  return one;
}

const protocols = ["chat_completions", "anthropic_messages", "codex_responses"] as const;
const withSteps = (maxSteps: number) => ({ settings: { ...defaultAgentSettings, maxSteps } });
const cut = (text: string) => reply([says(text)], { finish: "length" });

describe.each(protocols)("a turn over %s", (protocol) => {
  it("answers [10:A1.1] [10:LOOP-1] [10:LOOP-7]", async () => {
    const { agent, server } = await harness({ protocol });
    server.script(says("Hi"));
    const ended = await agent.runConversation({ userMessage: "Hello" });
    expect(ended).toMatchObject({
      text: "Hi",
      completed: true,
      exitReason: "text_response",
      apiCalls: 1,
      wasPreviewed: true,
    });
    server.assertClean();
  });

  it("runs tools and records every message before the next request [10:LOOP-62] [10:A1.3]", async () => {
    const { agent, server, recorded } = await harness({ protocol, deps: withSteps(2) });
    server.script(calls("terminal", { command: "ls" }), says("Two files."));
    const ended = await agent.runConversation({ userMessage: "List" });
    expect(ended).toMatchObject({ text: "Two files.", completed: true, apiCalls: 2 });
    expect(recorded.map((message) => message.role)).toEqual(["user", "assistant", "tool", "assistant"]);
    expect(isValid(ended.messages)).toBe(true);
    server.assertClean();
  });

  it("joins an answer that was cut three times [10:A1.5] [10:LOOP-27] [10:LOOP-28] [10:LOOP-41]", async () => {
    const { agent, server, recorded, requests } = await harness({ protocol });
    server.script(cut("a"), cut("b"), cut("c"), says("d"));
    const ended = await agent.runConversation({ userMessage: "Write" });
    expect(ended).toMatchObject({ text: "abcd", completed: true });
    expect(recorded.map((message) => message.content)).toEqual(["Write", "abcd"]);
    const raised = protocol === "codex_responses" ? Array(4).fill(undefined) : [undefined, 8_192, 12_288, 16_384];
    expect(requests.map((request) => request.options.maxOutputTokens)).toEqual(raised);
    server.assertClean();
  });

  it("says so when it is cut a fourth time, and counts all four [10:A1.6] [10:LOOP-56] [10:D23]", async () => {
    const { agent, server, recorded } = await harness({ protocol });
    server.script(cut("a"), cut("b"), cut("c"), cut("d"));
    const ended = await agent.runConversation({ userMessage: "Write" });
    const stillCut = protocol === "codex_responses" ? "responses_incomplete" : "length_truncated";
    expect(ended).toMatchObject({ text: "abcd", exitReason: stillCut, partial: true });
    expect(recorded.at(-1)?.content).toBe("abcd");
    expect(ended.usage.output).toBeGreaterThanOrEqual(4);
  });
});

describe("steps", () => {
  it("ends with a summary when they are spent; the instruction is not kept [10:A1.2] [10:LOOP-17]", async () => {
    const { agent, server, recorded } = await harness({ deps: withSteps(2) });
    server.script(calls("terminal", { command: "1" }), calls("terminal", { command: "2" }), says("So far: two."));
    const ended = await agent.runConversation({ userMessage: "Go" });
    expect(ended).toMatchObject({
      text: "So far: two.",
      exitReason: "max_iterations_reached",
      completed: false,
      partial: true,
      apiCalls: 3,
    });
    expect(JSON.stringify(recorded)).not.toContain("No steps are left");
    const grace = await server.received(3);
    expect(grace.body).toMatchObject({ tool_choice: "none" });
    expect(grace.toolNames).toEqual(["terminal", "todo"]);
  });

  it("does not count steps that only run scripts [10:A1.4] [10:LOOP-16]", async () => {
    const { agent, server } = await harness({
      tools: [fakeTool("execute_code", { costsNoStep: true })],
      deps: withSteps(2),
    });
    const script = (n: number) => calls("execute_code", { code: `${n}` });
    server.script(script(1), script(2), script(3), says("Done"));
    expect(await agent.runConversation({ userMessage: "Go" })).toMatchObject({ completed: true, apiCalls: 4 });
  });

  it("stops a circle of calls that change nothing, and says so", async () => {
    const { agent, server, recorded } = await harness();
    server.otherwise(calls("terminal", { command: "ls" }));
    const ended = await agent.runConversation({ userMessage: "Go" });
    expect(ended).toMatchObject({ exitReason: "loop_detected", partial: true, completed: false });
    expect(ended.text).toContain("terminal");
    const results = recorded.filter((message) => message.role === "tool").map((message) => String(message.content));
    expect(results).toHaveLength(7);
    expect(results[2]).toContain("same result");
    expect(results[6]).toContain("not run again");
  });
});

describe("interrupt and steer", () => {
  it("ends while the model is being asked, and leaves a mark [10:LOOP-21]", async () => {
    const { agent, server, recorded } = await harness();
    server.script(hang());
    const running = agent.runConversation({ userMessage: "Hello" });
    await server.received(1);
    agent.interrupt("stop it");
    expect(await running).toMatchObject({
      interrupted: true,
      exitReason: "interrupted_during_api_call",
      interruptMessage: "stop it",
      text: undefined,
    });
    expect(recorded.map(({ content }) => content).slice(1)).toEqual(["(interrupted by the user)"]);
  });

  it("answers every call when tools are interrupted [10:A1.12] [10:LOOP-22] [10:LOOP-24]", async () => {
    const running = { interrupt: (): void => undefined };
    const first = fakeTool("first", {
      execute: () => {
        running.interrupt();
        return Promise.resolve(result({ ok: true }));
      },
    });
    const { agent, server } = await harness({ tools: [first, fakeTool("second"), fakeTool("third")] });
    running.interrupt = () => agent.interrupt();
    server.script(reply([calls("first", {}), calls("second", {}), calls("third", {})]));
    const ended = await agent.runConversation({ userMessage: "Go" });
    const results = ended.messages.filter((message) => message.role === "tool");
    expect(results).toHaveLength(3);
    expect(results.filter((message) => String(message.content).includes("cancelled"))).toHaveLength(2);
    expect(ended).toMatchObject({ interrupted: true, exitReason: "interrupted_by_user" });
    expect(ended.messages.at(-1)).toMatchObject({ role: "assistant", finish_reason: "interrupted" });
    expect(isValid(ended.messages)).toBe(true);
  });

  it("ends a turn that has only just begun, before anything is asked [10:LOOP-23] [10:LOOP-7]", async () => {
    const { agent, server } = await harness();
    const running = agent.runConversation({ userMessage: "Go" });
    agent.interrupt("wait");
    expect(await running).toMatchObject({
      apiCalls: 0,
      exitReason: "interrupted_by_user",
      interruptMessage: "wait",
    });
    expect(server.requests).toEqual([]);
    server.script(says("Hi"));
    expect(await agent.runConversation({ userMessage: "Again" })).toMatchObject({ completed: true });
  });

  it("does nothing to an agent that is idle: the next turn runs [10:LOOP-23]", async () => {
    const { agent, server } = await harness();
    agent.interrupt("nobody is there");
    server.script(says("Hi"));
    expect(await agent.runConversation({ userMessage: "Go" })).toMatchObject({ completed: true, interrupted: false });
    agent.interrupt();
    server.script(says("Hi"));
    expect(await agent.runConversation({ userMessage: "Again" })).toMatchObject({ completed: true });
  });

  it("delivers guidance with the next result, and returns what came too late [10:LOOP-25]", async () => {
    const asked = { steer: (): void => undefined };
    const look = fakeTool("look", {
      execute: () => {
        asked.steer();
        return Promise.resolve(result({ ok: true }));
      },
    });
    const { agent, server } = await harness({ tools: [look] });
    asked.steer = () => void agent.steer("Prefer the second one");
    server.script(calls("look", {}), says("Done"));
    const ended = await agent.runConversation({ userMessage: "Go" });
    expect(String(ended.messages[2]?.content)).toContain("User guidance: Prefer the second one");
    expect(ended.pendingSteer).toBeUndefined();
    expect(agent.steer("  ")).toBe(false);
    agent.steer("too late");
    server.script(says("Fine"));
    expect((await agent.runConversation({ userMessage: "Next" })).pendingSteer).toBe("too late");
  });

  it("refuses a second turn while one runs [10:ARCH-7]", async () => {
    const { agent, server } = await harness();
    server.script(slow(says("Hi")));
    const running = agent.runConversation({ userMessage: "Hello" });
    await expect(agent.runConversation({ userMessage: "Me too" })).rejects.toThrow("A turn is running");
    await server.received(1);
    server.release(Number.POSITIVE_INFINITY);
    await running;
  });
});

describe("what the result says", () => {
  it("has the same fields for every ending [10:A1.15] [10:ARCH-5]", async () => {
    const good = await harness();
    good.server.script(says("Hi"));
    const bad = await harness();
    bad.server.otherwise(serverError());
    const broken = await harness({
      deps: {
        transcript: {
          record: () => Promise.reject(new Error("disk full")),
          amend: () => Promise.resolve(),
          split: () => Promise.reject(),
          forget: () => Promise.resolve(),
        },
      },
    });
    const results = await Promise.all(
      [good, bad, broken].map((one) => one.agent.runConversation({ userMessage: "x" })),
    );
    const [first, second, third] = results;
    expect(Object.keys(second ?? {}).sort()).toEqual(Object.keys(first ?? {}).sort());
    expect(Object.keys(third ?? {}).sort()).toEqual(Object.keys(first ?? {}).sort());
    expect(second).toMatchObject({ failed: true, exitReason: "api_retries_exhausted", errorClass: "server_error" });
    expect(third).toMatchObject({ failed: true, exitReason: "internal_error", error: "disk full" });
    for (const one of [good, bad, broken])
      expect(one.events.filter((event) => event.type === "turn-end")).toHaveLength(1);
  });

  it("keeps what was shown when the stream breaks [10:A1.13] [10:LOOP-53]", async () => {
    const { agent, server, recorded } = await harness();
    server.otherwise(cutAfter(700, says("Hello, world. ".repeat(20))));
    const ended = await agent.runConversation({ userMessage: "x" });
    expect(ended).toMatchObject({ exitReason: "partial_stream_recovery", partial: true });
    expect(recorded.at(-1)).toMatchObject({ role: "assistant", content: ended.text });
  });

  it("removes recall blocks the user pasted [10:A1.9] [10:LOOP-43]", async () => {
    const { agent, server } = await harness();
    server.script(says("ok"));
    await agent.runConversation({ userMessage: "ok <memory-context>secret</memory-context> go \ud83d" });
    const { messages } = await server.received(1);
    expect((messages.at(-1) as Message | undefined)?.content).toBe("ok  go \ufffd");
  });
});
