import { describe, expect, it } from "vitest";
import { type AssistantMessage, assistantMessage, newToolCall, userMessage } from "#conversation";
import { never } from "#foundation/lifecycle/abort";
import { FakeClock } from "#foundation/testing/fake-clock";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { toolContext } from "#tools/testing";
import { type FlushFacts, type FlushRequest, flushMemory, planFlush } from "./flush.ts";
import { memoryStage } from "./testing.ts";

const settings = { isMemoryEnabled: true, minTurns: 6 };
const history = [userMessage("I moved to Oslo"), assistantMessage("Noted.")];
const facts = (changes: Partial<FlushFacts> = {}): FlushFacts => ({
  reason: "exit",
  history,
  userTurns: 6,
  turnsSinceSaved: undefined,
  ...changes,
});

describe("whether memory is flushed", () => {
  it.each([
    ["exit after 3 turns", facts({ userTurns: 3 }), settings, "skip"],
    ["exit after 6 turns", facts(), settings, "flush"],
    ["reset after 6 turns", facts({ reason: "reset" }), settings, "flush"],
    ["exit when switched off", facts({ userTurns: 50 }), { ...settings, minTurns: 0 }, "skip"],
    ["compression after 1 turn", facts({ reason: "compression", userTurns: 1 }), settings, "flush"],
    ["compression when the end flush is off", facts({ reason: "compression" }), { ...settings, minTurns: 0 }, "flush"],
    ["memory switched off", facts(), { ...settings, isMemoryEnabled: false }, "skip"],
    ["an empty session", facts({ history: [] }), settings, "skip"],
    ["saved 2 turns ago", facts({ userTurns: 8, turnsSinceSaved: 2 }), settings, "skip"],
    ["compression right after a save", facts({ reason: "compression", turnsSinceSaved: 0 }), settings, "skip"],
    ["saved 3 turns ago", facts({ userTurns: 9, turnsSinceSaved: 3 }), settings, "flush"],
  ] as const)("%s [10:MEM-16] [10:A6.11]", (_case, input, options, expected) => {
    expect(planFlush(input, options).kind).toBe(expected);
  });
});

const call = (id: string, name: string, args: unknown) =>
  newToolCall({ id, name, arguments: typeof args === "string" ? args : JSON.stringify(args) });

async function flush(askOnce: (request: FlushRequest, signal: AbortSignal) => Promise<AssistantMessage | undefined>) {
  const stage = await memoryStage();
  const clock = new FakeClock();
  const logger = memoryLogger();
  const { callId: _id, signal: _signal, ...context } = toolContext({ agent: stage.agent });
  const outcome = flushMemory(facts(), { askOnce, context, clock, logger, settings }, never);
  return { stage, clock, logger, outcome, [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose]() };
}

describe("the memory flush", () => {
  it("asks once, with memory as the only tool, and carries all its calls out [10:MEM-15] [10:MEM-16]", async () => {
    const requests: FlushRequest[] = [];
    await using one = await flush((request) => {
      requests.push(request);
      const tool_calls = [
        call("1", "memory", { action: "add", target: "user", content: "Lives in Oslo" }),
        call("2", "memory", { action: "add", target: "memory", content: "Uses pnpm" }),
        call("3", "terminal", { command: "true" }),
        call("4", "memory", '{"action":'),
      ];
      return Promise.resolve(assistantMessage("", { tool_calls }));
    });
    expect(await one.outcome).toEqual({ kind: "flushed", saved: 2, refused: 2 });
    expect(requests).toEqual([
      {
        messages: history,
        instruction: expect.stringContaining("memory tool"),
        toolNames: ["memory"],
        maxTokens: 5_120,
        temperature: 0.3,
        timeoutMs: 30_000,
      },
    ]);
    expect([await one.stage.notes.read("user"), await one.stage.notes.read("memory")]).toEqual([
      ["Lives in Oslo"],
      ["Uses pnpm"],
    ]);
    expect(history).toHaveLength(2);
  });

  it("gives up after thirty seconds with a warning and nothing else [10:MEM-16]", async () => {
    await using one = await flush(() => new Promise(() => undefined));
    await one.clock.advance(30_000);
    expect(await one.outcome).toMatchObject({ kind: "failed" });
    expect(one.logger.lines.map(({ level }) => level)).toEqual(["warn"]);
  });

  it("survives a model that fails or says nothing [10:MEM-16]", async () => {
    await using failing = await flush(() => Promise.reject(new Error("offline")));
    expect(await failing.outcome).toEqual({ kind: "failed", why: "offline" });
    await using silent = await flush(() => Promise.resolve(undefined));
    expect(await silent.outcome).toMatchObject({ kind: "failed" });
    await using done = await flush(() => Promise.resolve(assistantMessage("Nothing to keep.")));
    expect(await done.outcome).toEqual({ kind: "flushed", saved: 0, refused: 0 });
  });
});
