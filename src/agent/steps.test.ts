import { describe, expect, it } from "vitest";
import { fakeTool } from "#tools/testing";
import { calls, contextOverflow, reply, says, serverError } from "../../test/fakes/model-server/index.ts";
import { harnesses, protocols, withSteps } from "./testing/harnesses.ts";
import { defaultAgentSettings } from "./testing/index.ts";
import { StepBudget } from "./turn/step-budget.ts";

const harness = harnesses();

describe("the steps of a turn", () => {
  it("are ninety unless told otherwise, and new in every turn [10:LOOP-14]", async () => {
    expect(defaultAgentSettings.maxSteps).toBe(90);
    const { agent, server, events } = await harness({ deps: withSteps(1) });
    server.script(calls("terminal", {}), says("So far."), says("Hi"));
    expect((await agent.runConversation({ userMessage: "a" })).exitReason).toBe("max_iterations_reached");
    expect((await agent.runConversation({ userMessage: "b" })).completed).toBe(true);
    const starts = events.filter((event) => event.type === "step-start");
    expect(starts).toEqual([
      { type: "step-start", step: 1, limit: 1 },
      { type: "step-start", step: 1, limit: 1 },
    ]);
  });

  it("count an answer on the very last one as finished [10:LOOP-18] [10:A1.3] [10:D22]", async () => {
    const { agent, server } = await harness({ deps: withSteps(2) });
    server.script(calls("terminal", {}), says("Done"));
    expect(await agent.runConversation({ userMessage: "a" })).toMatchObject({ completed: true, apiCalls: 2 });
  });

  it("are given back for scripts, up to twice the limit [10:LOOP-16] [10:D20]", async () => {
    const { agent, server } = await harness({
      tools: [fakeTool("execute_code", { costsNoStep: true })],
      deps: withSteps(3),
    });
    let n = 0;
    server.onRequest(() => {
      n += 1;
      return n <= 6 ? calls("execute_code", { code: `${n}` }) : says("Summary");
    });
    const ended = await agent.runConversation({ userMessage: "a" });
    expect(ended).toMatchObject({ exitReason: "max_iterations_reached", text: "Summary", apiCalls: 7 });
  });

  it("are not given back when another tool ran beside the script [10:LOOP-16]", async () => {
    const { agent, server } = await harness({
      tools: [fakeTool("execute_code", { costsNoStep: true }), fakeTool("look")],
      deps: withSteps(1),
    });
    server.script(reply([calls("execute_code", { code: "1" }), calls("look", {})]), says("Summary"));
    expect((await agent.runConversation({ userMessage: "a" })).exitReason).toBe("max_iterations_reached");
  });

  it("are not used up by attempts that failed [10:LOOP-7] [10:ERR-2]", async () => {
    const { agent, server } = await harness({ deps: withSteps(1) });
    server.script(serverError(), serverError(), says("Hi"));
    expect(await agent.runConversation({ userMessage: "a" })).toMatchObject({ completed: true, apiCalls: 1 });
  });

  it.each([
    ["server errors", serverError],
    ["empty replies", () => reply([])],
    ["unknown tools", () => calls("no_such_tool", {})],
  ])("begin with all their attempts in every turn: %s [10:ARCH-2] [10:D3]", async (_kind, failure) => {
    const { agent, server } = await harness({ tools: [fakeTool("look")] });
    for (const turn of ["a", "b", "c"]) {
      server.script(failure(), failure(), says(turn));
      expect(await agent.runConversation({ userMessage: turn })).toMatchObject({ completed: true, text: turn });
    }
    server.assertClean();
  });

  it("are not used up by compression after an overflow [10:LOOP-16]", async () => {
    const keeper = { fit: () => Promise.resolve(), relieve: () => Promise.resolve(true) };
    const { agent, server } = await harness({ deps: { ...withSteps(1), keeper: () => keeper } });
    server.script(contextOverflow(), contextOverflow(), says("Hi"));
    expect(await agent.runConversation({ userMessage: "a" })).toMatchObject({ completed: true, apiCalls: 1 });
  });

  it("bound the whole run, whatever is refunded", () => {
    const budget = new StepBudget(2);
    let taken = 0;
    for (; budget.take(); taken += 1) budget.refund();
    expect(taken).toBe(4);
  });
});

describe.each(protocols)("the last words over %s", (protocol) => {
  it("are asked for without tools; the instruction is not kept [10:LOOP-17] [10:LOOP-15] [10:D21]", async () => {
    const { agent, server, recorded } = await harness({ protocol, deps: withSteps(1) });
    server.script(calls("terminal", { command: "1" }), says("I found one."));
    const ended = await agent.runConversation({ userMessage: "Go" });
    expect(ended).toMatchObject({ text: "I found one.", partial: true, completed: false, apiCalls: 2 });
    expect(JSON.stringify((await server.received(2)).messages)).toContain("No steps are left");
    expect(recorded.map((message) => message.role)).toEqual(["user", "assistant", "tool", "assistant"]);
    expect(JSON.stringify(recorded)).not.toContain("No steps are left");
    expect(server.rejections).toEqual([]);
  });

  it("are asked for once more when nothing comes, then a fixed sentence names the limit [10:LOOP-17]", async () => {
    const { agent, server } = await harness({ protocol, deps: withSteps(1) });
    server.script(calls("terminal", {}), reply([]), reply([]));
    const ended = await agent.runConversation({ userMessage: "Go" });
    expect(ended.text).toContain("1 steps");
    expect(ended).toMatchObject({ exitReason: "max_iterations_reached", partial: true });
    server.assertClean();
  });

  it("are counted like any other call [10:LOOP-56]", async () => {
    const { agent, server } = await harness({ protocol, deps: withSteps(1) });
    const usage = { input: 10, output: 5 };
    server.script(calls("terminal", {}, { usage }), says("Words", { usage }));
    expect(await agent.runConversation({ userMessage: "Go" })).toMatchObject({ usage: { input: 20, output: 10 } });
  });
});

describe("hints about the steps that are left", () => {
  it("are not given unless asked for [10:LOOP-19]", async () => {
    const { agent, server, requests } = await harness({ deps: withSteps(2) });
    server.script(calls("terminal", {}), says("Done"));
    await agent.runConversation({ userMessage: "Go" });
    expect(requests.every((request) => request.ephemeral === undefined)).toBe(true);
  });

  it("go out with one request and are never stored [10:LOOP-19]", async () => {
    const settings = { ...defaultAgentSettings, maxSteps: 10, budgetHints: true };
    const { agent, server, requests, recorded } = await harness({ deps: { settings } });
    for (let n = 0; n < 9; n += 1) server.script(calls("terminal", { n }));
    server.script(says("Done"));
    await agent.runConversation({ userMessage: "Go" });
    const hints = requests.map((request) => request.ephemeral ?? "");
    expect(hints.slice(0, 6).join("")).toBe("");
    expect(hints[6]).toContain("70%");
    expect(hints[8]).toContain("90%");
    expect(JSON.stringify(recorded)).not.toContain("of the steps");
  });
});
