import { isRecord } from "#foundation/text/json";
import type { Aggregates, Store } from "#store";

/** What is remembered of a message with which a program ended. */
interface Ends {
  /** The newest message that was in work in the chat. */
  readonly inboxId: number;
  /** How many programs ended while chats beside this one were in work: any of them may have been the reason. */
  readonly beside: number;
  /** The last program that ended with it; its end counts once, whoever finds it. */
  readonly owner: string;
}

const kind = "gateway-ends";
const rememberedMs = 7 * 86_400_000;
const mostRemembered = 10_000;
export const chatLease = (sessionKey: string): string => `chat:${sessionKey}`;

/**
 * A program ended, by itself or killed, and this is what it was working on. Only what it was working on alone has an
 * attempt less; of several any may have been the reason, and each is under suspicion. Judged in one transaction, before
 * the first of these chats is taken over: afterwards nobody can tell who was beside whom.
 */
export async function blame(store: Store, owner: string, nowMs: number): Promise<void> {
  await store.transaction(async (tx) => {
    const prefix = chatLease("");
    const leases = await tx.leases.ownedBy(owner, prefix);
    const work: { readonly key: string; readonly ids: readonly number[] }[] = [];
    for (const { name } of leases) {
      const key = name.slice(prefix.length);
      const ids = await inWork(tx, key);
      if (ids.length > 0) work.push({ key, ids });
    }
    const isAlone = work.length === 1;
    for (const { key, ids } of work) {
      const known = await endsOf(tx, key);
      const isSame = known !== undefined && ids.includes(known.inboxId);
      if (isSame && known.owner === owner) continue;
      if (isAlone) await tx.inbox.countAttempt(ids);
      const beside = (isSame ? known.beside : 0) + (isAlone ? 0 : 1);
      const value: Ends = { inboxId: Math.max(...ids), beside, owner };
      await tx.documents.put({ kind, key, value, expiresAtMs: nowMs + rememberedMs });
    }
    await tx.documents.trim(kind, mostRemembered);
  });
}

/** How many programs have ended with what is next in this chat. */
export async function suspicion(store: Store, sessionKey: string): Promise<number> {
  const known = await endsOf(store, sessionKey);
  if (known === undefined || !(await inWork(store, sessionKey)).includes(known.inboxId)) return 0;
  const row = await store.inbox.get(known.inboxId);
  return known.beside + (row?.attempts ?? 0);
}

export async function forgetEnds(store: Pick<Aggregates, "documents">, sessionKey: string): Promise<void> {
  await store.documents.remove(kind, sessionKey);
}

/** The messages of a turn that has begun or is about to; where there is none, the one that was being read. */
async function inWork(
  { gatewayTurns, inbox }: Pick<Aggregates, "gatewayTurns" | "inbox">,
  sessionKey: string,
): Promise<readonly number[]> {
  const turns = await gatewayTurns.unfinished(sessionKey);
  const claimed = await inbox.claimed(sessionKey);
  const ids = [...turns.flatMap(({ inboxIds }) => inboxIds), ...claimed.map(({ id }) => id)];
  if (turns.length > 0 || ids.length > 0) return ids;
  const [first] = await inbox.pending(sessionKey, { limit: 1, kinds: ["message"] });
  return first === undefined ? [] : [first.id];
}

async function endsOf(store: Pick<Aggregates, "documents">, sessionKey: string): Promise<Ends | undefined> {
  const value = (await store.documents.get(kind, sessionKey))?.value;
  if (!isRecord(value)) return undefined;
  const { inboxId, beside, owner } = value;
  if (typeof inboxId !== "number" || typeof beside !== "number" || typeof owner !== "string") return undefined;
  return { inboxId, beside, owner };
}
