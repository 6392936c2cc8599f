import type { Brand } from "#foundation/text/ids";

export type SessionId = Brand<string, "SessionId">;
export type TurnId = Brand<string, "TurnId">;
/** Stable id of one message (`uid` on disk); appending the same id twice stores it once. */
export type MessageId = Brand<string, "MessageId">;
