import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newToolCall, type SessionId } from "#conversation";
import { silentLogger } from "#foundation/files/logger";
import { FakeClock } from "#foundation/testing/fake-clock";
import { openStore, type Store } from "#store";
import { collectInsights } from "./insights.ts";
import { insightsCsv, insightsJson } from "./insights-data.ts";
import { bar, insightsText, table } from "./insights-text.ts";
import { resetDue } from "./reset-policy.ts";

const nowMs = Date.UTC(2026, 4, 20, 12);
const dayMs = 86_400_000;
const signal = new AbortController().signal;
let store: Store;
beforeEach(async () => {
  store = await openStore({ memory: true }, { clock: new FakeClock(nowMs), log: silentLogger });
});
afterEach(() => store[Symbol.asyncDispose]());

const id = (name: string) => name as SessionId;
const usage = { input: 100, output: 50, cacheRead: 300, cacheWrite: 0, reasoning: 0 };

async function twoDays(): Promise<void> {
  for (const [name, daysAgo, source] of [
    ["s1", 3, "cli"],
    ["s2", 2, "cli"],
    ["s3", 2, "telegram"],
  ] as const) {
    await store.sessions.create({ id: id(name), source, startedAtMs: nowMs - daysAgo * dayMs });
    await store.messages.append(id(name), [
      { role: "user", content: "Hi" },
      { role: "assistant", content: "", tool_calls: [newToolCall({ id: "c", name: "terminal", arguments: "{}" })] },
      { role: "tool", content: "{}", tool_call_id: "c", tool_name: "terminal" },
    ]);
    await store.usage.change(id(name), {
      usage,
      apiCalls: 2,
      model: source === "cli" ? "opus" : "haiku",
      estimatedCostUsd: 0.25,
      costStatus: "estimated",
    });
  }
  await store.turns.recordEvent({ sessionId: id("s1"), kind: "fallback" });
}

const collect = (wanted: { source?: string; days?: number } = {}) =>
  collectInsights(store, { days: 30, nowMs, timeZone: "UTC", ...wanted }, signal);

describe("insights", () => {
  it("count sessions, messages, tokens, tools, cost and rhythm [20:R11.11] [20:R11.12] [10:STORE-26]", async () => {
    await twoDays();
    const report = await collect();
    expect(report.figures.totals).toMatchObject({
      sessions: 3,
      messages: 9,
      userMessages: 3,
      toolCalls: 3,
      apiCalls: 6,
    });
    expect(report).toMatchObject({
      messagesPerSession: 3,
      cacheHitRate: 0.75,
      fallbacks: 1,
      activeDays: 2,
      bestStreakDays: 2,
    });
    expect(report.weekdays).toEqual([2, 0, 0, 0, 0, 0, 1]);
    expect(report.peakHours).toEqual([{ hour: 12, sessions: 3 }]);
    const text = insightsText(report, { form: "full" });
    for (const part of [
      "opus",
      "haiku",
      "telegram",
      "terminal",
      "100%",
      "$0.75 estimated",
      "75% of the prompts",
      "Busiest hours: 12:00 (3)",
    ])
      expect(text).toContain(part);
    expect(insightsText(report, { form: "short" }).split("\n").length).toBeLessThan(8);
  });

  it("mark tokens that the server reported no counts for as estimates [20:R6.6]", async () => {
    await twoDays();
    const counted = insightsText(await collect(), { form: "full" });
    expect(counted).not.toContain("~");
    await store.usage.change(id("s3"), { usage: { ...usage, isEstimated: true }, apiCalls: 1 });
    const report = await collect();
    const text = insightsText(report, { form: "full" });
    expect(text).toMatch(/Input tokens +~1\.6K +Output tokens +~200/);
    expect(text).toMatch(/Estimated tokens +1 model call that the server reported no counts for/);
    expect(text).toMatch(/haiku +1 +~800 +~100/);
    expect(text).toMatch(/opus +2 +800 +100/);
    expect(insightsText(report, { form: "short" })).toContain("~1.8K tokens");
    expect(insightsJson(report)).toMatchObject({ totals: { estimatedCalls: 1 } });
    expect(insightsCsv(report)).toContain("totals,,estimatedCalls,1");
  });

  it("can be of one source, and name the skills in use [20:R11.11]", async () => {
    await twoDays();
    const skills = [
      { name: "deploy", loads: 3, edits: 1, lastUsedAtMs: nowMs - dayMs },
      { name: "ancient", loads: 9, edits: 0, lastUsedAtMs: 0 },
    ];
    const report = await collectInsights(
      store,
      { days: 30, nowMs, source: "telegram", skills, timeZone: "UTC" },
      signal,
    );
    expect(report.figures.totals.sessions).toBe(1);
    expect(report.skills.map((skill) => skill.name)).toEqual(["deploy"]);
    expect(insightsText(report, { form: "full" })).toMatch(/deploy\s+3\s+1\s+yesterday/);
  });

  it("of an empty period are one line, and say so to programs [20:A11.11]", async () => {
    const report = await collect({ days: 7 });
    expect(insightsText(report, { form: "full" })).toBe("No sessions in the last 7 days.");
    expect(insightsJson(report)).toMatchObject({ empty: true, days: 7, cache_hit_rate: null });
  });

  it("are given as CSV that a spreadsheet reads as text [20:R11.12]", async () => {
    await twoDays();
    await store.sessions.create({ id: id("s4"), source: '=cmd("x")', startedAtMs: nowMs - dayMs });
    const csv = insightsCsv(await collect());
    expect(csv).toContain("model,opus,sessions,2\r\n");
    expect(csv).toContain("tool,terminal,calls,3\r\n");
    expect(csv).toContain(`platform,"'=cmd(""x"")",sessions,1`);
  });

  it("are drawn with bars and columns that line up", () => {
    expect(bar(8, 8, 4)).toBe("████");
    expect(bar(1, 1_000, 4)).toBe("▏");
    expect(bar(0, 8, 4)).toBe("");
    expect(
      table([
        ["a", "b"],
        ["日本", "c"],
      ]),
    ).toEqual(["a     b", "日本  c"]);
  });
});

describe("a chat begins anew", () => {
  const policy = { mode: "both", idleMinutes: 60, atHour: 4, timeZone: "Europe/Berlin" } as const;
  const at = (text: string): number => Date.parse(text);

  it("after a silence, at an hour of the day, at either, or never [40:SES-5]", () => {
    const lastActiveMs = at("2026-05-20T10:00:00Z");
    const later = (text: string) => ({ lastActiveMs, nowMs: at(text) });
    expect(resetDue(policy, later("2026-05-20T10:59:00Z"))).toBeUndefined();
    expect(resetDue(policy, later("2026-05-20T11:00:00Z"))).toBe("idle");
    const daily = { ...policy, mode: "daily" } as const;
    expect(resetDue(daily, later("2026-05-21T01:59:00Z"))).toBeUndefined();
    expect(resetDue(daily, later("2026-05-21T02:00:00Z"))).toBe("daily");
    expect(resetDue({ ...policy, mode: "idle" }, later("2026-05-30T02:00:00Z"))).toBe("idle");
    expect(resetDue({ ...policy, mode: "none" }, later("2026-05-30T02:00:00Z"))).toBeUndefined();
    expect(resetDue(policy, { lastActiveMs, nowMs: lastActiveMs - 1 })).toBeUndefined();
  });

  it("once on a day whose clock is changed", () => {
    const daily = { ...policy, mode: "daily" } as const;
    expect(resetDue(daily, { lastActiveMs: at("2026-03-29T01:59:00Z"), nowMs: at("2026-03-29T02:01:00Z") })).toBe(
      "daily",
    );
    expect(
      resetDue(daily, { lastActiveMs: at("2026-03-29T02:01:00Z"), nowMs: at("2026-03-30T01:59:00Z") }),
    ).toBeUndefined();
  });
});
