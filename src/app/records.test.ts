import { describe, expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { collectInsights, insightsText } from "#session";
import { calls, rateLimited, says, startModelServer } from "../../test/fakes/model-server/index.ts";
import { customModel, hermesStage } from "./testing.ts";

const chain = (baseUrl: string) =>
  `fallback_providers:\n  - provider: custom\n    base_url: ${baseUrl}\n    model: second-model\n`;

describe("a change of model", () => {
  it("is stored with what was left, what came, why and when, and insights count it [20:R5.17]", async () => {
    await using first = await startModelServer();
    await using second = await startModelServer({ models: [{ id: "second-model" }] });
    first.otherwise(rateLimited({ retryAfterMs: 60_000 }));
    second.otherwise(says("From the second."));
    await using stage = await hermesStage(customModel(first.chatBaseUrl, chain(second.chatBaseUrl)));
    const { sessionId } = await stage.ask("hi");
    const { store } = stage.hermes;
    const kept = (await store.turns.events(sessionId)).filter((event) => event.kind === "fallback");
    expect(kept).toMatchObject([
      {
        sessionId,
        details: {
          from: { provider: "custom", model: "fake-model" },
          to: { provider: "custom", model: "second-model" },
          reason: "rate_limit",
          status: 429,
          atMs: expect.any(Number),
        },
      },
    ]);
    const report = await collectInsights(store, { days: 1, nowMs: Date.now(), timeZone: "UTC" }, never);
    expect(report.fallbacks).toBe(1);
    expect(insightsText(report, { form: "full" })).toMatch(/Fallbacks\s+1/);
  });

  it("of a child is stored with the child, on the chain the settings give children [20:R5.16] [20:R5.17]", async () => {
    await using main = await startModelServer();
    await using third = await startModelServer({ models: [{ id: "third-model" }] });
    third.otherwise(says("Counted by the third."));
    main.onRequest((request) =>
      JSON.stringify(request.messages).includes("Have it done") ? undefined : rateLimited({ retryAfterMs: 60_000 }),
    );
    main.script(calls("delegate_task", { goal: "Count the pears" }), says("The child counted."));
    const own = `delegation:\n  fallback_providers:\n    - provider: custom\n      base_url: ${third.chatBaseUrl}\n      model: third-model\n`;
    await using stage = await hermesStage(customModel(main.chatBaseUrl, own));
    await stage.ask("Have it done.");
    expect(third.requests).toHaveLength(1);
    const report = await collectInsights(stage.hermes.store, { days: 1, nowMs: Date.now(), timeZone: "UTC" }, never);
    expect(report.fallbacks).toBe(1);
  });
});

describe("side calls", () => {
  it("are in the books by task, and insights give their share of all calls [20:R4.14] [20:R11.12]", async () => {
    await using server = await startModelServer();
    server.otherwise(says("Walnut trees"));
    await using stage = await hermesStage(customModel(server.chatBaseUrl));
    const { store } = stage.hermes;
    const ended = await stage.ask("Where do walnuts grow?");
    await stage.until((event) => event.type === "session-changed" && event.info.title !== undefined);
    const report = await collectInsights(store, { days: 1, nowMs: Date.now(), timeZone: "UTC" }, never);
    expect(ended.apiCalls).toBe(1);
    expect(report.figures.sideCalls).toMatchObject([{ task: "title_generation", calls: 1 }]);
    expect(report.sideCallShare).toBe(0.5);
    expect(insightsText(report, { form: "full" })).toContain("1 (50% of all model calls)");
  });
});

describe("what a session cost", () => {
  const priced = "pricing:\n  overrides:\n    custom:\n      fake-model: {input: 3, output: 15}\n";

  it.each([
    ["an own server", "", says("Hi"), { costStatus: "included", billingMode: "subscription_included" }],
    [
      "a price the person set",
      priced,
      says("Hi", { usage: { input: 1000, output: 500 } }),
      { costStatus: "estimated", costSource: "user_override", billingMode: "unknown", estimatedCostUsd: 0.0105 },
    ],
    [
      "what the provider charged",
      priced,
      says("Hi", { usage: { input: 1000, output: 500, extra: { cost: 0.0123 } } }),
      {
        costStatus: "actual",
        costSource: "provider_cost_api",
        actualCostUsd: 0.0123,
        billingMode: "unknown",
      },
    ],
  ])("is stored in full for %s [20:R6.8] [20:R6.9]", async (_what, more, answer, expected) => {
    await using server = await startModelServer({ chatDialect: "openrouter" });
    server.otherwise(answer);
    const quiet = "auxiliary:\n  title_generation:\n    provider: deepseek\n";
    await using stage = await hermesStage(customModel(server.chatBaseUrl, more + quiet));
    const { sessionId } = await stage.ask("hi");
    expect(await stage.hermes.store.sessions.get(sessionId)).toMatchObject({
      ...expected,
      billingProvider: "custom",
      billingBaseUrl: server.chatBaseUrl,
    });
  });
});
