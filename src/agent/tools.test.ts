import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { isValid } from "#conversation";
import { Deferred } from "#foundation/lifecycle/deferred";
import { type CallObserver, defineAbility, defineTool, result, type Tool } from "#tools";
import { fakeTool, noAbilities } from "#tools/testing";
import { calls, reply, says } from "../../test/fakes/model-server/index.ts";
import type { AgentTools } from "./agent-deps.ts";
import type { HarnessGiven } from "./testing/harness.ts";
import { harnesses, protocols } from "./testing/harnesses.ts";

const harness = harnesses();
const go = { userMessage: "Go" };

/** A tool that notes when it starts and ends, and ends when it is let go. */
function gated(name: string, log: string[], changes: Partial<Tool> = {}): Tool {
  return fakeTool(name, {
    execute: async (args) => {
      const id = String(args["id"] ?? "");
      log.push(`start ${name}${id}`);
      for (let n = 0; n < Number(args["turns"] ?? 1); n += 1) await setImmediate();
      log.push(`end ${name}${id}`);
      return result({ id });
    },
    ...changes,
  });
}

describe("several calls in one reply", () => {
  it("run together where they may, and are answered in their order [10:A2.1] [10:TOOL-6] [10:TOOL-11] [10:D30]", async () => {
    const both = [new Deferred<void>(), new Deferred<void>()];
    const search = fakeTool("web_search", {
      concurrency: "safe",
      execute: async (args) => {
        const mine = Number(args["n"]);
        both[mine]?.resolve();
        // Each waits for the other: only two that run at the same time ever end.
        await both[1 - mine]?.promise;
        return result({ n: mine });
      },
    });
    const { agent, server, clock } = await harness({ tools: [search] });
    server.script(reply([calls("web_search", { n: 0 }), calls("web_search", { n: 1 })]), says("Done"));
    const ended = await agent.runConversation(go);
    const results = ended.messages.flatMap((message) =>
      message.role === "tool" ? [JSON.parse(String(message.content))] : [],
    );
    expect(results.map((one) => one.n)).toEqual([0, 1]);
    expect(clock.slept).toEqual([]);
  });

  it("wait for one that may not overlap [10:A2.2] [10:TOOL-7] [10:D10]", async () => {
    const log: string[] = [];
    const search = gated("web_search", log, { concurrency: "safe" });
    const { agent, server } = await harness({ tools: [search, gated("memory", log)] });
    server.script(
      reply([calls("web_search", { id: 1, turns: 5 }), calls("memory", {}), calls("web_search", { id: 2 })]),
      says("Done"),
    );
    await agent.runConversation(go);
    expect(log).toEqual([
      "start web_search1",
      "end web_search1",
      "start memory",
      "end memory",
      "start web_search2",
      "end web_search2",
    ]);
  });

  it.each([
    ["two writes of one file", ["write_file", "a.txt"], ["write_file", "a.txt"], false],
    ["two reads of one file", ["read_file", "a.txt"], ["read_file", "a.txt"], true],
    ["a write and a read below it", ["write_file", "src"], ["read_file", "src/x"], false],
    ["two writes of different files", ["write_file", "a.txt"], ["write_file", "b.txt"], true],
  ] as const)("with paths: %s [10:A2.3] [10:TOOL-8] [10:TOOL-9]", async (_what, first, second, mayOverlap) => {
    const log: string[] = [];
    const file = (name: string) =>
      gated(name, log, {
        concurrency: "path",
        effects: name === "read_file" ? "none" : "files",
        pathsOf: (args) => [String(args["path"])],
      });
    const { agent, server } = await harness({ tools: [file("write_file"), file("read_file")] });
    server.script(
      reply([
        calls(first[0], { id: 1, path: first[1], turns: 5 }),
        calls(second[0], { id: 2, path: second[1], turns: 5 }),
      ]),
      says("Done"),
    );
    await agent.runConversation(go);
    expect(log[1]?.startsWith("start")).toBe(mayOverlap);
  });

  it("run strictly in turn beside a question to the user [10:A2.4]", async () => {
    const log: string[] = [];
    const { agent, server } = await harness({
      tools: [gated("web_search", log, { concurrency: "safe" }), gated("clarify", log, { concurrency: "never" })],
    });
    server.script(
      reply([calls("web_search", { id: 1, turns: 5 }), calls("web_search", { id: 2, turns: 5 }), calls("clarify", {})]),
      says("Done"),
    );
    await agent.runConversation(go);
    expect(log.map((line) => line.split(" ")[0])).toEqual(["start", "end", "start", "end", "start", "end"]);
  });

  it("are at most eight at once [10:TOOL-8]", async () => {
    let running = 0;
    let most = 0;
    const search = fakeTool("web_search", {
      concurrency: "safe",
      execute: async () => {
        running += 1;
        most = Math.max(most, running);
        await setImmediate();
        running -= 1;
        return result({});
      },
    });
    const { agent, server } = await harness({ tools: [search] });
    server.script(reply(Array.from({ length: 20 }, (_, n) => calls("web_search", { n }))), says("Done"));
    await agent.runConversation(go);
    expect(most).toBe(8);
  });
});

describe("one call", () => {
  const observed = (observer: CallObserver): Partial<AgentTools> => ({ observers: () => [observer] });

  async function open(observer: CallObserver, input: HarnessGiven = {}) {
    const first = await harness(input);
    const deps = { tools: { ...first.agentTools, ...observed(observer) } };
    return harness({ ...input, deps: { ...input.deps, ...deps } });
  }

  it("gets typed arguments, also a tool of the agent itself [10:A2.6] [10:TOOL-14] [10:D29]", async () => {
    const seen: unknown[] = [];
    const parameters = { type: "object", properties: { limit: { type: "integer" } } };
    const note: Tool["execute"] = (args) => Promise.resolve(result({ n: seen.push(args["limit"]) }));
    const noting = defineAbility<Tool["execute"]>("noting", "nobody notes anything here");
    const ofAgent = defineTool({
      ...fakeTool("session_search"),
      parameters: { type: "object", properties: { limit: { type: "integer" } } },
      effects: "none",
      run: (args, context) => context.agent.need(noting)(args, context),
    });
    const tools = [ofAgent, fakeTool("plain", { parameters, execute: note })];
    const first = await harness({ tools });
    const abilities = () => noAbilities.with(noting, note);
    const { agent, server } = await harness({ tools, deps: { tools: { ...first.agentTools, abilities } } });
    server.script(reply([calls("session_search", { limit: "2" }), calls("plain", { limit: "3" })]), says("Done"));
    await agent.runConversation(go);
    expect(seen).toEqual([2, 3]);
  });

  it("that is refused by a hook changes nothing; an allowed one is told once before and once after [10:A2.7] [30:W-02] [10:TOOL-1] [10:D6] [10:D29]", async () => {
    const log: string[] = [];
    const observer: CallObserver = {
      beforeCall: (call) => {
        log.push(`before ${call.id}`);
        return Promise.resolve(call.function.arguments.includes("blocked") ? "Not today" : undefined);
      },
      afterCall: (outcome) => {
        log.push(`after ${outcome.call.id}`);
        return Promise.resolve(undefined);
      },
    };
    const { agent, server, conversation } = await open(observer);
    const todo = (content: string) => ({ todos: [{ id: "1", content, status: "pending" }] });
    server.script(
      calls("todo", todo("blocked"), { id: "a" }),
      calls("todo", todo("allowed"), { id: "b" }),
      says("Done"),
    );
    const ended = await agent.runConversation(go);
    expect(JSON.parse(String(ended.messages[2]?.content))).toEqual({ error: "Not today" });
    expect(conversation.todos.items.map((item) => item.content)).toEqual(["allowed"]);
    expect(log).toEqual(["before a", "before b", "after b"]);
  });

  it("changes only what a merge names [10:A2.11] [10:TOOL-13]", async () => {
    const { agent, server, conversation } = await harness();
    const todos = [
      { id: "1", content: "one", status: "pending" },
      { id: "2", content: "two", status: "in_progress" },
    ];
    server.script(
      calls("todo", { todos }),
      calls("todo", { todos: [{ id: "2", status: "completed" }], merge: true }),
      says("Done"),
    );
    await agent.runConversation(go);
    expect(conversation.todos.items).toEqual([todos[0], { ...todos[1], status: "completed" }]);
  });

  it("that throws tells the model what and which kind [10:A2.8] [10:TOOL-2] [10:TOOL-3]", async () => {
    const { agent, server, events } = await harness({
      tools: [fakeTool("probe", { execute: () => Promise.reject(new RangeError("x")) })],
    });
    server.script(calls("probe", {}), says("Done"));
    const ended = await agent.runConversation(go);
    expect(JSON.parse(String(ended.messages[2]?.content))).toEqual({ error: "Tool execution failed: RangeError: x" });
    expect(events.find((event) => event.type === "tool-end")).toMatchObject({ isError: true });
  });

  it("may have its result replaced; observers that fail are passed over [10:TOOL-1] [10:TOOL-15] [10:LOOP-61]", async () => {
    const observer: CallObserver = {
      onStart: () => {
        throw new Error("start");
      },
      afterCall: (outcome) =>
        outcome.call.id === "a" ? Promise.resolve("replaced") : Promise.reject(new Error("after")),
      onEnd: () => {
        throw new Error("end");
      },
    };
    const { agent, server, logger } = await open(observer);
    server.script(reply([calls("terminal", {}, { id: "a" }), calls("terminal", { n: 1 }, { id: "b" })]), says("Done"));
    const ended = await agent.runConversation(go);
    expect(ended.messages[2]?.content).toBe("replaced");
    expect(String(ended.messages[3]?.content)).toContain("terminal");
    expect(logger.lines.filter((line) => line.message.includes("observer"))).toHaveLength(5);
  });

  it("knows its place: task, session, own id and the tools of this agent [10:TOOL-4] [10:ARCH-4] [10:D5] [10:A2.12]", async () => {
    const seen: unknown[] = [];
    const code = () =>
      fakeTool("execute_code", {
        execute: (_args, context) => {
          seen.push([[...context.enabledTools].sort(), context.taskId, context.callId, context.userTask]);
          return Promise.resolve(result({}));
        },
      });
    const one = await harness({ tools: [code(), fakeTool("alpha")] });
    const two = await harness({ tools: [code(), fakeTool("beta")] });
    for (const { server } of [one, two]) server.script(calls("execute_code", {}, { id: "c" }), says("Done"));
    await Promise.all([one, two].map(({ agent }) => agent.runConversation({ ...go, taskId: "t" })));
    expect(seen).toHaveLength(2);
    expect(seen).toContainEqual([["alpha", "execute_code", "todo"], "t", "c", "Go"]);
    expect(seen).toContainEqual([["beta", "execute_code", "todo"], "t", "c", "Go"]);
  });

  it("gets hints behind its result; hints that cannot be found are none [10:TOOL-1]", async () => {
    const first = await harness();
    const hintsFor: AgentTools["hintsFor"] = (_tool, args) =>
      args["n"] === 1 ? Promise.resolve("\n\n[Read AGENTS.md]") : Promise.reject(new Error("gone"));
    const { agent, server } = await harness({ deps: { tools: { ...first.agentTools, hintsFor } } });
    server.script(reply([calls("terminal", { n: 1 }), calls("terminal", { n: 2 })]), says("Done"));
    const ended = await agent.runConversation(go);
    expect(String(ended.messages[2]?.content)).toMatch(/\[Read AGENTS.md\]$/);
    expect(String(ended.messages[3]?.content)).toContain("terminal");
  });
});

describe("long results", () => {
  async function open(sizes: readonly number[], keep = true) {
    const files = new Map<string, string>();
    const talk = fakeTool("talk", {
      execute: (args) => Promise.resolve(result("y".repeat(sizes[Number(args["n"])] ?? 0))),
    });
    const first = await harness({ tools: [talk] });
    const tools: AgentTools = {
      ...first.agentTools,
      files: {
        keep: (id, text) => {
          files.set(id, text);
          return Promise.resolve(keep ? `/tmp/hermes-results/${id}.txt` : undefined);
        },
      },
    };
    const one = await harness({ tools: [talk], deps: { tools } });
    one.server.script(reply(sizes.map((_, n) => calls("talk", { n }, { id: `call_${n}` }))), says("Done"));
    const ended = await one.agent.runConversation(go);
    const results = ended.messages.flatMap((message) => (message.role === "tool" ? [String(message.content)] : []));
    return { files, results };
  }

  it("go into a file and leave a preview [10:A2.9] [10:TOOL-16]", async () => {
    const { files, results } = await open([120_000]);
    expect(results[0]).toMatch(/^<persisted-output>/);
    expect(results[0]?.length).toBeLessThan(2_500);
    expect([...files.values()][0]?.length).toBeGreaterThanOrEqual(120_000);
  });

  it("are moved, the longest first, until the reply fits [10:A2.10] [10:TOOL-16]", async () => {
    const { files, results } = await open([90_000, 90_001, 90_000]);
    expect([...files.keys()]).toEqual(["call_1"]);
    expect(results.reduce((sum, text) => sum + text.length, 0)).toBeLessThanOrEqual(200_000);
  });

  it("that cannot be kept are cut with a note [10:TOOL-16]", async () => {
    const { results } = await open([120_000], false);
    expect(results[0]).toContain("could not be kept");
  });
});

describe("an interrupt while tools run", () => {
  it.each(protocols)(
    "leaves a history over %s that the next request can send [10:A1.12] [10:LOOP-24] [10:LOOP-22]",
    async (protocol) => {
      const stop = { now: (): void => undefined };
      const first = fakeTool("first", {
        execute: () => {
          stop.now();
          return Promise.resolve(result({}));
        },
      });
      const { agent, server, recorded } = await harness({ protocol, tools: [first, fakeTool("second")] });
      stop.now = () => agent.interrupt("wait");
      server.script(reply([calls("first", {}), calls("second", {})]), says("Fine"));
      expect(await agent.runConversation(go)).toMatchObject({ interrupted: true, interruptMessage: "wait" });
      expect((await agent.runConversation({ userMessage: "On" })).completed).toBe(true);
      expect(isValid(recorded)).toBe(true);
      server.assertClean();
    },
  );

  it("drops guidance that waits [10:LOOP-25] [10:D27]", async () => {
    const stop = { now: (): void => undefined };
    const first = fakeTool("first", {
      execute: () => {
        stop.now();
        return Promise.resolve(result({}));
      },
    });
    const { agent, server } = await harness({ tools: [first] });
    stop.now = () => {
      agent.steer("left");
      agent.interrupt();
    };
    server.script(calls("first", {}), says("Fine"));
    expect((await agent.runConversation(go)).pendingSteer).toBeUndefined();
    expect((await agent.runConversation(go)).pendingSteer).toBeUndefined();
  });

  it("never writes guidance into a message that is already kept [10:LOOP-25] [10:D27]", async () => {
    const { agent, server, recorded } = await harness();
    server.script(calls("terminal", {}), says("Fine"), says("Two"));
    await agent.runConversation(go);
    const before = JSON.stringify(recorded);
    agent.steer("one");
    agent.steer("two");
    expect((await agent.runConversation(go)).pendingSteer).toBe("one\ntwo");
    expect(JSON.stringify(recorded).startsWith(before.slice(0, -1))).toBe(true);
  });
});
