import { describe, expect, it } from "vitest";
import { silentLogger } from "#foundation/files/logger";
import { FakeClock } from "#foundation/testing/fake-clock";
import { BudgetGate, type PriceQuote } from "#model";
import { MemoryMoneyLedger } from "#model/testing";
import { calls, hangAfter, reply, says, serverError } from "../../test/fakes/model-server/index.ts";
import { budgetedMoney } from "./money/budgeted-money.ts";
import { harnesses, protocols } from "./testing/harnesses.ts";

const harness = harnesses();
const sessionId = "20260101_000000_0badf00d";
const hi = { userMessage: "Hi" };
const used = { input: 400, cacheRead: 600, output: 50, cacheWrite: 0 };
const dollarPerThousand: PriceQuote = {
  billingMode: "unknown",
  source: "user_override",
  isIncluded: false,
  prices: { input: 1_000, output: 1_000, cacheRead: 100, cacheWrite: 1_250 },
};

type BudgetLimits = ReturnType<ConstructorParameters<typeof BudgetGate>[0]["limits"]>;

function money(limits: Partial<BudgetLimits> = {}, quote: PriceQuote = dollarPerThousand) {
  const all: BudgetLimits = { mode: "hard", unknownPrice: "allow", ...limits };
  const clock = new FakeClock();
  const ledger = new MemoryMoneyLedger(clock);
  const gate = new BudgetGate({ limits: () => all, ledger, clock, logger: silentLogger });
  const warnings: string[] = [];
  const port = budgetedMoney({
    gate,
    quote: () => quote,
    spender: { sessionId },
    purpose: "main",
    warn: (text) => void warnings.push(text),
  });
  return { port, warnings, spent: async () => await ledger.spent({ sessionId }) };
}

describe.each(protocols)("tokens over %s", (protocol) => {
  it("are told apart by kind, and summed over the session [10:A1.14] [10:LOOP-55] [10:LOOP-57] [10:D24]", async () => {
    const { agent, server, events } = await harness({ protocol });
    server.script(says("Hi", { usage: used }), says("Again", { usage: used }));
    const usage = { input: 400, cacheRead: 600, output: 50, cacheWrite: 0, reasoning: 0 };
    expect(await agent.runConversation(hi)).toMatchObject({ usage, contextTokens: 1_000 });
    expect(await agent.runConversation(hi)).toMatchObject({ usage, contextTokens: 1_000 });
    expect(agent.conversation.usage).toMatchObject({ input: 800, cacheRead: 1_200, output: 100 });
    expect(events.filter((event) => event.type === "usage")).toHaveLength(2);
  });

  it("are counted for replies that were of no use [10:LOOP-56] [10:D24]", async () => {
    const { agent, server } = await harness({ protocol });
    server.script(
      reply([], { usage: used }),
      says("cut", { finish: "length", usage: used }),
      says("end", { usage: used }),
    );
    expect(await agent.runConversation(hi)).toMatchObject({ usage: { output: 150, input: 1_200 } });
  });
});

describe("the cost of a session", () => {
  it("is estimated from a price, and says so [10:LOOP-58]", async () => {
    const { port, spent } = money();
    const { agent, server } = await harness({ deps: { money: port } });
    server.script(says("Hi", { usage: used }));
    const ended = await agent.runConversation(hi);
    expect(ended).toMatchObject({ cost: { status: "estimated", source: "user_override" } });
    expect(ended.cost?.usd).toBeCloseTo(0.4 + 0.06 + 0.05, 9);
    expect(await spent()).toMatchObject({ calls: 1 });
  });

  it("is what the provider says, where it says [10:LOOP-58]", async () => {
    const { port } = money();
    const { agent, server } = await harness({ deps: { money: port }, server: { chatDialect: "openrouter" } });
    server.script(says("Hi", { usage: { ...used, extra: { cost: 0.0123 } } }));
    expect(await agent.runConversation(hi)).toMatchObject({ cost: { status: "actual", usd: 0.0123 } });
  });

  it("is included in a subscription, and unknown without a price: never zero [10:LOOP-58]", async () => {
    const included = money({}, { billingMode: "subscription_included", source: "none", isIncluded: true });
    const one = await harness({ deps: { money: included.port } });
    one.server.script(says("Hi", { usage: used }));
    expect(await one.agent.runConversation(hi)).toMatchObject({ cost: { status: "included", usd: 0 } });
    const unknown = money({}, { billingMode: "unknown", source: "none", isIncluded: false });
    const two = await harness({ deps: { money: unknown.port } });
    two.server.script(says("Hi", { usage: used }));
    const { cost } = await two.agent.runConversation(hi);
    expect([cost?.status, cost?.usd]).toEqual(["unknown", undefined]);
  });

  it("is estimated when a reply came without counts [10:LOOP-58] [10:LOOP-56]", async () => {
    const { port } = money();
    const { agent, server } = await harness({ deps: { money: port } });
    server.script(says("Hi", { usage: used }), says("Again", { usage: "none" }));
    await agent.runConversation(hi);
    const ended = await agent.runConversation(hi);
    expect(ended.cost?.status).toBe("estimated");
    expect(ended.usage).toMatchObject({ isEstimated: true });
    expect(agent.conversation.usage).toMatchObject({ isEstimated: true });
    expect(agent.conversation.cost?.usd).toBeGreaterThan(0.51);
  });
});

describe("a limit on money", () => {
  it("refuses the call that would pass it, with the reason and the setting to change", async () => {
    const { port } = money({ sessionUsd: 0.5 });
    const { agent, server } = await harness({ deps: { money: port } });
    server.otherwise(says("Hi", { usage: used }));
    const ended = await agent.runConversation(hi);
    expect(ended).toMatchObject({ exitReason: "budget_exceeded", errorClass: "budget_exceeded", partial: true });
    expect(ended.error).toContain("budget.session_usd");
    expect(server.requests).toEqual([]);
  });

  it("counts what is spent, and stops a turn in its middle", async () => {
    const { port, spent } = money({ sessionUsd: 6 });
    const { agent, server } = await harness({ deps: { money: port } });
    server.script(calls("terminal", {}, { usage: { input: 5_000, output: 10 } }));
    const ended = await agent.runConversation(hi);
    expect(ended).toMatchObject({ exitReason: "budget_exceeded", apiCalls: 2 });
    expect((await spent()).usd).toBeCloseTo(5.01, 6);
    expect(ended.messages.map((message) => message.role)).toEqual(["user", "assistant", "tool"]);
  });

  it("that is soft lets the call through and says so once; an assumed price is said too", async () => {
    const { port, warnings } = money({ sessionUsd: 0.01, mode: "soft" });
    const { agent, server } = await harness({ deps: { money: port } });
    server.otherwise(says("Hi", { usage: used }));
    await agent.runConversation(hi);
    await agent.runConversation(hi);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain("this session");
    const assumed = money({ sessionUsd: 100 }, { billingMode: "unknown", source: "none", isIncluded: false });
    const other = await harness({ deps: { money: assumed.port } });
    other.server.otherwise(says("Hi", { usage: used }));
    await other.agent.runConversation(hi);
    await other.agent.runConversation(hi);
    expect(assumed.warnings).toHaveLength(1);
    expect(assumed.warnings[0]).toContain("assumed");
  });

  it("gives back what was set aside for calls that failed, and books an estimate of interrupted ones", async () => {
    const { port, spent } = money({ sessionUsd: 100 });
    const { agent, server, bus } = await harness({ deps: { money: port }, remedies: { maxAttempts: 1 } });
    server.script(serverError());
    await agent.runConversation(hi);
    expect((await spent()).usd).toBe(0);
    server.script(hangAfter({ events: 2 }, says("Hello there, how are you")));
    using _stop = bus.subscribe((event) => void (event.type === "text-delta" && agent.interrupt()));
    const ended = await agent.runConversation(hi);
    expect(ended.interrupted).toBe(true);
    expect((await spent()).usd).toBeGreaterThan(0);
  });
});
