import { describe } from "#foundation/errors";
import { deadline, linkSignals, raceAbort } from "#foundation/lifecycle/abort";
import type { Clock } from "#foundation/time/clock";
import type { SessionScope } from "../contract/session-scope.ts";
import type { Availability, Tool } from "../contract/tool.ts";

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

  async check(
    tools: Iterable<Tool>,
    scope: SessionScope,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, Availability>> {
    const list = [...tools];
    using limit = deadline(probeTimeoutMs);
    const within = { signal, limit: limit.signal, linked: linkSignals(signal, limit.signal) };
    const probes = [...new Set(list.flatMap((tool) => (tool.check === undefined ? [] : [tool.check])))];
    const answers = new Map(
      await Promise.all(probes.map(async (probe) => [probe, await this.#ask(probe, within)] as const)),
    );
    const settled = new Map<string, Availability>();
    const asking = list.flatMap((tool) => {
      const here = tool.check === undefined ? true : (answers.get(tool.check) ?? unanswered);
      settled.set(tool.name, here);
      const { checkFor } = tool;
      if (here !== true || checkFor === undefined) return [];
      return [asked(() => checkFor(scope, within.linked), within).then((answer) => settled.set(tool.name, answer))];
    });
    await Promise.all(asking);
    return settled;
  }

  /** Forgets what was learned, after a setting changed. */
  forget(): void {
    this.#kept.clear();
  }

  async #ask(probe: Probe, within: Bounds): Promise<Availability> {
    const kept = this.#kept.get(probe);
    if (kept !== undefined && this.#clock.now() - kept.atMs < keptForMs) return kept.answer;
    const answer = await asked(() => probe(within.linked), within);
    this.#kept.set(probe, { answer, atMs: this.#clock.now() });
    return answer;
  }
}

async function asked(
  probe: () => Promise<Availability> | Availability,
  { signal, limit, linked }: Bounds,
): Promise<Availability> {
  try {
    const input = probe();
    return input instanceof Promise ? await raceAbort(input, linked) : input;
  } catch (error) {
    if (signal.aborted) throw error;
    return { reason: limit.aborted ? "the check took too long" : describe(error) };
  }
}

interface Bounds {
  readonly signal: AbortSignal;
  readonly limit: AbortSignal;
  /** Both in one. */
  readonly linked: AbortSignal;
}

const unanswered: Availability = { reason: "not checked" };
