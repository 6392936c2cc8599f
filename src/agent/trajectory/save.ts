import type { TurnResult } from "#conversation";
import type { Logger } from "#foundation/files/logger";
import type { Clock } from "#foundation/time/clock";
import type { Listing } from "#tools";
import { isCompleted, trajectoryEntry } from "./entry.ts";
import { toShareGpt } from "./sharegpt.ts";
import { TrajectoryWriter } from "./writer.ts";

export interface TrajectoryOptions {
  /** The files are in the folder where the person works. */
  readonly folder: string;
  readonly maxSteps: number;
  readonly clock: Clock;
  readonly logger: Logger;
  listing(): Listing;
}

/** Appends every finished turn to the training files; whatever was only said for one call is not in them. */
export function trajectorySaver(options: TrajectoryOptions): (result: TurnResult) => Promise<void> {
  const writer = new TrajectoryWriter(options.folder, options.logger);
  return async (result) => {
    const tools = options.listing().definitions;
    const conversations = toShareGpt({ messages: result.messages, tools, log: options.logger });
    const completed = isCompleted({
      finalText: result.text,
      apiCalls: result.apiCalls,
      maxIterations: options.maxSteps,
      isInterrupted: result.interrupted,
      isPartial: result.partial,
      isFailed: result.failed,
    });
    const finishedAt = new Date(options.clock.now());
    await writer.save(trajectoryEntry({ conversations, finishedAt, model: result.model, completed }));
  };
}
