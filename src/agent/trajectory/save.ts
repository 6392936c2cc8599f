import { type TurnResult, textOf } from "#conversation";
import type { Logger } from "#foundation/files/logger";
import type { Clock } from "#foundation/time/clock";
import type { Listing } from "#tools";
import { isCompleted, trajectoryEntry } from "./entry.ts";
import { toShareGpt } from "./sharegpt.ts";
import { TrajectoryWriter } from "./writer.ts";

/** The files are in the folder where the person works. */
export interface TrajectoryTarget {
  readonly folder: string;
  /** `turns` appends every one to the training files, `sample` writes each to a file of its own, for people to read. */
  readonly as: "turns" | "sample";
}

export interface TrajectoryOptions {
  readonly to: TrajectoryTarget;
  readonly maxSteps: number;
  readonly clock: Clock;
  readonly logger: Logger;
  listing(): Listing;
}

/** Writes down every finished turn; whatever was only said for one call is not in it. */
export function trajectorySaver(options: TrajectoryOptions): (result: TurnResult) => Promise<void> {
  const { to, logger } = options;
  const writer = new TrajectoryWriter(to.folder, logger);
  return async (result) => {
    const tools = options.listing().definitions;
    const conversations = toShareGpt({ messages: result.messages, tools, log: logger });
    const completed = isCompleted({
      finalText: result.text,
      apiCalls: result.apiCalls,
      maxIterations: options.maxSteps,
      isInterrupted: result.interrupted,
      isPartial: result.partial,
      isFailed: result.failed,
    });
    const finishedAt = new Date(options.clock.now());
    const entry = trajectoryEntry({ conversations, finishedAt, model: result.model, completed });
    const asked = result.messages.findLast(({ role }) => role === "user");
    if (to.as === "sample") await writer.saveSample(entry, textOf(asked?.content));
    else await writer.save(entry);
  };
}
