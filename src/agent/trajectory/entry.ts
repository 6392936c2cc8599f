import type { ShareGptTurn } from "./sharegpt.ts";

/** One line of a trajectory file; the order of the fields is part of the format. */
export interface TrajectoryEntry {
  readonly conversations: readonly ShareGptTurn[];
  /** Local time without an offset. */
  readonly timestamp: string;
  readonly model: string;
  readonly completed: boolean;
}

export function trajectoryEntry(facts: {
  readonly conversations: readonly ShareGptTurn[];
  readonly finishedAt: Date;
  readonly model: string;
  readonly completed: boolean;
}): TrajectoryEntry {
  return {
    conversations: facts.conversations,
    timestamp: localTimestamp(facts.finishedAt),
    model: facts.model,
    completed: facts.completed,
  };
}

/** A turn counts as completed when it ended in words, within its calls, and nobody and nothing stopped it. */
export function isCompleted(turn: {
  readonly finalText: string | undefined;
  readonly apiCalls: number;
  readonly maxIterations: number;
  readonly isInterrupted: boolean;
  readonly isPartial: boolean;
  readonly isFailed: boolean;
}): boolean {
  if (turn.isInterrupted || turn.isPartial || turn.isFailed) return false;
  return (turn.finalText ?? "").trim() !== "" && turn.apiCalls < turn.maxIterations;
}

/** The flag of a run wins over the setting. */
export function savesTrajectories(flag: boolean | undefined, setting: boolean): boolean {
  return flag ?? setting;
}

/** `YYYY-MM-DDTHH:MM:SS.ffffff`; the fraction is left out when it is exactly zero. */
export function localTimestamp(time: Date): string {
  const two = (value: number): string => String(value).padStart(2, "0");
  const date = `${String(time.getFullYear()).padStart(4, "0")}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  const clock = `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
  const milliseconds = time.getMilliseconds();
  return `${date}T${clock}${milliseconds === 0 ? "" : `.${String(milliseconds).padStart(3, "0")}000`}`;
}
