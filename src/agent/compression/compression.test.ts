import { afterEach, describe, expect, it } from "vitest";
import { isValid, textOf, userMessage } from "#conversation";
import { never } from "#foundation/lifecycle/abort";
import { systemClock } from "#foundation/time/clock";
import { result } from "#tools";
import { fakeTool, toolContext } from "#tools/testing";
import {
  calls,
  hang,
  modelNotFound,
  payloadTooLarge,
  reply,
  says,
  serverError,
} from "../../../test/fakes/model-server/index.ts";
import { flushMemory } from "../memory/flush.ts";
import { memoryStage } from "../memory/testing.ts";
import type { PromptInputs } from "../prompt/inputs.ts";
import { buildPrompt, rebuildChanged } from "../prompt/system-prompt.ts";
import { findSummary } from "../summary-message.ts";
import { answered, stamped, work } from "./testing/builders.ts";
import {
  auxModel,
  isSummaryCall,
  mainCalls,
  notices,
  openStage,
  type StageGiven,
  summaries,
  summaryCalls,
} from "./testing/stage.ts";

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one[Symbol.asyncDispose]();
});

async function stage(input: StageGiven = {}) {
  const one = await openStage(input);
  open.push(one);
  return one;
}

describe("before a turn", () => {
  it("what is made of words of strangers stays labelled, and what is not is not", async () => {
    const history = answered(30, 2_000).map((message, index) =>
      index === 9 ? { ...message, untrusted: "https://example.org" } : message,
    );
    const one = await stage({ history });
    summaries(one.server);
    one.server.script(says("Fine."));
    await one.agent.runConversation({ userMessage: "Next." });
    const summary = one.conversation.history.find((message) => findSummary(message) !== undefined);
    expect(summary?.untrusted).toBe("https://example.org");
    expect(one.conversation.untrusted).toBe("https://example.org");
    expect(one.conversation.history.at(-1)?.untrusted).toBeUndefined();
    const clean = await stage({ history: answered(30, 2_000) });
    summaries(clean.server);
    clean.server.script(says("Fine."));
    await clean.agent.runConversation({ userMessage: "Next." });
    expect(clean.conversation.untrusted).toBeUndefined();
  });

  it("[10:COMP-8] [10:COMP-32] [10:COMP-34] [10:COMP-37] [10:D13] summarises, splits the session and goes on", async () => {
    const history = answered(30, 2_000);
    const { agent, server, conversation, parts, records, events, logger } = await stage({ history });
    summaries(server);
    server.script(says("Fine."));
    const ended = await agent.runConversation({ userMessage: "Next." });
    expect(ended).toMatchObject({ text: "Fine.", sessionId: "part-2" });
    expect(conversation.sessionId).toBe("part-2");
    expect(isValid(conversation.history)).toBe(true);
    expect(summaryCalls(server.requests)).toHaveLength(1);
    const [sent] = mainCalls(server.requests);
    expect(sent?.rawBody).toContain("[CONTEXT COMPACTION");
    expect(sent?.messages.at(-1)).toMatchObject({ role: "user", content: "Next." });
    expect(records).toEqual([
      {
        trigger: "preflight",
        sessionId: "20260101_000000_0badf00d",
        newSessionId: "part-2",
        messagesBefore: 61,
        messagesAfter: expect.any(Number),
        tokensBefore: expect.any(Number),
        tokensAfter: expect.any(Number),
        tokenSource: "estimated",
        savingsPct: expect.any(Number),
        prunedResults: 0,
        summaryModel: auxModel,
        summaryStatus: "ok",
        summaryTokens: expect.any(Number),
        durationMs: expect.any(Number),
        isPromptReused: true,
        changedLayers: [],
        attempt: 1,
      },
    ]);
    expect(records[0]?.savingsPct).toBeGreaterThan(50);
    const line = logger.lines.find((one) => one.message === "context compressed");
    expect(Object.keys(line?.fields ?? {})).toEqual([
      "trigger",
      "session_id",
      "new_session_id",
      "messages_before",
      "messages_after",
      "tokens_before",
      "tokens_after",
      "token_source",
      "savings_pct",
      "pruned_results",
      "summary_model",
      "summary_status",
      "summary_tokens",
      "duration_ms",
      "prompt_reused",
      "changed_layers",
      "focus_topic",
      "attempt",
    ]);
    const kinds = events.map((event) => event.type).filter((type) => type.startsWith("compression"));
    expect(kinds).toEqual(["compression-start", "compression-end"]);
    expect([...parts.keys()]).toEqual(["20260101_000000_0badf00d", "part-2"]);
    server.assertClean();
  });

  it("[10:A5.13] [10:COMP-8] [10:D33] loses no message by the split, not even one nobody had stored", async () => {
    const history = answered(30, 2_000).map(({ uid: _uid, ...rest }) => rest);
    const { agent, server, parts, conversation } = await stage({ history });
    summaries(server);
    server.script(says("Fine."));
    await agent.runConversation({ userMessage: "Next." });
    const [old = [], next = []] = [...parts.values()];
    expect(
      old
        .map((message) => message.content)
        .slice(0, 60)
        .sort(),
    ).not.toEqual([]);
    expect(new Set(old.map((message) => textOf(message.content)))).toEqual(
      new Set([...history.map((message) => textOf(message.content)), "Next."]),
    );
    expect(next.map((message) => message.uid)).toEqual(conversation.history.map((message) => message.uid));
    expect(next.at(-1)?.content).toBe("Fine.");
  });

  it("stops after one pass that is enough, and after one that is of no use [10:COMP-7]", async () => {
    const { agent, server, records } = await stage({ history: answered(4, 20_000) });
    summaries(server);
    server.script(says("Fine."));
    await agent.runConversation({ userMessage: "Next." });
    // Eight messages are few, and still too many tokens.
    expect(records.length).toBeGreaterThanOrEqual(1);
    expect(records.length).toBeLessThanOrEqual(3);
    expect(summaryCalls(server.requests).length).toBe(records.length);
    server.assertClean();
  });

  it("does nothing when it is switched off; a person may compress all the same", async () => {
    const { agent, server, compression } = await stage({
      history: answered(30, 2_000),
      compression: { isEnabled: false },
    });
    summaries(server);
    server.script(says("Fine."));
    await agent.runConversation({ userMessage: "Next." });
    expect(summaryCalls(server.requests)).toHaveLength(0);
    expect(await compression.compressNow(undefined, never)).toMatchObject({ kind: "smaller", isSplit: true });
  });
});

describe("pruning alone", () => {
  it("[10:COMP-9] [10:COMP-11] is enough where results are large: no summary, no split, nothing stored is touched", async () => {
    const history = work(30, 3_000);
    const { agent, server, parts, records, conversation } = await stage({ history });
    for (const message of history) [...parts.values()][0]?.push(message);
    summaries(server);
    server.script(says("One."), says("Two."));
    await agent.runConversation({ userMessage: "Next." });
    expect(records).toMatchObject([
      { summaryStatus: "skipped", prunedResults: 21, messagesBefore: 63, messagesAfter: 63 },
    ]);
    expect(records[0]?.newSessionId).toBeUndefined();
    expect(summaryCalls(server.requests)).toHaveLength(0);
    const said = [...parts.values()].flat().map(({ content }) => content);
    expect(said.slice(0, history.length)).toEqual(history.map(({ content }) => content));
    await agent.runConversation({ userMessage: "And?" });
    const [first, second] = server.requests;
    expect(second?.messages.slice(0, first?.messages.length)).toEqual(first?.messages);
    expect(conversation.history[2]?.sent?.content).toContain("full text: context_recall m2");
    expect(JSON.stringify(second?.messages)).toContain("full text: context_recall m2");
    expect([...parts.values()].flat()[2]?.sent).toEqual(conversation.history[2]?.sent);
    server.assertClean();
  });

  it("[10:COMP-9] leaves whole results in the session that a later summary begins", async () => {
    const history = work(30, 3_000);
    const { agent, server, parts, compression } = await stage({ history });
    summaries(server);
    server.script(says("One."));
    await agent.runConversation({ userMessage: "Next." });
    await compression.compressNow(undefined, never);
    const next = [...parts.values()].at(-1) ?? [];
    expect(next.find((message) => message.uid === "m2")?.content).toBe(history[2]?.content);
    const said = next.filter((message) => findSummary(message) === undefined).map(({ content }) => content);
    expect(JSON.stringify(said)).not.toContain("context_recall");
  });
});

describe("between steps", () => {
  const bigTool = fakeTool("terminal", {
    execute: (args) => Promise.resolve(result(`${String(args["n"])}`.padEnd(9_000, "q"))),
  });

  it("[10:A5.3] [10:COMP-15] [10:D36] keeps the request of a long run in front of the model", async () => {
    const { agent, server, conversation, records } = await stage({
      tools: [bigTool],
      settings: { protectLastN: 4 },
      history: [],
    });
    summaries(server);
    const text = (n: number) => `step ${n} `.padEnd(6_000, "w");
    server.script(
      ...Array.from({ length: 24 }, (_, n) => reply([says(text(n)), calls("terminal", { n })])),
      says("All done."),
    );
    const ended = await agent.runConversation({ userMessage: "Do all 24 steps. Never skip one." });
    expect(ended).toMatchObject({ text: "All done.", completed: true });
    expect(records.some((record) => record.trigger === "in_loop" && record.summaryStatus === "ok")).toBe(true);
    for (const request of mainCalls(server.requests).slice(-3)) {
      const at = request.messages.findLastIndex((message) => JSON.stringify(message).includes("[CONTEXT COMPACTION"));
      const after = JSON.stringify(request.messages.slice(at));
      expect(after).toContain("Do all 24 steps. Never skip one.");
    }
    expect(isValid(conversation.history)).toBe(true);
    server.assertClean();
  });

  it("carries a skill's text on when its message is repeated", async () => {
    const { agent, server } = await stage({ tools: [bigTool], settings: { protectLastN: 4 } });
    summaries(server);
    server.script(
      ...Array.from({ length: 12 }, (_, n) => reply([says(`${n}`.padEnd(7_000, "w")), calls("terminal", { n })])),
      says("Done."),
    );
    await agent.runConversation({ userMessage: "WHOLE SKILL TEXT", persistUserMessage: "/skill" });
    const last = mainCalls(server.requests).at(-1);
    const at = last?.messages.findLastIndex((message) => JSON.stringify(message).includes("[CONTEXT COMPACTION")) ?? 0;
    expect(at).toBeGreaterThan(0);
    expect(JSON.stringify(last?.messages.slice(at))).toContain("WHOLE SKILL TEXT");
  });

  it("clears what is remembered about files the model was shown [10:COMP-8]", async () => {
    const forgotten: (string | undefined)[] = [];
    const { agent, server } = await stage({
      history: answered(30, 2_000),
      compression: { forgetReads: (taskId) => void forgotten.push(taskId) },
    });
    summaries(server);
    server.script(says("Fine."));
    await agent.runConversation({ userMessage: "Next.", taskId: "task-7" });
    expect(forgotten).toEqual(["task-7"]);
  });
});

describe("the prompt after a compression", () => {
  const inputs = (memoryBlock: string): PromptInputs => ({
    toolNames: ["memory"],
    model: "test-model",
    provider: "custom",
    toolUseEnforcement: false,
    memoryBlock,
    session: { startedAtMs: Date.UTC(2026, 0, 1), timeZone: "UTC", rootSessionId: "root" },
    environment: { isWsl: false, isTermux: false },
  });

  it.each([
    ["the same bytes when nothing changed", "MEMORY: a", true, []],
    ["only the memory layer anew when memory changed", "MEMORY: a and b", false, ["memory"]],
  ] as const)(
    "[10:A5.9] [10:COMP-30] [10:COMP-31] [10:D8] has %s",
    async (_case, later, isPromptReused, changedLayers) => {
      let built = buildPrompt(inputs("MEMORY: a"));
      const prompt = {
        text: () => Promise.resolve(built.text),
        refresh: () => {
          const { prompt: next, changed } = rebuildChanged(built, inputs(later));
          built = next;
          return Promise.resolve({ text: next.text, changedLayers: changed });
        },
        layers: () => Promise.resolve([]),
        rebuild: () => Promise.resolve(),
      };
      const { agent, server, records } = await stage({ prompt });
      summaries(server);
      server.otherwise(says("Fine.".padEnd(9_000, "f")));
      for (let turn = 0; turn < 9; turn += 1) await agent.runConversation({ userMessage: `Go ${turn}` });
      expect(records).toMatchObject([{ isPromptReused, changedLayers }]);
      const [first, last] = [
        mainCalls(server.requests)[0]?.systemText ?? "",
        mainCalls(server.requests).at(-1)?.systemText,
      ];
      expect(last).toBe(first.replace("MEMORY: a", later));
      server.assertClean();
    },
  );
});

describe("when the summary call fails", () => {
  it("[10:A5.10] keeps every message, prunes, and asks again no sooner than after a minute", async () => {
    const messages = stamped([...work(6, 2_000), ...answered(18, 1_600)].map(({ uid: _uid, ...rest }) => rest));
    const { agent, server, conversation, records, events, clock } = await stage({ history: messages });
    summaries(server, serverError());
    server.otherwise(says("Fine."));
    await agent.runConversation({ userMessage: "Next." });
    expect(records).toMatchObject([{ summaryStatus: "failed", messagesBefore: 51, messagesAfter: 51 }]);
    expect(conversation.history.map((message) => message.uid).slice(0, 50)).toEqual(
      messages.map((message) => message.uid),
    );
    expect(notices(events)).toContainEqual(expect.stringContaining("Nothing was dropped"));
    await agent.runConversation({ userMessage: "And?".padEnd(10_000, "a") });
    expect(summaryCalls(server.requests)).toHaveLength(1);
    await clock.sleep(60_000, never);
    await agent.runConversation({ userMessage: "Now?" });
    expect(summaryCalls(server.requests)).toHaveLength(2);
    expect(records.at(-1)).toMatchObject({ summaryStatus: "ok" });
  });

  it("[10:A5.11] asks the main model at once when the summary model does not exist", async () => {
    const { agent, server, records } = await stage({ history: answered(30, 2_000) });
    summaries(server, modelNotFound());
    server.script(says("Fine."));
    await agent.runConversation({ userMessage: "Next." });
    expect(summaryCalls(server.requests).map((request) => request.model)).toEqual([auxModel, "test-model"]);
    expect(records).toMatchObject([{ summaryStatus: "fallback_model", summaryModel: "test-model" }]);
  });

  it("leaves everything as it was when the turn is interrupted meanwhile", async () => {
    const history = answered(30, 2_000);
    const { agent, server, conversation, parts } = await stage({ history });
    summaries(server, hang());
    const running = agent.runConversation({ userMessage: "Next." });
    await server.received(1);
    agent.interrupt();
    expect(await running).toMatchObject({ interrupted: true });
    expect(conversation.history.slice(0, 60)).toEqual(history);
    expect(parts.size).toBe(1);
  });

  it("[10:COMP-8] goes on in the old session when that cannot be split", async () => {
    const { agent, server, conversation, records } = await stage({
      history: answered(30, 2_000),
      transcript: {
        record: () => Promise.resolve(),
        amend: () => Promise.resolve(),
        split: () => Promise.reject(new Error("disk full")),
        forget: () => Promise.resolve(),
      },
    });
    summaries(server);
    server.script(says("Fine."));
    expect(await agent.runConversation({ userMessage: "Next." })).toMatchObject({ completed: true });
    expect(conversation.sessionId).toBe("20260101_000000_0badf00d");
    expect(records[0]?.newSessionId).toBeUndefined();
    expect(conversation.history.length).toBeLessThan(61);
  });
});

describe("memory", () => {
  it("[10:A6.10] is flushed before the summary is asked for, and leaves no message", async () => {
    await using notes = await memoryStage();
    const made = await stage({
      history: answered(30, 2_000),
      compression: {
        flush: (history, signal) =>
          flushMemory(
            { reason: "compression", history, userTurns: 30, turnsSinceSaved: undefined },
            {
              askOnce: async (request, stop) =>
                (
                  await made.sideCall(
                    {
                      target: made.target,
                      system: "",
                      messages: [...request.messages, userMessage(`FLUSH ${request.instruction}`)],
                      tools: [{ name: "memory", description: "", parameters: { type: "object", properties: {} } }],
                      options: { stream: true },
                    },
                    stop,
                  )
                ).message,
              context: toolContext({ agent: notes.agent }),
              clock: systemClock,
              logger: made.logger,
              settings: { isMemoryEnabled: true, minTurns: 6 },
            },
            signal,
          ),
      },
    });
    const { agent, server, conversation } = made;
    summaries(server);
    server.script(calls("memory", { action: "add", target: "user", content: "likes tabs" }), says("Fine."));
    await agent.runConversation({ userMessage: "Next." });
    expect(server.requests.map((request) => [isSummaryCall(request), request.rawBody.includes("FLUSH")])).toEqual([
      [false, true],
      [true, false],
      [false, false],
    ]);
    expect(await notes.notes.read("user")).toEqual(["likes tabs"]);
    expect(JSON.stringify(conversation.history)).not.toMatch(/FLUSH|likes tabs/);
  });

  it("[10:A7.9] [10:COMP-35] [10:D34] has its provider asked before and told after", async () => {
    const told: number[] = [];
    const { agent, server } = await stage({
      history: answered(30, 2_000),
      compression: {
        insights: () => Promise.resolve("keep: port 8443"),
        partEnded: (history) => Promise.resolve(void told.push(history.length)),
      },
    });
    summaries(server);
    server.script(says("Fine."));
    await agent.runConversation({ userMessage: "Next." });
    expect(summaryCalls(server.requests)[0]?.rawBody).toContain("keep: port 8443");
    expect(told).toEqual([61]);
  });

  it("may fail without breaking the turn", async () => {
    const broken = () => Promise.reject(new Error("provider down"));
    const { agent, server, records } = await stage({
      history: answered(30, 2_000),
      compression: { flush: broken, insights: broken, partEnded: broken, onCompression: broken },
    });
    summaries(server);
    server.script(says("Fine."));
    expect(await agent.runConversation({ userMessage: "Next." })).toMatchObject({
      completed: true,
      sessionId: "part-2",
    });
    expect(records).toEqual([]);
  });
});

describe("when the provider refuses the size", () => {
  it("[10:A5.15] compresses three times, each time keeping less, and then gives up", async () => {
    const { agent, server, records, clock } = await stage({ history: answered(29, 4_000), contextWindow: 100_000 });
    summaries(server);
    server.script(payloadTooLarge(), payloadTooLarge(), payloadTooLarge(), payloadTooLarge());
    const ended = await agent.runConversation({ userMessage: "Next." });
    expect(ended).toMatchObject({ exitReason: "payload_too_large", isCompressionExhausted: true, failed: true });
    expect(records.map((record) => [record.trigger, record.attempt])).toEqual([
      ["error", 1],
      ["error", 2],
      ["error", 3],
    ]);
    const sizes = records.map((record) => record.messagesAfter);
    expect(sizes).toEqual([...sizes].sort((a, b) => b - a));
    expect(clock.slept.filter((ms) => ms === 2_000)).toHaveLength(3);
    expect(ended.messages.at(-1)).toMatchObject({ role: "user", content: "Next." });
  });

  it("[10:COMP-24] puts an extract in place when summaries fail too", async () => {
    const { agent, server, records, events } = await stage({ history: answered(30, 500), contextWindow: 100_000 });
    summaries(server, serverError(), serverError(), serverError());
    server.script(payloadTooLarge(), says("Fine."));
    const ended = await agent.runConversation({ userMessage: "Next." });
    expect(ended).toMatchObject({ text: "Fine." });
    expect(records).toMatchObject([{ summaryStatus: "local_extract" }]);
    expect(notices(events)).toContainEqual(expect.stringContaining("rule-based extract"));
  });
});
