import { isRecord } from "#foundation/text/json";
import { type SharedRun, workShared } from "../rollout/shared-run.ts";
import type { AttemptedGroup } from "./environment-run.ts";

/** Groups that several machines work on; one machine does a whole group. */
export type SharedGroups = SharedRun<AttemptedGroup>;

export function isAttemptedGroup(value: unknown): value is AttemptedGroup {
  return isRecord(value) && Array.isArray(value["attempts"]) && value["attempts"].every(isAttempt);
}

function isAttempt(value: unknown): boolean {
  return isRecord(value) && typeof value["reward"] === "number" && isRecord(value["sequence"]);
}

/** Does a group, or takes over what another machine made of it; `taken` while one is at it. */
export async function attemptShared(
  shared: SharedGroups,
  key: string,
  work: () => Promise<AttemptedGroup>,
): Promise<AttemptedGroup | "taken"> {
  const outcome = await workShared(shared, key, async () => {
    const { attempts, distillation } = await work();
    // The sequence has all of it; the single calls are of no use elsewhere.
    return { attempts: attempts.map((attempt) => ({ ...attempt, calls: [] })), distillation };
  });
  return outcome === "taken" ? outcome : asMade(outcome);
}

/** JSON has no undefined: what had nothing in a list is null there. */
export function asMade({ attempts, distillation }: AttemptedGroup): AttemptedGroup {
  if (distillation === undefined) return { attempts, distillation };
  return {
    attempts,
    distillation: { ...distillation, sequences: distillation.sequences.map((one) => one ?? undefined) },
  };
}
