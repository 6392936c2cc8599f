import { afterEach, describe, expect, it } from "vitest";
import { zoneOf } from "../schedule/schedule.ts";
import { closeCron, cron } from "../testing/cron-harness.ts";
import { takeOccurrence } from "./occurrence.ts";

afterEach(closeCron);

const day = 86_400_000;

/** Two years of a job, on the real store: whoever looks takes what is due, runs it in no time, and sleeps until the next. */
async function live(schedule: string, timeZone: string, visit: (atMs: number) => number = () => 0) {
  const startMs = Date.parse("2026-01-01T00:00:00Z");
  const { jobs, store, clock } = await cron({ startMs, timeZone });
  const job = await jobs.create({ schedule, prompt: "x" });
  const ran: number[] = [];
  let nowMs = startMs;
  while (nowMs < startMs + 731 * day) {
    const taken = await store.transaction((tx) =>
      takeOccurrence(tx, {
        jobId: job.id,
        nowMs,
        owner: "one",
        retriesAfterCrash: undefined,
        zoneOf: () => zoneOf(timeZone),
      }),
    );
    if (taken !== undefined) {
      ran.push(taken.run.scheduledForMs);
      await store.transaction((tx) => tx.jobs.finish(taken.run.id, { state: "ok" }));
    }
    const next = (await store.jobs.get(job.id))?.nextRunAtMs;
    if (next === undefined) break;
    nowMs = Math.max(nowMs + 1, next) + visit(next);
  }
  await clock.advance(0);
  return { ran, runs: await store.jobs.runs(job.id, { limit: 100_000 }) };
}

describe("two years of a job", () => {
  it.each([
    ["30 2 * * *", "Europe/Berlin", 731],
    ["30 2 * * *", "America/New_York", 731],
    ["0 0 * * *", "America/Sao_Paulo", 731],
    ["15 1 * * *", "Australia/Lord_Howe", 731],
    ["0 12 31 * *", "Europe/Berlin", 14],
    ["0 12 29 2 *", "Asia/Tokyo", 0],
    ["0 6 * * 1", "Africa/Casablanca", 105],
    ["every 1d", "Europe/Berlin", 730],
  ])(
    "%s in %s runs %i times, each once [40:CRN-3] [40:A-CRN-13]",
    async (schedule, zone, count) => {
      const { ran, runs } = await live(schedule, zone);
      expect(Math.abs(ran.length - count)).toBeLessThanOrEqual(1);
      expect(new Set(ran).size).toBe(ran.length);
      expect(runs.map(({ state }) => state)).toEqual(ran.map(() => "ok"));
      // On each day of the zone there is one at most.
      const days = ran.map((atMs) => zoneOf(zone).text(atMs).slice(0, 10));
      expect(new Set(days).size).toBe(days.length);
    },
    60_000,
  );

  it("a machine that sleeps for days leaves one row for what it missed, and goes on [40:CRN-8]", async () => {
    const { runs } = await live("0 9 * * *", "Europe/Berlin", (next) =>
      new Date(next).getUTCDate() === 10 ? 5 * day : 0,
    );
    const states = runs.map(({ state }) => state);
    expect(states.filter((state) => state === "skipped").length).toBe(24);
    expect(states.filter((state) => state === "ok").length).toBeGreaterThan(580);
    expect(states).not.toContain("running");
  }, 60_000);

  it("a clock that is set back runs nothing twice [40:CRN-7]", async () => {
    let back = 0;
    const { ran } = await live("0 */6 * * *", "UTC", (next) => {
      back += 1;
      return back < 1000 && back % 50 === 0 && next > 0 ? -8 * 3_600_000 : 0;
    });
    expect(new Set(ran).size).toBe(ran.length);
  }, 60_000);
});
