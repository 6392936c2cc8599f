import type { InboxEntry } from "#store";
import type { InboundMessage } from "../platform/inbound.ts";
import { readCommandLine } from "../routing/command-line.ts";
import { readInbound } from "./read-inbound.ts";

/** Rows that are one input: what somebody sent in several pieces, one after the other. */
export interface RowGroup {
  readonly row: InboxEntry;
  readonly ids: readonly number[];
  /** Undefined for what is no message, or cannot be read. */
  readonly message: InboundMessage | undefined;
}

/** Neighbours of one person are joined, every word kept and in order; commands and answers stand alone. */
export function joined(rows: readonly InboxEntry[]): readonly RowGroup[] {
  const groups: RowGroup[] = [];
  for (const row of rows) {
    const message = row.kind === "control" ? undefined : readInbound(row.event);
    const last = groups.at(-1);
    if (last?.message !== undefined && message !== undefined && isWords(last.message) && isWords(message)) {
      if (last.message.source.userId === message.source.userId) {
        groups[groups.length - 1] = { ...last, ids: [...last.ids, row.id], message: together(last.message, message) };
        continue;
      }
    }
    groups.push({ row, ids: [row.id], message });
  }
  return groups;
}

function isWords({ text, isInternal }: InboundMessage): boolean {
  return isInternal !== true && readCommandLine(text) === undefined;
}

function together(first: InboundMessage, second: InboundMessage): InboundMessage {
  const text = [first.text, second.text].filter((part) => part !== "").join("\n");
  return {
    ...second,
    text,
    attachments: [...first.attachments, ...second.attachments],
    replyTo: first.replyTo ?? second.replyTo,
  };
}
