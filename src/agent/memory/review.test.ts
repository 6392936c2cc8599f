import { describe, expect, it } from "vitest";
import { assistantMessage, type ToolDetails, userMessage } from "#conversation";
import { Deferred } from "#foundation/lifecycle/deferred";
import { FakeClock } from "#foundation/testing/fake-clock";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { fakeTool } from "#tools/testing";
import { BackgroundReview, countTurn, freshCounters, type ReviewJob } from "./review.ts";

const intervals = { memoryTurns: 2, skillSteps: 3 };
const tools = [
  fakeTool("memory", { serves: "notes", isLasting: true }),
  fakeTool("skills_list", { serves: "skills" }),
  fakeTool("skill_view", { serves: "skills" }),
  fakeTool("skill_manage", { serves: "skills", isLasting: true }),
  fakeTool("terminal"),
];
const quiet = { steps: [[]], isDelivered: true };

function stage(runReview: (job: ReviewJob, signal: AbortSignal) => Promise<readonly ToolDetails[]>) {
  const lines: string[] = [];
  const clock = new FakeClock();
  const logger = memoryLogger();
  const review = new BackgroundReview({
    runReview,
    announce: (line) => lines.push(line),
    clock,
    logger,
    intervals,
    earlierTurns: () => [],
  });
  return { review, lines, clock, logger };
}

describe("when a review is due", () => {
  it("is after every so many user turns without memory, counted anew each time [10:MEM-11] [10:A6.12]", () => {
    const due: unknown[] = [];
    let counters = freshCounters;
    for (let turn = 1; turn <= 4; turn += 1) {
      const verdict = countTurn(counters, { steps: [], isDelivered: true }, intervals);
      counters = verdict.counters;
      due.push(verdict.due);
    }
    expect(due).toEqual([undefined, "memory", undefined, "memory"]);
  });

  it("waits longer when memory was used [10:MEM-11]", () => {
    const one = countTurn(freshCounters, { steps: [], isDelivered: true }, intervals);
    const two = countTurn(one.counters, { steps: [["notes"]], isDelivered: true }, intervals);
    expect([two.due, two.counters.turnsSinceMemory]).toEqual([undefined, 0]);
  });

  it("counts steps since skills were last written, and never when switched off [10:MEM-11]", () => {
    const steps = [["skills"], [], []] as const;
    const one = countTurn(freshCounters, { steps, isDelivered: true }, { memoryTurns: 0, skillSteps: 3 });
    expect([one.due, one.counters.stepsSinceSkill]).toEqual([undefined, 2]);
    expect(countTurn(one.counters, quiet, { memoryTurns: 0, skillSteps: 3 }).due).toBe("skills");
    expect(
      countTurn(one.counters, { steps: Array(50).fill([]), isDelivered: true }, { memoryTurns: 0, skillSteps: 0 }).due,
    ).toBeUndefined();
  });

  it("is put off by a turn without an answer [10:MEM-12]", () => {
    const one = countTurn({ turnsSinceMemory: 1, stepsSinceSkill: 0 }, { steps: [], isDelivered: false }, intervals);
    expect(one.due).toBeUndefined();
    expect(countTurn(one.counters, { steps: [], isDelivered: true }, intervals).due).toBe("memory");
  });
});

describe("a background review", () => {
  it("gets the history, one instruction, few tools, eight steps and two minutes [10:MEM-12] [10:MEM-13]", async () => {
    const jobs: ReviewJob[] = [];
    const { review } = stage((job) => {
      jobs.push(job);
      return Promise.resolve([]);
    });
    const history = [userMessage("hi"), assistantMessage("hello")];
    review.turnEnded({ steps: [[], [], []], isDelivered: true }, history, tools);
    await review.idle();
    review.turnEnded({ steps: [], isDelivered: true }, history, tools);
    await review.idle();
    expect(
      jobs.map(({ toolNames, maxSteps, deadlineMs, history: input }) => ({ toolNames, maxSteps, deadlineMs, input })),
    ).toEqual([
      {
        toolNames: ["memory", "skills_list", "skill_view", "skill_manage"],
        maxSteps: 8,
        deadlineMs: 120_000,
        input: history,
      },
      { toolNames: ["memory"], maxSteps: 8, deadlineMs: 120_000, input: history },
    ]);
    expect(jobs[0]?.instruction).toMatch(
      /list the existing skills.*classes of tasks.*update.*Create one only.*overlap/s,
    );
    expect(jobs[1]?.instruction).toMatch(/persona.*prefer.*expect/s);
    expect(jobs[1]?.instruction).toContain("nothing to save");
  });

  it("tells the user in one line what it changed, and nothing of what failed or waits [10:MEM-14]", async () => {
    const { review, lines } = stage(() =>
      Promise.resolve([
        { kind: "notes", target: "user", outcome: "saved" },
        { kind: "notes", target: "memory", outcome: "full" },
        { kind: "notes", target: "memory", outcome: "waiting" },
        { kind: "files", read: ["a"] },
        { kind: "skill", name: "deploy-site", action: "create", message: "Created." },
      ]),
    );
    review.turnEnded(quiet, [], tools);
    review.turnEnded(quiet, [], tools);
    await review.idle();
    expect(lines).toEqual(["Background review: user profile updated, skill deploy-site (create)"]);
  });

  it("runs once at a time; the next stays due until it is over [10:MEM-12]", async () => {
    const first = new Deferred<readonly ToolDetails[]>();
    let runs = 0;
    const { review, lines } = stage(() => {
      runs += 1;
      return first.promise;
    });
    for (let turn = 0; turn < 6; turn += 1) review.turnEnded({ steps: [], isDelivered: true }, [], tools);
    expect(runs).toBe(1);
    first.resolve([]);
    await review.idle();
    review.turnEnded({ steps: [], isDelivered: true }, [], tools);
    expect([runs, lines]).toEqual([2, []]);
  });

  it("is stopped after two minutes, and by the end of its session [10:MEM-12]", async () => {
    const signals: AbortSignal[] = [];
    const { review, clock, logger } = stage((_job, signal) => {
      signals.push(signal);
      return new Promise(() => undefined);
    });
    review.turnEnded({ steps: [[], [], []], isDelivered: true }, [], tools);
    await clock.advance(120_000);
    await review.idle();
    expect([signals[0]?.aborted, logger.lines.length]).toEqual([true, 1]);
    review.turnEnded({ steps: [], isDelivered: true }, [], tools);
    await review[Symbol.asyncDispose]();
    expect([signals[1]?.aborted, logger.lines.length]).toEqual([true, 1]);
  });
});
