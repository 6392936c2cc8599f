import { UserError } from "#foundation/errors";
import { type AttemptedGroup, attemptGroup, type EnvironmentRun } from "./environment-run.ts";
import { judgeGroup, scoredGroup } from "./group.ts";
import { GroupFiles } from "./group-files.ts";
import { openMetricsSink } from "./metrics-sink.ts";
import { attemptShared, type SharedGroups } from "./shared-groups.ts";

export interface ProcessOptions {
  /** Where groups go; another name when it exists. */
  readonly file: string;
  /** Where other machines work on the same groups; each of them ends with all of them. */
  readonly shared?: SharedGroups | undefined;
  onGroup(line: string): void;
}

export interface Processed {
  readonly file: string;
  readonly groups: number;
  readonly rewards: readonly number[];
  readonly isStopped: boolean;
}

interface NumberedItem {
  readonly index: number;
  readonly item: unknown;
}

/** Undefined while another machine has it in hand. */
interface GroupInLine extends NumberedItem {
  attempted: AttemptedGroup | undefined;
}

const mostEmptyGroups = 5;
const lookAgainMs = 500;

/**
 * Runs groups one after the other and writes what a trainer would get, and the conversations beside it. Where others work
 * on the same run, groups in their hands are passed over and come in later; the files have them in order all the same.
 */
export async function processGroups(
  run: EnvironmentRun,
  options: ProcessOptions,
  signal: AbortSignal,
): Promise<Processed> {
  const { config, environment, rollouts } = run;
  await using sink = await openMetricsSink(run, {}, signal);
  const files = await GroupFiles.open(options.file, run, sink);
  const { modelName: model, runId: run_id, definition } = run;
  const total = config.total_steps * config.group_size;
  run.tell?.({ event: "run_started", env: definition.name, what: "process", model, run_id, total });
  const keep = groupKeeper(run, { files, options });
  const line: GroupInLine[] = [];
  const attempt = async (group: GroupInLine): Promise<void> => {
    group.attempted ??= await groupOf(group, { run, shared: options.shared }, signal);
    run.cassette?.check();
  };
  for (let next = 0, isExhausted = false; !signal.aborted; ) {
    for (let [first] = line; first?.attempted !== undefined; [first] = line) {
      line.shift();
      await keep(first, first.attempted);
    }
    // What is in hand elsewhere counts: when it comes to nothing, one more is begun.
    const isEnough = files.groups + line.length >= config.total_steps;
    const item: unknown = isEnough || isExhausted ? undefined : environment.next();
    isExhausted ||= !isEnough && item === undefined;
    if (item !== undefined) {
      const group = { index: next++, item, attempted: undefined };
      line.push(group);
      await attempt(group);
    } else if (line.length === 0) break;
    else {
      await rollouts.host.machine.clock.sleep(lookAgainMs, signal).catch(() => undefined);
      for (const group of line) await attempt(group);
    }
  }
  await files.writePage();
  run.tell?.({ event: "run_finished", is_stopped: signal.aborted });
  return { file: files.file, groups: files.groups, rewards: files.rewards, isStopped: signal.aborted };
}

/** Undefined when another machine is at it, or when the run was stopped meanwhile. */
async function groupOf(
  { index, item }: NumberedItem,
  { run, shared }: { readonly run: EnvironmentRun; readonly shared: SharedGroups | undefined },
  signal: AbortSignal,
): Promise<AttemptedGroup | undefined> {
  const here = (): Promise<AttemptedGroup> =>
    attemptGroup({ item, key: `g${index}`, size: run.config.group_size }, run, signal);
  try {
    signal.throwIfAborted();
    const attempted = shared === undefined ? await here() : await attemptShared(shared, `g${index}`, here);
    return attempted === "taken" ? undefined : attempted;
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

/** Writes a group, or says why it is left out. */
function groupKeeper(
  { config }: EnvironmentRun,
  { files, options }: { readonly files: GroupFiles; readonly options: ProcessOptions },
) {
  const rules = {
    groupSize: config.group_size,
    refusesEqualScores: config.ensure_scores_are_not_same,
    maxTokens: undefined,
  };
  let empty = 0;
  return async ({ index, item }: NumberedItem, attempted: AttemptedGroup): Promise<void> => {
    const { attempts } = attempted;
    const scored = scoredGroup(attempted, {
      temperature: config.agent_temperature,
      hasMessages: config.include_messages,
      fillsLogprobs: false,
    });
    const judged = judgeGroup(scored, rules);
    if (judged.kind === "skipped" || attempts.every(({ result }) => result === undefined)) {
      empty += 1;
      options.onGroup(
        `group ${index} is left out: ${judged.kind === "skipped" ? judged.why : (attempts[0]?.error ?? "")}`,
      );
      if (empty < mostEmptyGroups) return;
      throw new UserError(`${mostEmptyGroups} groups in a row came to nothing.`, { hint: attempts[0]?.error });
    }
    empty = 0;
    await files.add({ index, item, attempted, scored });
    options.onGroup(`group ${files.groups}/${config.total_steps}: ${scored.scores.join(", ")}`);
  };
}
