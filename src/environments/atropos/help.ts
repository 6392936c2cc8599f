import { linkSignals } from "#foundation/lifecycle/abort";
import { attemptGroup, type EnvironmentRun } from "../env/environment-run.ts";
import { attemptShared } from "../env/shared-groups.ts";
import type { Served, SharedServe, WantedGroup } from "./shared-serve.ts";

const lookAgainMs = 250;

/** A group this machine has in hand. */
interface InHand {
  readonly stop: AbortController;
  readonly done: Promise<void>;
}

/**
 * Works on groups that another machine wants for the trainer, until training is over. Undefined when that machine is gone:
 * somebody has to take its place.
 */
export async function helpServing(
  run: EnvironmentRun,
  { shared, slots }: { readonly shared: SharedServe; readonly slots: number },
  signal: AbortSignal,
): Promise<Served | undefined> {
  const { clock } = run.rollouts.host.machine;
  await using _counted = await shared.help();
  const inHand = new Map<string, InHand>();
  // Looked at already: done, or in other hands. They come last, and again when nothing else is wanted.
  const seen = new Set<string>();
  try {
    for (;;) {
      const board = await shared.board();
      if (board?.isOver === true) return board.counts;
      if (!(await shared.isLed())) return undefined;
      const wanted = board?.wanted ?? [];
      for (const [key, { stop }] of inHand) if (!wanted.some((group) => group.key === key)) stop.abort();
      if (wanted.every(({ key }) => seen.has(key))) seen.clear();
      for (const group of wanted) {
        if (inHand.size >= slots) break;
        if (seen.has(group.key) || inHand.has(group.key)) continue;
        seen.add(group.key);
        inHand.set(group.key, begin(group, { run, shared, inHand }, signal));
      }
      await clock.sleep(lookAgainMs, signal);
    }
  } finally {
    for (const { stop } of inHand.values()) stop.abort();
    await Promise.all([...inHand.values()].map(({ done }) => done));
  }
}

function begin(
  { key, item }: WantedGroup,
  deps: { readonly run: EnvironmentRun; readonly shared: SharedServe; readonly inHand: Map<string, InHand> },
  signal: AbortSignal,
): InHand {
  const { run, shared, inHand } = deps;
  const stop = new AbortController();
  const linked = linkSignals(signal, stop.signal);
  const work = async (): Promise<void> => {
    try {
      await attemptShared(shared.groups, key, () =>
        attemptGroup({ item, key, size: run.config.group_size }, run, linked),
      );
    } catch (error) {
      if (!linked.aborted) run.rollouts.host.machine.logger.error("a group failed", { key, error: String(error) });
    } finally {
      inHand.delete(key);
    }
  };
  return { stop, done: work() };
}
