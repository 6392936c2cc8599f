import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nextRun } from "./next-run.ts";
import { parseSchedule, zoneOf } from "./schedule.ts";

const nowMs = Date.parse("2026-01-15T10:00:00Z");
const read = (text: string, timeZone = "UTC") => parseSchedule(text, { nowMs, timeZone });

/** The next moments of an expression, as the clocks of the zone show them. */
async function next(expr: string, from: string, zone: string, count = 1): Promise<readonly string[]> {
  const schedule = await read(expr, zone);
  const found: string[] = [];
  let afterMs = Date.parse(from);
  for (let index = 0; index < count; index += 1) {
    const atMs = await nextRun(schedule, { afterMs, anchorMs: afterMs, zone: zoneOf(zone) });
    if (atMs === undefined) break;
    found.push(zoneOf(zone).text(atMs));
    afterMs = atMs;
  }
  return found;
}

describe("what a schedule may look like", () => {
  it.each([
    ["every weekday at 9", "0 9 * * 1-5"],
    ["weekdays at 9am", "0 9 * * 1-5"],
    ["at 9 on weekdays", "0 9 * * 1-5"],
    ["at noon on weekends", "0 12 * * 0,6"],
    ["daily at 7pm", "0 19 * * *"],
    ["every day at 9:30 and 17:30", "30 9,17 * * *"],
    ["every monday, wednesday and friday at 8:15", "15 8 * * 1,3,5"],
    ["mondays and thursdays at 6", "0 6 * * 1,4"],
    ["every month on the 1st at 10am", "0 10 1 * *"],
    ["at 8 on the 15th of every month", "0 8 15 * *"],
    ["hourly", "0 * * * *"],
  ])("%s comes again [40:CRN-3]", async (text, expr) => {
    expect(await read(text)).toMatchObject({ kind: "cron", expr });
  });

  it.each([
    ["in 20 minutes", "2026-01-15T10:20:00Z"],
    ["in an hour", "2026-01-15T11:00:00Z"],
    ["at 17:30", "2026-01-15T17:30:00Z"],
    ["at 9", "2026-01-16T09:00:00Z"],
    ["tomorrow at 9", "2026-01-16T09:00:00Z"],
    // It is a Thursday.
    ["friday at 8am", "2026-01-16T08:00:00Z"],
    ["thursday at 8", "2026-01-22T08:00:00Z"],
    ["on thursday at 18:00", "2026-01-15T18:00:00Z"],
  ])("%s comes once [40:CRN-3]", async (text, at) => {
    expect(await read(text)).toMatchObject({ kind: "once", runAtMs: Date.parse(at) });
  });

  it("words are read by the clocks of the zone [40:CRN-3]", async () => {
    const { runAtMs } = (await read("tomorrow at 9", "Asia/Tokyo")) as { runAtMs: number };
    expect(new Date(runAtMs).toISOString()).toBe("2026-01-16T00:00:00.000Z");
  });

  it("whatever is written, it is a schedule or a plain refusal", async () => {
    const word = fc.constantFrom(
      ..."every at on in the of and , monday fridays 9 25:00 17:30 pm noon 1st month hour".split(" "),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(word, { maxLength: 8 }), async (words) => {
        const schedule = await read(words.join(" ")).catch((error: { code?: string }) => error);
        expect("kind" in schedule || schedule.code === "bad_schedule").toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ["every 2h", { kind: "interval", minutes: 120, display: "every 120m" }],
    ["every 1 day", { kind: "interval", minutes: 1440 }],
    ["30m", { kind: "once", runAtMs: Date.parse("2026-01-15T10:30:00Z") }],
    ["45 min", { kind: "once", runAtMs: Date.parse("2026-01-15T10:45:00Z") }],
    ["3 hours", { kind: "once", runAtMs: Date.parse("2026-01-15T13:00:00Z") }],
    ["*/15 8-18 * * 1-5", { kind: "cron", expr: "*/15 8-18 * * 1-5" }],
    ["0 9 * JAN MON-FRI", { kind: "cron", expr: "0 9 * JAN MON-FRI" }],
    ["@daily", { kind: "cron", expr: "0 0 * * *" }],
    ["every day at 09:00", { kind: "cron", expr: "0 9 * * *" }],
    ["every monday at 8am", { kind: "cron", expr: "0 8 * * 1" }],
    ["Every weekday at 5:30 pm", { kind: "cron", expr: "30 17 * * 1-5" }],
    ["2026-02-03T14:00Z", { kind: "once", runAtMs: Date.parse("2026-02-03T14:00:00Z") }],
    ["2026-02-03T14:00+07:00", { kind: "once", runAtMs: Date.parse("2026-02-03T07:00:00Z") }],
    ["2026-02-03", { kind: "once", runAtMs: Date.parse("2026-02-03T00:00:00Z") }],
  ])("%s [40:CRN-3] [40:A-CRN-1]", async (text, expected) => {
    expect(await read(text)).toMatchObject(expected);
  });

  it("a time without a zone is meant in the configured one [40:A-CRN-1]", async () => {
    const schedule = await read("2026-02-03T14:00", "Asia/Bangkok");
    expect(schedule.display).toBe("once at 2026-02-03T14:00:00+07:00");
  });

  it.each([
    "every",
    "0 9 * *",
    "",
    "soon",
    "every 0m",
    "61 * * * *",
    "0 0 30 2 *",
    "2026-02-30",
    "2026-02-03T25:00",
    "every fooday at 9",
    "every day at 25:00",
    "0 9 * * * *",
    "$(rm) * * * *",
  ])("%j is refused with the forms there are [40:CRN-3]", async (text) => {
    await expect(read(text)).rejects.toMatchObject({ hint: expect.stringContaining("every 30m") });
  });

  it("a time that has passed is refused, two minutes ago is not [40:CRN-5]", async () => {
    await expect(read("2026-01-15T09:57:00Z")).rejects.toThrow("has passed");
    expect(await read("2026-01-15T09:59:00Z")).toMatchObject({ kind: "once" });
  });
});

describe("when it runs next", () => {
  it("clocks put forward: a skipped time runs once, at the next moment there is [40:A-CRN-13] [40:CRN-3]", async () => {
    const berlin = "Europe/Berlin";
    expect(await next("30 2 * * *", "2026-03-28T12:00:00Z", berlin, 2)).toEqual([
      "2026-03-29T03:00:00+02:00",
      "2026-03-30T02:30:00+02:00",
    ]);
    expect(await next("15,45 2 * * *", "2026-03-28T12:00:00Z", berlin, 2)).toEqual([
      "2026-03-29T03:00:00+02:00",
      "2026-03-30T02:15:00+02:00",
    ]);
  });

  it("clocks put back: a repeated time runs once, the first time [40:CRN-3]", async () => {
    expect(await next("15,45 2 * * *", "2026-10-24T12:00:00Z", "Europe/Berlin", 3)).toEqual([
      "2026-10-25T02:15:00+02:00",
      "2026-10-25T02:45:00+02:00",
      "2026-10-26T02:15:00+01:00",
    ]);
  });

  it("a job of every hour follows the hours that pass [40:CRN-3]", async () => {
    expect(await next("0 * * * *", "2026-10-25T00:30:00Z", "Europe/Berlin", 3)).toEqual([
      "2026-10-25T02:00:00+01:00",
      "2026-10-25T03:00:00+01:00",
      "2026-10-25T04:00:00+01:00",
    ]);
  });

  it("month ends and the leap day [40:CRN-3]", async () => {
    expect(await next("0 0 31 * *", "2026-01-31T12:00:00Z", "UTC", 2)).toEqual([
      "2026-03-31T00:00:00+00:00",
      "2026-05-31T00:00:00+00:00",
    ]);
    expect(await next("0 12 29 2 *", "2026-01-01T00:00:00Z", "UTC")).toEqual(["2028-02-29T12:00:00+00:00"]);
  });

  it("intervals keep their rhythm, also after a pause and a clock set back [40:CRN-7]", async () => {
    const schedule = { kind: "interval", minutes: 60, display: "" } as const;
    const zone = zoneOf("UTC");
    const hour = 3_600_000;
    expect(await nextRun(schedule, { afterMs: 10 * hour + 1, anchorMs: 0, zone })).toBe(11 * hour);
    expect(await nextRun(schedule, { afterMs: 0, anchorMs: 50 * hour, zone })).toBe(hour);
  });
});
