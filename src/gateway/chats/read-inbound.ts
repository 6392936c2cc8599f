import type { ApprovalChoice } from "#conversation";
import { isRecord } from "#foundation/text/json";
import type { InboundMessage } from "../platform/inbound.ts";

/** A row's event as the message it was; undefined when it is none. Rows outlive versions, so nothing is taken on trust. */
export function readInbound(event: unknown): InboundMessage | undefined {
  if (!isRecord(event)) return undefined;
  const { source, text, dedupKey, atMs, attachments } = event;
  if (!isRecord(source) || typeof source["platform"] !== "string" || typeof source["account"] !== "string")
    return undefined;
  if (typeof source["chatId"] !== "string" || typeof source["chatType"] !== "string") return undefined;
  if (typeof text !== "string" || typeof dedupKey !== "string" || typeof atMs !== "number") return undefined;
  return { ...event, attachments: Array.isArray(attachments) ? attachments : [] } as unknown as InboundMessage;
}

/** Nobody wrote it, so nobody waits for the turn that runs to make room for it. */
export function isInternal(event: unknown): boolean {
  return isRecord(event) && event["isInternal"] === true;
}

/** A message with pictures: more of them may follow, and words about them have been said or will be. */
export function bringsPictures(event: unknown): boolean {
  return readInbound(event)?.attachments.some(({ kind }) => kind === "image" || kind === "video") === true;
}

export type PressedAnswer = { readonly requestId: string; readonly by: string } & (
  | { readonly kind: "approval"; readonly choice: ApprovalChoice }
  | { readonly kind: "question"; readonly answer: string }
);

/** A row's event as the answer to a question that was put in the chat. */
export function readAnswer(event: unknown): PressedAnswer | undefined {
  if (!isRecord(event) || event["control"] !== "answer") return undefined;
  const { requestId, kind, answer, by } = event;
  if (typeof requestId !== "string" || typeof answer !== "string" || typeof by !== "string") return undefined;
  if (kind === "question") return { kind, requestId, by, answer };
  const choice = (["once", "folder", "session", "always", "deny"] as const).find((one) => one === answer);
  return choice === undefined ? undefined : { kind: "approval", requestId, by, choice };
}
