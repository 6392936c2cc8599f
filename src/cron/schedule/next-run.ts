import type { Schedule } from "./schedule.ts";
import type { Zone } from "./zone.ts";

export interface After {
  readonly afterMs: number;
  /** Where intervals are counted from: the run before, or the moment the job was made. */
  readonly anchorMs: number;
  readonly zone: Zone;
}

/** More clock times than this in a row are never skipped by a change of the clocks. */
const mostSkipped = 500;

/** The first moment after `afterMs`; undefined when there is none. */
export async function nextRun(schedule: Schedule, { afterMs, anchorMs, zone }: After): Promise<number | undefined> {
  if (schedule.kind === "once") return schedule.runAtMs > afterMs ? schedule.runAtMs : undefined;
  if (schedule.kind === "cron") return await nextOfExpression(schedule.expr, { afterMs, zone });
  const periodMs = schedule.minutes * 60_000;
  const passed = Math.max(0, Math.floor((afterMs - anchorMs) / periodMs));
  // A clock that was set back leaves the anchor in the future: the next run is then one period away at most.
  return anchorMs > afterMs + periodMs ? afterMs + periodMs : anchorMs + (passed + 1) * periodMs;
}

/**
 * Wall-clock times: one that the clocks skip runs at the next moment there is, one they show twice runs the first
 * time. A job of every hour goes by hours that really pass, so that it neither pauses nor doubles.
 */
async function nextOfExpression(
  expr: string,
  { afterMs, zone }: Pick<After, "afterMs" | "zone">,
): Promise<number | undefined> {
  const { Cron } = await import("croner");
  const [, hours] = expr.split(" ");
  const isHourly = hours === "*";
  const cron = new Cron(expr, { mode: "5-part", timezone: isHourly ? zone.name : "UTC", paused: true });
  if (isHourly) return cron.nextRun(new Date(afterMs))?.getTime();
  let wall: Date | null = new Date(zone.wallAt(afterMs));
  for (let skipped = 0; skipped < mostSkipped; skipped += 1) {
    wall = cron.nextRun(wall);
    if (wall === null) return undefined;
    const atMs = zone.momentOf(wall.getTime());
    if (atMs > afterMs) return atMs;
  }
  return undefined;
}
