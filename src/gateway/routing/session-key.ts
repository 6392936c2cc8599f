import type { MessageSource } from "../platform/inbound.ts";

export interface KeyRules {
  /** In groups, one conversation per person. */
  readonly groupPerUser: boolean;
  /** In threads too. */
  readonly threadPerUser: boolean;
}

/**
 * Names the conversation a message belongs to; stays the same when the conversation starts over. The one function that
 * builds keys. Ids may contain colons, so a key is never taken apart: its components are stored beside it.
 */
export function sessionKeyOf(source: MessageSource, rules: KeyRules): string {
  const { platform, chatType, chatId, threadId } = source;
  const head = ["agent", "main", platform, chatType];
  const ids = [chatId, threadId];
  if (chatType !== "dm" && isPerUser(source, rules)) ids.push(source.userIdAlt ?? source.userId);
  return [...head, ...ids.filter((id) => id !== undefined && id !== "")].join(":");
}

/** Several people speak in one conversation: each message says who. */
export function isShared(source: MessageSource, rules: KeyRules): boolean {
  return source.chatType !== "dm" && !isPerUser(source, rules);
}

function isPerUser({ threadId }: MessageSource, { groupPerUser, threadPerUser }: KeyRules): boolean {
  return groupPerUser && (threadId === undefined || threadPerUser);
}
