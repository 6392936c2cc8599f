import { isRecord, parseJson } from "#foundation/text/json";
import type { Aggregates, Store } from "#store";
import type { Destination } from "../platform/outbound.ts";

/** Something a person was asked in a chat, and whom it was put to. On disk, so that any process can take the answer. */
export interface Ask {
  readonly id: string;
  /** Names the question for the session. */
  readonly requestId: string;
  readonly sessionKey: string;
  readonly kind: "approval" | "question";
  /** What may be answered; a button names one by its number. */
  readonly choices: readonly string[];
  readonly to: Destination;
  /** The person asked; absent where everybody in the conversation may answer. */
  readonly userId?: string | undefined;
  readonly text: string;
}

const prefix = "gateway.ask.";

export async function openAsk(tx: Pick<Aggregates, "meta">, ask: Ask): Promise<void> {
  await tx.meta.set(prefix + ask.id, JSON.stringify(ask));
}

export async function readAsk(store: Pick<Store, "meta">, id: string): Promise<Ask | undefined> {
  const parsed = parseJson((await store.meta.get(prefix + id)) ?? "");
  return parsed.ok && isRecord(parsed.value) ? (parsed.value as unknown as Ask) : undefined;
}

/** Closes the question; false when it was closed already. Of many that answer at once one succeeds. */
export async function closeAsk(tx: Pick<Aggregates, "meta">, ask: Ask): Promise<boolean> {
  const isOurs = await tx.meta.compareAndSet(prefix + ask.id, JSON.stringify(ask), "closed");
  if (isOurs) await tx.meta.delete(prefix + ask.id);
  return isOurs;
}

/** Leaves nothing of the questions that these outbox entries showed. */
export async function forgetAsks(tx: Pick<Aggregates, "meta">, outboxKeys: readonly string[]): Promise<void> {
  for (const key of outboxKeys) if (key.startsWith("ask:")) await tx.meta.delete(prefix + key.slice("ask:".length));
}

/** The outbox entry that shows the question. */
export function messageKeyOf(ask: Pick<Ask, "id">): string {
  return `ask:${ask.id}`;
}
