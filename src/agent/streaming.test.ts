import { describe, expect, it } from "vitest";
import { FakeClock } from "#foundation/testing/fake-clock";
import { result } from "#tools";
import { fakeTool } from "#tools/testing";
import {
  calls,
  cutAfter,
  fails,
  failsMidway,
  hang,
  hangAfter,
  overloaded,
  reply,
  says,
  slow,
  thinks,
} from "../../test/fakes/model-server/index.ts";
import { harnesses, protocols } from "./testing/harnesses.ts";

const harness = harnesses();
const hi = { userMessage: "Hi" };

describe.each(protocols)("a stream over %s", (protocol) => {
  it("is preferred, and shown as it comes [10:LOOP-49] [10:LOOP-59]", async () => {
    const { agent, server, events } = await harness({ protocol });
    server.script(says("Hello there", { fragments: 5 }));
    await agent.runConversation(hi);
    expect((await server.received(1)).stream).toBe(true);
    const text = events.flatMap((event) => (event.type === "text-delta" ? [event.text] : []));
    expect(text.join("")).toBe("Hello there");
  });

  it("withholds words behind a call; the words before it end before tools run [10:LOOP-50]", async () => {
    const { agent, server, events } = await harness({ protocol });
    server.script(reply([says("Looking."), calls("terminal", { command: "ls" })]), says("Done"));
    await agent.runConversation(hi);
    const types = events.map((event) => event.type);
    expect(types.indexOf("text-end")).toBeLessThan(types.indexOf("tool-start"));
    expect(types.indexOf("tool-input-start")).toBeLessThan(types.indexOf("tool-start"));
    expect(types.filter((type) => type === "tool-input-start")).toHaveLength(1);
  });

  it("that breaks before any word is tried again [10:LOOP-53] [20:R1.37]", async () => {
    const { agent, server } = await harness({ protocol });
    server.script(cutAfter(1, says("Hello")), cutAfter(1, says("Hello")), says("Hello"));
    expect((await agent.runConversation(hi)).text).toBe("Hello");
  });

  it("that breaks in a call after words is announced and asked for again, once; no word is shown twice [10:LOOP-53] [20:R1.47] [20:A14.4]", async () => {
    const { agent, server, events } = await harness({ protocol });
    const broken = failsMidway(
      reply([says("Writing it down."), calls("terminal", { text: "x".repeat(50) })]),
      overloaded(),
    );
    server.script(broken, says("Done"));
    expect((await agent.runConversation(hi)).text).toBe("Done");
    const notices = events.flatMap((event) => (event.type === "notice" ? [event.text] : []));
    expect(notices).toEqual(["The connection broke in the middle of a tool call; asking again."]);
    const shown = events.flatMap((event) => (event.type === "text-delta" ? [event.text] : [])).join("");
    expect(shown).toBe("Writing it down.Done");
  });

  it("that breaks there again keeps the words and names what did not run [10:LOOP-53] [10:D26]", async () => {
    const { agent, server, recorded } = await harness({ protocol });
    const broken = failsMidway(
      reply([says("Writing it down."), calls("terminal", { text: "x".repeat(50) })]),
      overloaded(),
    );
    server.script(broken, broken);
    const ended = await agent.runConversation(hi);
    expect(ended).toMatchObject({ exitReason: "partial_stream_recovery", partial: true, completed: false });
    expect(ended.text).toMatch(/^Writing it down\..*terminal/s);
    expect(recorded.at(-1)).toMatchObject({ role: "assistant", finish_reason: "error" });
    expect(recorded.at(-1)).not.toHaveProperty("tool_calls");
  });

  it("that ends in words leaves them as the answer, without another attempt [10:A1.13] [10:LOOP-53] [10:LOOP-37]", async () => {
    const { agent, server } = await harness({ protocol });
    server.script(failsMidway(says("Hel"), overloaded()));
    expect(await agent.runConversation(hi)).toMatchObject({
      text: "Hel",
      exitReason: "partial_stream_recovery",
      partial: true,
      completed: false,
    });
    server.assertClean();
  });

  it("that falls silent after its first words is continued, and ends the turn in one answer [10:LOOP-53]", async () => {
    const timeouts = {
      connectMs: 5_000,
      totalMs: 60_000,
      streamReadMs: 5_000,
      streamStaleMs: 150,
      wholeStaleMs: 5_000,
    };
    const wordsAt = protocol === "codex_responses" ? 7 : 4;
    const { agent, server, events, recorded } = await harness({ protocol, target: { timeouts } });
    server.script(
      hangAfter({ events: wordsAt }, says("Hello there, this is long.", { fragments: 5 })),
      says("and goes on."),
    );
    const ended = await agent.runConversation(hi);
    expect(ended).toMatchObject({ completed: true, exitReason: "text_response" });
    expect(ended.text).toMatch(/^Hello.*and goes on\.$/s);
    expect(recorded.filter((message) => message.role === "assistant").map(({ content }) => content)).toEqual([
      ended.text,
    ]);
    const { messages } = await server.received(2);
    expect(JSON.stringify(messages.at(-1))).toContain("Go on exactly where it stopped");
    expect(events.some((event) => event.type === "notice" && event.text.includes("fell silent"))).toBe(true);
    server.assertClean();
  });

  it("that falls silent again and again keeps the words [10:LOOP-53]", async () => {
    const timeouts = {
      connectMs: 5_000,
      totalMs: 60_000,
      streamReadMs: 5_000,
      streamStaleMs: 150,
      wholeStaleMs: 5_000,
    };
    const wordsAt = protocol === "codex_responses" ? 7 : 4;
    const { agent, server } = await harness({ protocol, target: { timeouts } });
    server.otherwise(hangAfter({ events: wordsAt }, says("Hello there, this is long.", { fragments: 5 })));
    expect(await agent.runConversation(hi)).toMatchObject({ exitReason: "partial_stream_recovery", completed: false });
    expect(server.requests).toHaveLength(3);
  });

  it("is closed by an interrupt; what it said is kept with a mark, and the next request is one of its own [10:LOOP-21] [10:LOOP-22] [20:R1.7]", async () => {
    const { agent, server, recorded, events } = await harness({ protocol });
    const wordsAt = protocol === "codex_responses" ? 7 : 4;
    server.script(hangAfter({ events: wordsAt }, says("Hello there, this is long.", { fragments: 5 })), says("Fine."));
    const running = agent.runConversation(hi);
    await server.received(1);
    await expect.poll(() => events.some(({ type }) => type === "text-delta")).toBe(true);
    agent.interrupt();
    expect(await running).toMatchObject({ exitReason: "interrupted_during_api_call", interrupted: true });
    await server.clientLeft(1);
    const kept = recorded.at(-1);
    expect(recorded).toHaveLength(2);
    expect(kept).toMatchObject({ role: "assistant", finish_reason: "interrupted" });
    expect(kept?.content).toMatch(/^Hello[\s\S]*\n\n\(interrupted by the user\)$/);
    await agent.runConversation({ ...hi, userMessage: "something else" });
    const sent = JSON.stringify((await server.received(2)).messages);
    expect(sent).toContain("(interrupted by the user)");
    expect(sent).not.toContain("Hi\\nsomething else");
  });

  it("that was stopped before the first word leaves a mark, so that two requests are not glued together [10:LOOP-22]", async () => {
    const { agent, server, recorded } = await harness({ protocol });
    server.script(hang(), says("Fine."));
    const running = agent.runConversation(hi);
    await server.received(1);
    agent.interrupt();
    await running;
    expect(recorded.map(({ content }) => content).at(-1)).toBe("(interrupted by the user)");
  });
});

describe("an endpoint that cannot stream", () => {
  it("is asked for whole answers from then on, and the user is told once [10:LOOP-49] [20:R1.28]", async () => {
    const { agent, server, events } = await harness();
    server.script(fails(400, { message: "Streaming is not supported for this model." }), says("Hi"), says("Again"));
    expect((await agent.runConversation(hi)).completed).toBe(true);
    await agent.runConversation(hi);
    expect(server.requests.map((request) => request.stream)).toEqual([true, false, false]);
    const notices = events.flatMap((event) => (event.type === "notice" ? [event.text] : []));
    expect(notices).toHaveLength(1);
    expect(notices[0]).toContain("display.streaming");
  });

  it("gives its reasoning once [10:LOOP-59]", async () => {
    const { agent, server, events } = await harness();
    server.script(fails(400, { message: "Streaming is not supported for this model." }));
    server.script(reply([thinks("Hm, well."), says("Hi")]));
    expect((await agent.runConversation(hi)).reasoning).toBe("Hm, well.");
    const reasoning = events.flatMap((event) => (event.type === "reasoning-delta" ? [event.text] : []));
    expect(reasoning.join("")).toBe("Hm, well.");
  });
});

describe("tool calls in a chat stream", () => {
  it("with one index for all are told apart by their ids, and keep what only the provider reads [10:LOOP-51]", async () => {
    const { agent, server, recorded } = await harness();
    const extraContent = { google: { thought_signature: "S" } };
    server.script(
      reply([
        calls("terminal", { n: 1 }, { index: 0, extraContent }),
        calls("terminal", { n: 2 }, { index: 0, style: "repeated-name" }),
      ]),
      says("Done"),
    );
    await agent.runConversation(hi);
    expect(recorded[1]).toMatchObject({
      tool_calls: [
        { function: { name: "terminal", arguments: '{"n":1}' }, extra_content: extraContent },
        { function: { name: "terminal", arguments: '{"n":2}' } },
      ],
    });
  });
});

describe("a quiet turn", () => {
  it("says every 30 s what it waits for, while nothing else happens [10:LOOP-54] [10:TOOL-12]", async () => {
    const activityClock = new FakeClock();
    const started = { resolve: (): void => undefined };
    const isRunning = new Promise<void>((resolve) => {
      started.resolve = resolve;
    });
    const held = { release: (): void => undefined };
    const tool = fakeTool("build", {
      execute: async () => {
        started.resolve();
        await new Promise<void>((resolve) => {
          held.release = resolve;
        });
        return result({ ok: true });
      },
    });
    const { agent, server, events } = await harness({ tools: [tool], deps: { activityClock } });
    server.script(calls("build", {}), says("Done"));
    const running = agent.runConversation(hi);
    await isRunning;
    await activityClock.advance(61_000);
    held.release();
    await running;
    const said = events.filter((event) => event.type === "activity");
    expect(said).toEqual([
      { type: "activity", text: "running build", tool: "build", step: 1, limit: 90 },
      { type: "activity", text: "running build", tool: "build", step: 1, limit: 90 },
    ]);
    await activityClock.advance(120_000);
    expect(events.filter((event) => event.type === "activity")).toHaveLength(2);
  });

  it("names the model it waits for, and keeps still while words come [10:LOOP-54]", async () => {
    const activityClock = new FakeClock();
    const { agent, server, events } = await harness({ deps: { activityClock } });
    server.script(hang());
    const running = agent.runConversation(hi);
    await server.received(1);
    await activityClock.advance(29_000);
    expect(events.filter((event) => event.type === "activity")).toEqual([]);
    await activityClock.advance(2_000);
    expect(events.filter((event) => event.type === "activity")).toEqual([
      { type: "activity", text: "waiting for test-model", step: 1, limit: 90 },
    ]);
    agent.interrupt();
    await running;
  });
});

describe("whoever listens", () => {
  it("cannot break a turn [10:LOOP-61]", async () => {
    const { agent, server, bus, events } = await harness();
    bus.subscribe(() => {
      throw new Error("no screen");
    });
    server.script(calls("terminal", {}), says("Done"));
    expect(await agent.runConversation(hi)).toMatchObject({ completed: true });
    expect(events.map((event) => (event.type === "text-delta" ? event.text : "")).join("")).toBe("Done");
  });

  it("hears every start with its end, and nothing after the end of the turn [10:LOOP-59]", async () => {
    const { agent, server, events } = await harness();
    server.script(overloaded(), slow(says("Hi")));
    const running = agent.runConversation(hi);
    await server.received(2);
    server.release(Number.POSITIVE_INFINITY);
    await running;
    const count = (type: string) => events.filter((event) => event.type === type).length;
    expect(count("attempt-start")).toBe(count("attempt-end"));
    expect(events.at(-1)).toMatchObject({ type: "turn-end", exitReason: "text_response", text: "Hi" });
    expect(count("turn-start")).toBe(1);
  });
});
