import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Message, textOf, userMessage, violations } from "#conversation";
import { estimateMessage } from "#model";
import { latestRequest, renderSummary } from "../summary-message.ts";
import { problemWith } from "./apply.ts";
import { assemble, planCompression } from "./plan.ts";
import { dialogue, group, stamped } from "./testing/builders.ts";

const options = (tailBudget: number, protectLastN = 20) => ({
  limits: {
    tailBudget,
    softCeiling: Math.floor(1.5 * tailBudget),
    protectLastN,
    headBudget: Number.POSITIVE_INFINITY,
    smallestTranscript: 8,
    smallestTail: 3,
    longestKept: Number.POSITIVE_INFINITY,
  },
  sizeOf: estimateMessage,
});
const summary = renderSummary({ body: "## Active Task\nGo on.", openTasks: [], span: undefined, canRecall: false });

describe("the boundaries", () => {
  it("[10:A5.2] [10:COMP-12] [10:COMP-13] [10:COMP-27] keep three at each end; the summary joins message 9", () => {
    const messages = dialogue(12, 4_000);
    const plan = planCompression(messages, options(2_000));
    expect(plan).toEqual({ kind: "compress", start: 3, end: 9 });
    if (plan.kind !== "compress") return;
    const made = assemble({ messages, plan, summary, timestamp: 1 });
    expect(made.map((message) => message.uid)).toEqual(["m0", "m1", "m2", "m9", "m10", "m11"]);
    expect(textOf(made[3]?.content)).toBe(`${summary}\n\n${textOf(messages[9]?.content)}`);
    expect(violations(made)).toEqual([]);
  });

  it("[10:A5.3] [10:COMP-15] repeat the one request of a long run behind the summary", () => {
    const groups = Array.from({ length: 60 }, (_, index) =>
      group(`c${index}`, { content: `${index}`.padEnd(2_000, "r") }),
    );
    const messages = stamped([userMessage("Build the whole thing."), ...groups.flat()]);
    const plan = planCompression(messages, options(5_000));
    expect(plan).toMatchObject({ kind: "compress", start: 3, repeat: 0 });
    if (plan.kind !== "compress") return;
    expect(plan.end - plan.start).toBeGreaterThan(60);
    const made = assemble({ messages, plan, summary, timestamp: 1 });
    expect(made.slice(3, 5)).toMatchObject([
      { role: "assistant", content: summary },
      { role: "user", content: "Build the whole thing." },
    ]);
    const uids = made.map((message) => message.uid);
    expect(new Set(uids).size).toBe(uids.length);
    const size = (list: readonly Message[]) => list.reduce((sum, message) => sum + estimateMessage(message), 0);
    expect(size(made)).toBeLessThan(size(messages) / 2);
    expect(problemWith(messages, made)).toBeUndefined();
  });

  it("[10:COMP-12] move behind the results of the head, and leave short transcripts alone", () => {
    expect(planCompression(dialogue(7, 100_000), options(100))).toEqual({ kind: "nothing", why: "too-short" });
    const messages = stamped([...dialogue(2, 4_000), userMessage("go"), ...dialogue(9, 4_000).slice(1)]);
    expect(planCompression(messages, options(1_000))).toMatchObject({ start: 3 });
    const tools = stamped([
      userMessage("go"),
      ...Array.from({ length: 8 }, (_, i) => group(`c${i}`, { content: "r".repeat(4_000) })).flat(),
    ]);
    expect(planCompression(tools, options(1_000))).toMatchObject({ start: 3 });
    const twoResults = tools.filter((message) => message.uid !== "m3");
    expect(planCompression(twoResults, options(1_000))).toMatchObject({ start: 4 });
  });

  it("[10:COMP-13] fall back to the smallest tail when everything would fit", () => {
    expect(planCompression(dialogue(12, 40), options(1_000_000))).toEqual({ kind: "compress", start: 3, end: 9 });
  });

  it("[10:COMP-15] move back to the latest request where it fits", () => {
    const messages = stamped([
      ...dialogue(10, 4_000),
      userMessage("now this"),
      ...["a", "b", "c"].flatMap((id) => group(id, { content: "r".repeat(1_200) })),
    ]);
    expect(planCompression(messages, options(700, 0))).toMatchObject({ start: 3, end: 10 });
  });

  it("put a summary into the region wherever it stands, and never two into a history", () => {
    const old = stamped([userMessage(summary), { role: "assistant", content: "ok" }, ...dialogue(10, 400)]);
    expect(planCompression(old, options(100))).toMatchObject({ start: 0 });
  });
});

/** Histories as a conversation really makes them: requests, answers, calls with one to three results. */
const history = fc
  .array(
    fc.record({
      request: fc.string({ minLength: 1, maxLength: 30 }),
      answer: fc.string({ maxLength: 400 }),
      calls: fc.array(fc.record({ results: fc.integer({ min: 1, max: 3 }), size: fc.nat(3_000) }), { maxLength: 6 }),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((turns) => {
    let id = 0;
    const messages = turns.flatMap(({ request, answer, calls }): readonly Message[] => [
      userMessage(request),
      ...calls.flatMap(({ results, size }) => {
        const made = Array.from({ length: results }, () => group(`c${id++}`, { content: "r".repeat(size) }));
        const tool_calls = made.flatMap(([first]) => (first?.role === "assistant" ? (first.tool_calls ?? []) : []));
        return [{ role: "assistant" as const, content: "", tool_calls }, ...made.flatMap(([, second]) => second ?? [])];
      }),
      { role: "assistant", content: answer },
    ]);
    return messages;
  });

it("[10:COMP-13] an earlier summary alone is nothing to summarise: the tail gives way", () => {
  const messages = stamped([...dialogue(3, 400), { role: "assistant", content: summary }, ...dialogue(12, 400)]);
  expect(planCompression(messages, options(900))).toMatchObject({ kind: "compress", start: 3, end: 13 });
});

describe("whatever the history", () => {
  it("[10:COMP-14] [10:COMP-15] [10:COMP-28] no call loses its result and the latest request stays, verbatim", () => {
    fc.assert(
      fc.property(history, fc.nat(6_000), fc.nat(25), fc.boolean(), (input, budget, last, isMidTurn) => {
        const messages = stamped(isMidTurn ? input.slice(0, -1) : input);
        const plan = planCompression(messages, options(budget, last));
        if (plan.kind === "nothing") return;
        expect(messages[plan.start]?.role).not.toBe("tool");
        expect(messages[plan.end]?.role).not.toBe("tool");
        expect(plan.end).toBeGreaterThan(plan.start);
        const made = assemble({ messages, plan, summary, timestamp: 1 });
        expect(violations(made)).toEqual([]);
        expect(problemWith(messages, made)).toBeUndefined();
        const wanted = textOf(messages[latestRequest(messages) ?? -1]?.content);
        const kept = textOf(made[latestRequest(made) ?? -1]?.content);
        expect(kept.endsWith(wanted)).toBe(true);
        const again = planCompression(made, options(budget / 2, last));
        if (again.kind === "nothing") return;
        const twice = assemble({ messages: made, plan: again, summary, timestamp: 2 });
        expect(problemWith(messages, twice)).toBeUndefined();
        const summaries = twice.filter((message) => textOf(message.content).includes("[CONTEXT COMPACTION"));
        expect(summaries).toHaveLength(1);
      }),
      { numRuns: 300 },
    );
  });

  it("find the latest request behind a summary, to its last blank", () => {
    const [request] = stamped([userMessage("Do it. ")]);
    if (request?.role !== "user") throw new Error("a request was expected");
    const merged = { ...request, content: `${summary}\n\nDo it. ` };
    expect(problemWith([request], [merged])).toBeUndefined();
    expect(problemWith([request], [{ ...merged, content: `${summary}\n\nDo it` }])).toContain("missing");
  });
});
