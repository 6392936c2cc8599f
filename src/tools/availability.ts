import { deadline, linkSignals, raceAbort } from "#foundation/abort";
import type { Clock } from "#foundation/clock";
import { describe } from "#foundation/errors";
import type { Availability, Tool } from "./tool.ts";

type Probe = NonNullable<Tool["check"]>;

const probeTimeoutMs = 5_000;
const keptForMs = 30_000;

/**
 * Which tools can be used here. Each distinct probe runs once per listing, all of them at once, each
 * bounded in time; answers are kept for half a minute, because probes start programs.
 */
export class AvailabilityProbes {
  readonly #clock: Clock;
  readonly #kept = new Map<Probe, { readonly answer: Availability; readonly atMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async check(tools: Iterable<Tool>, signal: AbortSignal): Promise<ReadonlyMap<string, Availability>> {
    const list = [...tools];
    const probes = [...new Set(list.flatMap((tool) => (tool.check === undefined ? [] : [tool.check])))];
    const answers = new Map(
      await Promise.all(probes.map(async (probe) => [probe, await this.#ask(probe, signal)] as const)),
    );
    return new Map(
      list.map((tool) => [tool.name, tool.check === undefined ? true : (answers.get(tool.check) ?? unanswered)]),
    );
  }

  /** Forgets what was learned, after a setting changed. */
  forget(): void {
    this.#kept.clear();
  }

  async #ask(probe: Probe, signal: AbortSignal): Promise<Availability> {
    const kept = this.#kept.get(probe);
    if (kept !== undefined && this.#clock.now() - kept.atMs < keptForMs) return kept.answer;
    using limit = deadline(probeTimeoutMs);
    const linked = linkSignals(signal, limit.signal);
    let answer: Availability;
    try {
      answer = await raceAbort(Promise.resolve(probe(linked)), linked);
    } catch (error) {
      if (signal.aborted) throw error;
      answer = { reason: limit.signal.aborted ? "the check took too long" : describe(error) };
    }
    this.#kept.set(probe, { answer, atMs: this.#clock.now() });
    return answer;
  }
}

const unanswered: Availability = { reason: "not checked" };
