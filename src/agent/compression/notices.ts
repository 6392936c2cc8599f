import type { NoticeLevel } from "#conversation";
import { shortCount } from "#foundation/text/figures";
import type { Subject } from "./apply.ts";

/** Above this share of the window a history is as good as full. */
export const criticalShare = 0.95;

/** What the user is told about compression. */
export const noticeTexts = {
  nearThreshold: (tokens: number, threshold: number): string =>
    `The conversation has ${shortCount(tokens)} tokens; from ${shortCount(threshold)} on its older part is summarised.`,
  repeated: (count: number): string =>
    `This conversation has been summarised ${count} times. Details may have been lost; /new starts a fresh one.`,
  suspended:
    "Summarising no longer makes this conversation noticeably smaller, so it is not done automatically for now. Start over with /new, or use /compress <topic>.",
  summaryFailed:
    "The older part of the conversation could not be summarised. Nothing was dropped; Hermes will try again later.",
  extracted:
    "The summary could not be written and there was no room to wait, so a rule-based extract took its place. The full text is still stored.",
  stillFull: (percent: number): string =>
    `The conversation still fills ${percent}% of the model's window after compression. Consider /new or a model with a larger window.`,
} as const;

export function notice(subject: Subject, level: NoticeLevel, text: string): void {
  subject.emit({ type: "notice", level, text });
}
