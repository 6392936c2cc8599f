import { objectsIn, stringAt, type WireObject } from "../wire-object.ts";
import { type Check, type Complaint, firstComplaint, type Subject } from "./rule.ts";

export interface AnthropicMessage {
  readonly role: string;
  readonly content: unknown;
  /** A string content counts as one text block. */
  readonly blocks: readonly WireObject[];
  readonly path: string;
  readonly isLast: boolean;
}

export interface BlockLocation {
  readonly subject: Subject;
  readonly message: AnthropicMessage;
  /** For example `messages.1.content.0`. */
  readonly path: string;
}

export function messagesOf({ body }: Subject): readonly AnthropicMessage[] {
  const messages = objectsIn(body.messages);
  return messages.map(({ role, content }, index) => ({
    role: stringAt(role),
    content,
    blocks: typeof content === "string" ? [{ type: "text", text: content }] : objectsIn(content),
    path: `messages.${index}`,
    isLast: index === messages.length - 1,
  }));
}

export function eachMessage(
  check: (message: AnthropicMessage, subject: Subject, index: number) => Complaint | undefined,
): Check {
  return (subject) => firstComplaint(messagesOf(subject), (message, index) => check(message, subject, index));
}

export function eachBlock(check: (block: WireObject, location: BlockLocation) => Complaint | undefined): Check {
  return eachMessage((message, subject) =>
    firstComplaint(message.blocks, (block, at) =>
      check(block, { subject, message, path: `${message.path}.content.${at}` }),
    ),
  );
}

export function idsOf(message: AnthropicMessage | undefined, type: "tool_use" | "tool_result"): readonly string[] {
  const key = type === "tool_use" ? "id" : "tool_use_id";
  return (message?.blocks ?? []).filter((block) => block.type === type).map((block) => stringAt(block[key]));
}
