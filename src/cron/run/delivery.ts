import type { NewOutboxEntry } from "#store";
import type { Job, JobOrigin } from "../job.ts";

/** Where an answer goes, beside the file that is always written. */
export type DeliveryTarget =
  | { readonly kind: "origin"; readonly origin: JobOrigin }
  /** The chat a platform's notices go to. */
  | { readonly kind: "home"; readonly platform: string | undefined }
  | {
      readonly kind: "chat";
      readonly platform: string;
      readonly chatId: string;
      readonly threadId: string | undefined;
    };

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
    .map((word) => targetOf(word, origin));
}

function targetOf(word: string, origin: JobOrigin | undefined): DeliveryTarget {
  if (word.toLowerCase() === "origin")
    return origin === undefined ? { kind: "home", platform: undefined } : { kind: "origin", origin };
  const [platform = "", ...rest] = word.split(":");
  if (rest.length === 0) return { kind: "home", platform: platform.toLowerCase() };
  const last = rest.at(-1) ?? "";
  // A thread is a number behind a number; every other colon belongs to the id of the chat.
  const hasThread = rest.length === 2 && /^\d+$/.test(last) && /^-?\d+$/.test(rest[0] ?? "");
  const chatId = hasThread ? (rest[0] ?? "") : rest.join(":");
  return { kind: "chat", platform: platform.toLowerCase(), chatId, threadId: hasThread ? last : undefined };
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
