import { isCompleted, TrajectoryWriter, toShareGpt, trajectoryEntry } from "#agent";
import type { TurnResult } from "#conversation";
import type { Logger } from "#foundation/files/logger";
import type { Clock } from "#foundation/time/clock";
import type { Listing } from "#tools";

export interface TrajectoryParts {
  /** The files are in the folder where the person works. */
  readonly folder: string;
  readonly maxSteps: number;
  readonly clock: Clock;
  readonly logger: Logger;
  listing(): Listing;
}

/** Appends every finished turn to the training files; whatever was only said for one call is not in them. */
export function trajectorySaver(parts: TrajectoryParts): (result: TurnResult) => Promise<void> {
  const writer = new TrajectoryWriter(parts.folder, parts.logger);
  return async (result) => {
    const tools = parts.listing().definitions;
    const conversations = toShareGpt({ messages: result.messages, tools, log: parts.logger });
    const completed = isCompleted({
      finalText: result.text,
      apiCalls: result.apiCalls,
      maxIterations: parts.maxSteps,
      isInterrupted: result.interrupted,
      isPartial: result.partial,
      isFailed: result.failed,
    });
    const finishedAt = new Date(parts.clock.now());
    await writer.save(trajectoryEntry({ conversations, finishedAt, model: result.model, completed }));
  };
}
