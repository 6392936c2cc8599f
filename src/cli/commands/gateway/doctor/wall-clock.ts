import type { Fetch } from "#foundation/http/fetch";
import { plural } from "#foundation/text/figures";
import type { Check } from "../../doctor/check.ts";

/** More than answers take on their way; signatures of platforms are refused from five minutes on. */
const tolerableMs = 60_000;

/** Learns from the answers of platforms what time it is there. */
export class TimeTeller {
  #aheadMs: number | undefined;

  listeningTo(over: Fetch): Fetch {
    return async (...request) => {
      const answer = await over(...request);
      const theirsMs = Date.parse(answer.headers.get("date") ?? "");
      if (Number.isFinite(theirsMs)) this.#aheadMs = Date.now() - theirsMs;
      return answer;
    };
  }

  /** How far this machine's clock is ahead of theirs; undefined when none was heard. */
  get aheadMs(): number | undefined {
    return this.#aheadMs;
  }
}

export function clockCheck(aheadMs: number | undefined): Check {
  const section = "Clock";
  const now = new Date().toISOString();
  if (aheadMs === undefined) return { section, name: now, state: "ok", detail: "compared with nobody's" };
  if (Math.abs(aheadMs) <= tolerableMs)
    return { section, name: now, state: "ok", detail: "agrees with the platforms'" };
  const off = plural(Math.round(Math.abs(aheadMs) / 1000), "second");
  return {
    section,
    name: now,
    state: "failed",
    detail: `${off} ${aheadMs > 0 ? "ahead of" : "behind"} the platforms' clocks`,
    hint: "Set the clock (timedatectl set-ntp true): signed calls are refused, and schedules run at wrong times.",
  };
}
