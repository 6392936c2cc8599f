import type { NewOutboxEntry } from "#store";
import type { Destination, Outbound, RenderedText } from "../platform/outbound.ts";

export interface Owing {
  readonly to: Destination;
  readonly sessionKey: string;
  /** The same when the rows are made again: a turn's id, a run of a job. */
  readonly key: string;
}

/** Rows for texts that are owed to a chat, in order. Making them again changes nothing. */
export function owedTexts(
  texts: readonly RenderedText[],
  owing: Owing,
  options: { readonly replyTo?: string | undefined } = {},
): readonly NewOutboxEntry[] {
  return texts.map((body, index) =>
    owed({ kind: "text", body, replyTo: index === 0 ? options.replyTo : undefined }, owing, String(index)),
  );
}

export function owed(payload: Outbound, { to, sessionKey, key }: Owing, part: string): NewOutboxEntry {
  const { platform, account, chatId, threadId } = to;
  const kind = payload.kind === "text" ? "send" : payload.kind;
  return { idempotencyKey: `${key}:${part}`, sessionKey, platform, account, chatId, threadId, kind, payload };
}
