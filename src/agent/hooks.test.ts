import { describe, expect, it } from "vitest";
import type { Message, SessionId } from "#conversation";
import { fakeTool } from "#tools/testing";
import { calls, hangAfter, modelNotFound, reply, says } from "../../test/fakes/model-server/index.ts";
import type { RequestFacts, TurnHooks, TurnMemory } from "./ports.ts";
import { harnesses } from "./testing/harnesses.ts";

const harness = harnesses();
const hi = { userMessage: "Hi" };

function watched() {
  const log: string[] = [];
  const facts: RequestFacts[] = [];
  const hooks: TurnHooks = {
    onSessionStart: () => Promise.resolve(void log.push("session-start")),
    turnContext: () => {
      log.push("turn-context");
      return Promise.resolve(undefined);
    },
    beforeRequest: (input) => {
      facts.push(input);
      return Promise.resolve(void log.push("before-request"));
    },
    afterRequest: () => Promise.resolve(void log.push("after-request")),
    afterAnswer: () => Promise.resolve(void log.push("after-answer")),
    onTurnEnd: (ended) => Promise.resolve(void log.push(`turn-end ${ended.completed} ${ended.interrupted}`)),
  };
  const memory: TurnMemory = {
    onTurnStart: () => void log.push("memory-start"),
    recall: () => {
      log.push("recall");
      return Promise.resolve(undefined);
    },
    sync: () => void log.push("sync"),
  };
  return { log, facts, hooks, memory };
}

describe("those who watch a turn", () => {
  it("are told in order: prompt, room, context, memory, requests, answer, end [10:LOOP-8] [10:TOOL-15]", async () => {
    const { log, hooks, memory } = watched();
    const { agent, server } = await harness({
      deps: {
        hooks,
        memory,
        prompt: {
          text: () => Promise.resolve("P"),
          refresh: () => Promise.resolve({ text: "P", changedLayers: [] }),
          layers: () => Promise.resolve([]),
          rebuild: () => Promise.resolve(),
        },
        keeper: () => ({
          fit: (_turn, moment) => Promise.resolve(void log.push(moment)),
          relieve: () => Promise.resolve(false),
        }),
        afterTurn: () => void log.push("after-turn"),
      },
    });
    server.script(calls("terminal", {}), says("ok"), says("two"));
    await agent.runConversation(hi);
    expect(log).toEqual([
      "session-start",
      "preflight",
      "turn-context",
      "memory-start",
      "recall",
      "before-request",
      "after-request",
      "step",
      "before-request",
      "after-request",
      "sync",
      "after-answer",
      "turn-end true false",
      "after-turn",
    ]);
    log.length = 0;
    await agent.runConversation(hi);
    expect(log).not.toContain("session-start");
  });

  it("hear of every ending, but of an answer only where there is one [10:ARCH-5] [10:LOOP-8] [10:D17]", async () => {
    const { log, hooks, memory } = watched();
    const { agent, server } = await harness({ deps: { hooks, memory } });
    server.script(modelNotFound());
    await agent.runConversation(hi);
    const stopped = agent.runConversation(hi);
    agent.interrupt();
    await stopped;
    expect(log.filter((line) => line.startsWith("turn-end"))).toEqual(["turn-end false false", "turn-end false true"]);
    expect(log).not.toContain("sync");
    expect(log).not.toContain("after-answer");
  });

  it("are handed no turn that was stopped, also when words had been shown [10:PROV-11] [10:A7.6]", async () => {
    const { log, hooks, memory } = watched();
    const { agent, server, events } = await harness({ deps: { hooks, memory } });
    server.script(hangAfter({ events: 4 }, says("Half of a long answer.", { fragments: 5 })));
    const running = agent.runConversation(hi);
    await expect.poll(() => events.some(({ type }) => type === "text-delta")).toBe(true);
    agent.interrupt();
    expect(await running).toMatchObject({ interrupted: true });
    expect(log).not.toContain("sync");
    expect(log).not.toContain("after-answer");
    expect(log.at(-1)).toBe("turn-end false true");
  });

  it("never break a turn [10:TOOL-15] [10:LOOP-61]", async () => {
    const broken = (): never => {
      throw new Error("broken");
    };
    const { agent, server, logger } = await harness({
      deps: {
        hooks: {
          onSessionStart: broken,
          turnContext: broken,
          beforeRequest: broken,
          afterRequest: broken,
          afterAnswer: broken,
          onTurnEnd: broken,
        },
        memory: { onTurnStart: broken, recall: broken, sync: broken },
        succeeded: broken,
        afterTurn: broken,
      },
    });
    server.script(says("ok"));
    expect(await agent.runConversation(hi)).toMatchObject({ completed: true, text: "ok" });
    expect(logger.lines.filter((line) => line.level === "warn").length).toBeGreaterThanOrEqual(10);
  });

  it("get counts and sizes of requests, never a key or a word of them [10:TOOL-15]", async () => {
    const { facts, hooks } = watched();
    const { agent, server } = await harness({ deps: { hooks } });
    server.script(says("ok"));
    await agent.runConversation({ userMessage: "a very private question" });
    expect(facts).toMatchObject([
      { step: 1, messageCount: 1, toolCount: 2, model: "test-model", protocol: "chat_completions" },
    ]);
    expect(JSON.stringify(facts)).not.toContain("private");
  });
});

describe("another model", () => {
  it("begins with the next turn; the request says why it differs [10:LOOP-59]", async () => {
    const causes: (string | undefined)[] = [];
    const rebuilt: unknown[] = [];
    const { agent, server, target } = await harness({
      deps: {
        onRequest: (_request, cause) => void causes.push(cause),
        prompt: {
          text: () => Promise.resolve("P"),
          refresh: () => Promise.resolve({ text: "P", changedLayers: [] }),
          layers: () => Promise.resolve([]),
          rebuild: (facts) => Promise.resolve(void rebuilt.push(facts)),
        },
      },
    });
    server.script(says("one"), says("two"), says("three"));
    await agent.runConversation(hi);
    await agent.changeModel({ ...target, model: "other-model" });
    expect((await agent.runConversation(hi)).model).toBe("other-model");
    await agent.runConversation(hi);
    expect(causes).toEqual([undefined, "model change", undefined]);
    expect(rebuilt).toEqual([{ model: "other-model", provider: "custom" }]);
  });
});

describe("words beside calls", () => {
  it("are told with the note whether they were streamed; every call has its start and end [10:LOOP-60] [10:LOOP-59]", async () => {
    const { agent, server, events } = await harness();
    server.script(reply([says("Looking."), calls("terminal", { command: "ls -la" }, { id: "c1" })]), says("Done."));
    await agent.runConversation(hi);
    const ends = events.filter((event) => event.type === "message-end");
    expect(ends).toMatchObject([
      { wasStreamed: true, message: { content: "Looking." } },
      { wasStreamed: true, message: { content: "Done." } },
    ]);
    expect(events.find((event) => event.type === "tool-start")).toMatchObject({
      callId: "c1",
      name: "terminal",
      preview: "ls -la",
    });
    expect(events.find((event) => event.type === "tool-end")).toMatchObject({ callId: "c1", isError: false });
  });
});

describe("what is kept of a turn", () => {
  it("is recorded step by step, before the next request and before tools run [10:LOOP-62] [10:D60] [10:A12.3]", async () => {
    const seen: (readonly string[])[] = [];
    const recorded: Message[] = [];
    const note = () => seen.push(recorded.map((message) => message.role));
    const { agent, server } = await harness({
      tools: [
        fakeTool("look", {
          execute: () => {
            note();
            return Promise.resolve({ kind: "json", value: {} } as never);
          },
        }),
      ],
      deps: {
        transcript: {
          record: (messages) => Promise.resolve(void recorded.push(...messages)),
          amend: () => Promise.resolve(),
          split: () => Promise.resolve("s" as SessionId),
          forget: () => Promise.resolve(),
        },
      },
    });
    server.onRequest(({ number }) => {
      note();
      return number === 1 ? calls("look", {}) : says("ok");
    });
    await agent.runConversation(hi);
    expect(seen).toEqual([["user"], ["user", "assistant"], ["user", "assistant", "tool"]]);
    const uids = recorded.map((message) => message.uid);
    expect(new Set(uids).size).toBe(4);
    expect(uids.every((uid) => uid !== undefined)).toBe(true);
  });

  it("takes over a history from outside, with its list of tasks [10:LOOP-2] [10:LOOP-8]", async () => {
    const todos = [{ id: "1", content: "one", status: "pending" }];
    const history: readonly Message[] = [
      { role: "user", content: "a" },
      {
        role: "assistant",
        content: "",
        tool_calls: [{ id: "c", type: "function", function: { name: "todo", arguments: "{}" } }],
      },
      { role: "tool", content: JSON.stringify({ todos }), tool_call_id: "c", tool_name: "todo" },
      { role: "assistant", content: "b" },
    ];
    const { agent, server, conversation } = await harness();
    server.script(says("ok"), says("blank"));
    expect((await agent.runConversation({ ...hi, history })).messages).toHaveLength(6);
    expect(conversation.todos.items).toEqual(todos);
    expect((await agent.runConversation({ ...hi, history: [] })).messages).toHaveLength(2);
  });

  it("says how the turn ended, in the result, the log and the last event alike [10:LOOP-20] [10:D14]", async () => {
    const { agent, server, logger, events } = await harness();
    server.script(modelNotFound());
    const ended = await agent.runConversation(hi);
    expect(logger.lines.find((line) => line.message === "turn ended")?.fields).toMatchObject({
      exit: ended.exitReason,
    });
    expect(events.at(-1)).toMatchObject({ type: "turn-end", exitReason: ended.exitReason });
  });

  it("holds the reasoning of this turn only [10:LOOP-7]", async () => {
    const { agent, server } = await harness();
    server.script(says("<think>first</think>One"), says("Two"));
    expect(await agent.runConversation(hi)).toMatchObject({ text: "One", reasoning: "first" });
    expect(await agent.runConversation(hi)).toMatchObject({ text: "Two", reasoning: undefined });
  });

  it.each([
    ["<think>a</think>Hello", "Hello"],
    ["</think>Answer", "Answer"],
    ["Use the `<think>` tag", "Use the `<think>` tag"],
  ])("is what a person sees: %s [10:A1.10] [10:LOOP-45]", async (said, shown) => {
    const { agent, server, recorded } = await harness();
    server.script(says(said));
    expect((await agent.runConversation(hi)).text).toBe(shown);
    expect(recorded.at(-1)?.content).toBe(shown);
  });

  it("ends with a signal from outside as with an interrupt [10:LOOP-2] [10:LOOP-21] [10:ARCH-6]", async () => {
    const { agent, server } = await harness();
    const stop = new AbortController();
    server.onRequest(() => {
      stop.abort();
      return undefined;
    });
    server.script(says("never seen"));
    expect(await agent.runConversation({ ...hi, signal: stop.signal })).toMatchObject({
      interrupted: true,
      completed: false,
    });
    server.onRequest(() => undefined);
    server.script(says("next"));
    expect((await agent.runConversation(hi)).interrupted).toBe(false);
  });
});
