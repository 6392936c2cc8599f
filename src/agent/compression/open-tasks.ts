import type { Message } from "#conversation";
import { textOf } from "#conversation";
import { findSummary } from "./summary-message.ts";

/** An item of the task list that a summary carries. */
export interface OpenTask {
  readonly id: string;
  readonly content: string;
  readonly status: "pending" | "in_progress";
}

/** The form in which open items stand in a summary. */
export function taskLines(
  items: readonly { readonly id: string; readonly content: string; readonly status: string }[],
) {
  return items
    .filter(({ status }) => status === "pending" || status === "in_progress")
    .map(({ id, content, status }) => `- [${status}] ${id}: ${content.replace(/\s*\n\s*/g, " ")}`);
}

const line = /^- \[(pending|in_progress)\] (.+?): (.*)$/;

/** The open items of the newest summary: what a resumed session knows of its task list once the call that wrote it is gone. */
export function openTasksIn(messages: readonly Message[]): readonly OpenTask[] {
  const message = messages.findLast((one) => findSummary(one) !== undefined);
  if (message === undefined) return [];
  return textOf(message.content)
    .split("\n")
    .flatMap((text) => {
      const match = line.exec(text);
      if (match === null) return [];
      const [, status, id = "", content = ""] = match;
      return [{ id, content, status: status === "pending" ? "pending" : "in_progress" } as const];
    });
}
