import type { NewOutboxEntry } from "#store";
import type { Job, JobOrigin } from "../job.ts";

/** Where an answer goes, beside the file that is always written. */
export interface DeliveryTarget {
  /** `origin`, a platform, `platform:chat[:thread]` or `platform:#name`. */
  readonly word: string;
  /** Where the job was made. */
  readonly origin: JobOrigin | undefined;
}

/** Turns an answer into what is owed to a chat, or says why it cannot be. Supplied by whoever knows the platforms. */
export interface Deliverer {
  rows(
    target: DeliveryTarget,
    answer: { readonly text: string; readonly key: string },
  ): Promise<readonly NewOutboxEntry[] | string>;
}

/** The targets of a job; `local` is none. */
export function targetsOf({ deliver, origin }: Pick<Job, "deliver" | "origin">): readonly DeliveryTarget[] {
  return deliver
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "" && word.toLowerCase() !== "local")
    .map((word) => ({ word, origin }));
}

/** The answer with what the reader has to know about it. */
export function wrapped(job: Job, text: string): string {
  return [
    `⏰ **${job.name}** (job ${job.id})`,
    "",
    text,
    "",
    `_Hermes does not see replies to this message as part of the job. Change it with /cron or: hermes cron edit ${job.id}_`,
  ].join("\n");
}
