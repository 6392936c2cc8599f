import { afterEach, describe, expect, it } from "vitest";
import { isValid, type Message, newToolCall, textOf, toolMessage, userMessage } from "#conversation";
import { never } from "#foundation/lifecycle/abort";
import { estimateMessage } from "#model";
import { fakeTool } from "#tools/testing";
import { calls, says } from "../../../test/fakes/model-server/index.ts";
import type { ContextEngine } from "./engine.ts";
import { answered, dialogue, work } from "./testing/builders.ts";
import { notices, openStage, type StageGiven, summaries, summaryCalls } from "./testing/stage.ts";

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one[Symbol.asyncDispose]();
});

async function stage(supplied: StageGiven = {}) {
  const one = await openStage(supplied);
  open.push(one);
  return one;
}

/** An engine that takes away what the test says. */
function fakeEngine(compress: ContextEngine["compress"], changes: Partial<ContextEngine> = {}): ContextEngine {
  return {
    name: "fake",
    lastPromptTokens: 0,
    lastCompletionTokens: 0,
    lastTotalTokens: 0,
    thresholdTokens: 1_000,
    contextLength: 20_000,
    compressionCount: 0,
    updateFromResponse: () => undefined,
    shouldCompress: (tokens = 0) => tokens >= 1_000,
    compress,
    ...changes,
  };
}

describe("any engine", () => {
  it("[10:A5.12] [10:COMP-36] is left alone after two compressions that saved little; a person may still ask", async () => {
    let runs = 0;
    const engine = fakeEngine((messages) => {
      runs += 1;
      return messages.map((message, index) =>
        index === 0 && message.role === "user"
          ? { ...message, content: textOf(message.content).slice(0, -400) }
          : message,
      );
    });
    const { agent, server, compression, events } = await stage({ history: answered(10, 2_000), engine });
    server.otherwise(says("Fine."));
    await agent.runConversation({ userMessage: "Next." });
    expect(runs).toBe(2);
    await agent.runConversation({ userMessage: "Again." });
    expect(runs).toBe(2);
    expect(notices(events).filter((text) => text.includes("/new"))).toHaveLength(1);
    await compression.compressNow("api", never);
    expect(runs).toBe(3);
  });

  it("[10:A5.14] [10:COMP-28] has its result refused when a result answers no call", async () => {
    const orphan = toolMessage(newToolCall({ id: "nobody", name: "terminal", arguments: "{}" }), "x");
    const engine = fakeEngine((messages) => [...messages.slice(0, 2), orphan, ...messages.slice(-1)]);
    const history = answered(10, 2_000);
    const { agent, server, conversation, records, logger, parts } = await stage({ history, engine });
    server.script(says("Fine."));
    await agent.runConversation({ userMessage: "Next." });
    expect(conversation.history.slice(0, 20)).toEqual(history);
    expect(parts.size).toBe(1);
    expect(records).toMatchObject([{ summaryStatus: "failed", savingsPct: 0 }]);
    expect(logger.lines.find((line) => line.message.includes("discarded"))?.fields["why"]).toContain("nobody");
  });

  it.each([
    ["loses the latest request", (messages: readonly Message[]) => messages.slice(0, 2)],
    ["makes the history longer", (messages: readonly Message[]) => [...dialogue(8, 4_000), ...messages]],
    [
      "throws",
      () => {
        throw new Error("no idea");
      },
    ],
  ])("has its result refused when it %s", async (_case, compress) => {
    const history = answered(10, 2_000);
    const { agent, server, conversation } = await stage({ history, engine: fakeEngine(compress) });
    server.script(says("Fine."));
    expect(await agent.runConversation({ userMessage: "Next." })).toMatchObject({ completed: true });
    expect(conversation.history.slice(0, 20)).toEqual(history);
  });

  it("[10:COMP-38] hears of the real beginning and end of a session, and may fail at both", async () => {
    const heard: string[] = [];
    const engine = fakeEngine((messages) => messages.slice(-1), {
      onSessionStart: (id, { model }) => void heard.push(`start ${id} ${model.contextLength}`),
      onSessionEnd: (id, messages) => {
        heard.push(`end ${id} ${messages.length}`);
        throw new Error("no disk");
      },
    });
    const { agent, server, compression } = await stage({ history: answered(10, 2_000), engine });
    server.script(says("Fine."));
    await compression.start(never);
    await agent.runConversation({ userMessage: "Next." });
    await compression.end(never);
    expect(heard).toEqual(["start 20260101_000000_0badf00d 20000", "end part-2 2"]);
  });

  it("[10:COMP-38] may give the bare list, and hears of every model and answer", async () => {
    const models: number[] = [];
    const used: number[] = [];
    const engine = fakeEngine((messages) => messages.slice(-1), {
      updateModel: (model) => void models.push(model.contextLength),
      updateFromResponse: (usage) => void used.push(usage.output),
    });
    const { agent, server, conversation, records } = await stage({ history: answered(10, 2_000), engine });
    server.script(says("Fine."));
    await agent.runConversation({ userMessage: "Next." });
    expect(records).toMatchObject([{ summaryStatus: "ok", newSessionId: "part-2" }]);
    expect(conversation.history).toHaveLength(2);
    expect(models).toEqual([20_000]);
    expect(used).toHaveLength(1);
  });
});

describe("by hand and between turns", () => {
  it("refuses politely when there is nothing to take away", async () => {
    const { compression, server } = await stage({ history: answered(2, 100) });
    expect(await compression.compressNow(undefined, never)).toEqual({ kind: "nothing" });
    expect(server.requests).toHaveLength(0);
  });

  it("[10:COMP-21] passes the topic on and records it", async () => {
    const { compression, server, records, conversation } = await stage({ history: answered(20, 1_000) });
    summaries(server);
    expect(await compression.compressNow("  api design ", never)).toMatchObject({ kind: "smaller", isSplit: true });
    expect(summaryCalls(server.requests)[0]?.rawBody).toContain("api design");
    expect(records).toMatchObject([{ trigger: "manual", focusTopic: "api design" }]);
    expect(conversation).toMatchObject({ sessionId: "part-2", compressionCount: 1 });
  });

  it("[10:COMP-8] warns from the second compression on", async () => {
    const { compression, server, conversation, events } = await stage({ history: answered(20, 1_000) });
    summaries(server);
    await compression.compressNow(undefined, never);
    expect(notices(events)).toEqual([]);
    const more = answered(20, 1_000).map((message, index) => ({ ...message, uid: `n${index}` }));
    conversation.history = [
      ...conversation.history,
      ...(conversation.history.at(-1)?.role === "user" ? more.slice(1) : more),
    ];
    await compression.compressNow(undefined, never);
    expect(notices(events)).toEqual([expect.stringContaining("summarised 2 times")]);
  });

  it("[10:COMP-5] [10:D43] [40:SES-15] tidies a chat that has grown long before its turn, tool messages included; a screen's stays", async () => {
    const chat = { history: work(210, 20), contextWindow: 200_000, compression: { isInChat: true } };
    const { agent, compression: _, ...opened } = await stage({ ...chat, history: answered(30, 1_000) });
    opened.server.otherwise(says("Fine."));
    await agent.runConversation({ userMessage: "Next." });
    expect(opened.records).toEqual([]);
    const onScreen = await stage({ ...chat, compression: {} });
    onScreen.server.otherwise(says("Fine."));
    await onScreen.agent.runConversation({ userMessage: "Next." });
    expect(onScreen.records).toEqual([]);
    const { agent: long, server, records, conversation } = await stage(chat);
    summaries(server);
    await long.runConversation({ userMessage: "Next." });
    expect(records).toMatchObject([{ trigger: "hygiene" }]);
    expect(summaryCalls(server.requests)[0]?.rawBody).toContain("[TOOL RESULT c7]");
    expect(isValid(conversation.history)).toBe(true);
    expect(conversation.history.length).toBeLessThan(400);
  });

  it("[40:SES-15] [40:A-SES-9] begins no turn of a chat in a window that is filled to 85 %, whatever the engine says", async () => {
    const told = async (tokens: number) => {
      let runs = 0;
      const engine = fakeEngine(
        (messages) => {
          runs += 1;
          return messages.slice(2);
        },
        { shouldCompress: () => false },
      );
      const given = { history: answered(8, 40), contextWindow: 128_000, compression: { isInChat: true } };
      const { agent, server, events } = await stage({ ...given, engine });
      server.script(says("Fine.", { usage: { input: tokens } }));
      server.otherwise(says("Fine."));
      await agent.runConversation({ userMessage: "First." });
      expect(runs).toBe(0);
      await agent.runConversation({ userMessage: "Next." });
      return { runs, said: notices(events) };
    };
    expect((await told(100_000)).runs).toBe(0);
    expect((await told(110_000)).runs).toBe(1);
  });

  it("says when even that leaves the window full", async () => {
    const engine = fakeEngine((messages) => messages.slice(2), { shouldCompress: () => false });
    const given = { history: answered(12, 3_600), engine, compression: { isInChat: true } };
    const { agent, server, events } = await stage(given);
    server.otherwise(says("Fine."));
    await agent.runConversation({ userMessage: "Next." });
    expect(notices(events)).toContainEqual(expect.stringContaining("% of the model's window"));
  });
});

describe("the measure", () => {
  it("[10:COMP-6] tells the user once at 85 % of the threshold, and again after it fell", async () => {
    const { agent, server, events, conversation } = await stage({ history: answered(15, 2_000) });
    server.otherwise(says("Fine.", { usage: "none" }));
    await agent.runConversation({ userMessage: "Next." });
    await agent.runConversation({ userMessage: "Again." });
    expect(notices(events)).toHaveLength(1);
    expect(notices(events)[0]).toContain("17K");
    const history = conversation.history;
    await agent.runConversation({ userMessage: "Small.", history: [] });
    await agent.runConversation({ userMessage: "Large again.", history });
    expect(notices(events)).toHaveLength(2);
  });

  it("[10:A5.4] [10:COMP-2] gives the same value before a turn and within it, tools included", async () => {
    const schema = { type: "object", properties: { a: { type: "string", description: "d".repeat(100_000) } } };
    const { agent, server, conversation, requests } = await stage({
      tools: [fakeTool("terminal", { parameters: schema })],
      history: answered(5, 40),
      contextWindow: 128_000,
    });
    server.script(calls("terminal", { a: "1" }), says("Fine."));
    await agent.runConversation({ userMessage: "Next." });
    const [request] = requests;
    if (request === undefined) throw new Error("no request");
    const within = conversation.meter.current(request);
    conversation.meter.forget();
    const before = conversation.meter.estimate(request);
    expect(before).toBeGreaterThan(25_000);
    expect(Math.abs(before - within) / within).toBeLessThan(0.05);
  });

  it("[10:A5.5] [10:COMP-3] [10:D38] counts an image as 1,600 tokens whatever its bytes", () => {
    const image = { type: "image_url" as const, image_url: { url: `data:image/png;base64,${"A".repeat(1_000_000)}` } };
    expect(estimateMessage(userMessage([{ type: "text", text: "look" }, image]))).toBe(10 + 1 + 1_600);
  });

  it("[10:COMP-4] [10:D39] compares like with like: savings rest on what the provider counted", async () => {
    const { agent, server, records, compression } = await stage({
      history: answered(12, 1_000),
      contextWindow: 100_000,
    });
    summaries(server);
    server.script(says("Fine.", { usage: { input: 9_000 } }));
    await agent.runConversation({ userMessage: "Next." });
    await compression.compressNow(undefined, never);
    expect(records).toMatchObject([{ tokenSource: "measured" }]);
    expect(records[0]?.tokensBefore).toBeGreaterThanOrEqual(9_000);
    expect(records[0]?.tokensAfter).toBeLessThan(9_000);
  });
});
