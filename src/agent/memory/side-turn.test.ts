import { afterEach, describe, expect, it } from "vitest";
import { assistantMessage, type Message, userMessage } from "#conversation";
import { never } from "#foundation/lifecycle/abort";
import { FakeClock } from "#foundation/testing/fake-clock";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { systemClock } from "#foundation/time/clock";
import { classify, openConnections, streamModel } from "#model/testing";
import { fakeTool, listingOf, registryOf, testScope, toolContext } from "#tools/testing";
import { calls, fails, hang, says, serverError, startModelServer } from "../../../test/fakes/model-server/index.ts";
import { Conversation } from "../conversation.ts";
import { standardRemedies } from "../recovery/standard.ts";
import { targetOn } from "../testing/harness.ts";
import { defaultAgentSettings, freeOfCharge } from "../testing/index.ts";
import type { CallMoney } from "../turn/request/call-model.ts";
import { flushMemory } from "./flush.ts";
import { memoryTool } from "./memory-tool.ts";
import { BackgroundReview } from "./review.ts";
import { createSideTurns, type SideTurnDeps } from "./side-turn.ts";
import { memoryStage } from "./testing.ts";

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

const talk: readonly Message[] = [userMessage("I use tabs.", { uid: "u1" }), assistantMessage("Noted.", { uid: "a1" })];

async function stage(changes: Partial<SideTurnDeps> = {}, money: CallMoney = freeOfCharge) {
  const server = await startModelServer({ strict: true });
  const memory = await memoryStage();
  const connections = openConnections();
  open.push(server, memory, connections);
  const logger = memoryLogger();
  const { registry } = registryOf(fakeTool("terminal"), memoryTool, fakeTool("skill_manage"));
  const listing = await listingOf(registry);
  const conversation = new Conversation({
    sessionId: "20260101_000000_0badf00d" as never,
    history: talk,
    target: targetOn(server),
  });
  const deps: SideTurnDeps = {
    conversation,
    clock: systemClock,
    logger,
    settings: { ...defaultAgentSettings, request: { reasoning: "high" } },
    scope: testScope(),
    model: {
      stream: (request, signal) => streamModel(request, { connections, classify, clock: systemClock, logger }, signal),
      money,
    },
    prompt: {
      source: {
        text: () => Promise.resolve("You are Hermes."),
        refresh: () => Promise.resolve({ text: "You are Hermes.", changedLayers: [] }),
        layers: () => Promise.resolve([]),
        rebuild: () => Promise.resolve(),
      },
    },
    tools: {
      listing: () => listing,
      files: { keep: () => Promise.resolve(undefined) },
      redact: (text) => text,
      abilities: () => memory.agent,
      observers: () => [],
      hintsFor: () => Promise.resolve(""),
    },
    remedies: (own, context) =>
      standardRemedies(
        {
          conversation: own,
          clock: new FakeClock(0, { autoAdvance: true }),
          logger,
          maxAttempts: 1,
          onRateLimit: "eager",
          resolve: () => Promise.resolve({ kind: "failure", message: "none" }),
          credentialRecovery: () => undefined,
          canRotate: () => false,
          freshConnections: () => connections.fresh(),
          onFallback: () => undefined,
        },
        context,
      ),
    ...changes,
  };
  const flush = (side: ReturnType<typeof createSideTurns>, signal: AbortSignal = never) =>
    flushMemory(
      { reason: "compression", history: talk, userTurns: 1, turnsSinceSaved: undefined },
      {
        askOnce: side.askOnce,
        context: toolContext({ agent: memory.agent }),
        clock: deps.clock,
        logger,
        settings: { isMemoryEnabled: true, minTurns: 6 },
      },
      signal,
    );
  return { server, memory, deps, conversation, logger, side: createSideTurns(deps), flush };
}

const addTabs = calls("memory", { action: "add", target: "user", content: "Uses tabs" });

describe("a review beside the conversation [10:MEM-12]", () => {
  async function review(one: Awaited<ReturnType<typeof stage>>) {
    const announced: string[] = [];
    await using reviews = new BackgroundReview({
      runReview: one.side.runReview,
      announce: (line) => void announced.push(line),
      clock: one.deps.clock,
      logger: one.logger,
      intervals: { memoryTurns: 1, skillSteps: 0 },
      earlierTurns: () => [],
    });
    reviews.turnEnded({ steps: [[]], isDelivered: true }, talk, [...one.deps.tools.listing().tools.values()]);
    await reviews.idle();
    return announced;
  }

  it("saves with the tools it was given and says so in one line [10:MEM-14]", async () => {
    const one = await stage();
    one.server.script(addTabs, says("Saved."));
    expect(await review(one)).toHaveLength(1);
    expect(await one.memory.notes.read("user")).toEqual(["Uses tabs"]);
    const [first] = one.server.requests;
    expect(first?.toolNames).toEqual(["memory"]);
    expect(first?.systemText).toBe("You are Hermes.");
    expect(first?.messages.filter(({ role }) => role !== "system")).toHaveLength(3);
    one.server.assertClean();
  });

  it("leaves the conversation as it was, but for what it cost", async () => {
    const one = await stage();
    one.server.script(addTabs, says("Saved."));
    await review(one);
    expect(one.conversation.history).toBe(talk);
    expect(one.conversation.usage.output).toBeGreaterThan(0);
    expect(one.conversation.fallback.active).toBeUndefined();
  });

  it("never gets more steps than it was given", async () => {
    const one = await stage();
    one.server.otherwise((request) =>
      request.body["tool_choice"] === "none"
        ? says("Enough.")
        : calls("memory", { action: "add", target: "user", content: `Fact ${request.number}` }),
    );
    await review(one);
    expect(one.server.requests).toHaveLength(9);
  });

  it("that fails is a line in the log", async () => {
    const one = await stage();
    one.server.otherwise(serverError());
    expect(await review(one)).toEqual([]);
    expect(one.logger.lines.some(({ message }) => message === "background review failed")).toBe(true);
  });

  it("ends at its deadline", async () => {
    const clock = new FakeClock();
    const one = await stage({ clock });
    one.server.script(hang());
    const running = one.side.runReview(
      { instruction: "Look back.", history: talk, toolNames: ["memory"], maxSteps: 8, deadlineMs: 120_000 },
      never,
    );
    const ended = expect(running).rejects.toThrow("120000 ms");
    await one.server.received(1);
    await clock.advance(120_000);
    await ended;
    await one.server.clientLeft(1);
  });
});

describe("one question beside the conversation [10:MEM-15]", () => {
  it("shows the transcript, an instruction and only the memory tool; its calls are carried out [10:MEM-16]", async () => {
    const one = await stage();
    one.server.script(addTabs);
    expect(await one.flush(one.side)).toEqual({ kind: "flushed", saved: 1, refused: 0 });
    const [request] = one.server.requests;
    expect(request?.toolNames).toEqual(["memory"]);
    expect(request?.body).toMatchObject({ temperature: 0.3 });
    expect(JSON.stringify(request?.body)).toContain("5120");
    expect(request?.messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"]);
    expect(one.conversation.history).toBe(talk);
    expect(one.conversation.usage.output).toBeGreaterThan(0);
    one.server.assertClean();
  });

  it("is asked again without a temperature where the model knows none", async () => {
    const one = await stage();
    const message = "Unsupported parameter: 'temperature' is not supported with this model.";
    one.server.script(fails(400, { message, param: "temperature", code: "unsupported_parameter" }), addTabs);
    expect(await one.flush(one.side)).toMatchObject({ kind: "flushed", saved: 1 });
    expect(one.server.requests[1]?.body).not.toHaveProperty("temperature");
  });

  it("without an answer only warns [10:MEM-16]", async () => {
    const one = await stage();
    one.server.script(serverError());
    expect(await one.flush(one.side)).toMatchObject({ kind: "failed" });
  });

  it("is not made when no money is left", async () => {
    const refused = {
      ...freeOfCharge,
      reserve: () => Promise.resolve({ refused: { kind: "budget_exceeded", message: "spent" } as never }),
    };
    const one = await stage({}, refused);
    expect(await one.flush(one.side)).toMatchObject({ kind: "failed" });
    expect(one.server.requests).toEqual([]);
  });

  it("gives up after its time, and at once when it is stopped", async () => {
    const clock = new FakeClock();
    const one = await stage({ clock });
    one.server.otherwise(hang());
    const late = one.flush(one.side);
    await one.server.received(1);
    await clock.advance(30_000);
    expect(await late).toMatchObject({ kind: "failed" });
    const stop = new AbortController();
    const stopped = one.flush(one.side, stop.signal);
    await one.server.received(2);
    stop.abort(new Error("closing"));
    await expect(stopped).rejects.toThrow("closing");
  });
});
