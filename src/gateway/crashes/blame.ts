import { isRecord } from "#foundation/text/json";
import type { Aggregates, Store } from "#store";
import { type Death, deaths } from "./deaths.ts";

/** What is remembered of a message with which a program ended. */
interface Ends {
  /** The newest message that was in work in the chat. */
  readonly inboxId: number;
  /** How many programs ended while chats beside this one were in work: any of them may have been the reason. */
  readonly beside: number;
  /** How many ended while it was in work alone, those included that count for nothing any more. */
  readonly alone: number;
  /** The programs that ended with it; the end of each counts once, whoever finds it. */
  readonly owners: readonly string[];
  /** When the last of them was found. */
  readonly atMs: number;
  /** It is left alone until then, to see whether programs end without it. */
  readonly restsUntilMs: number;
}

/** What to do with a chat in whose work programs have ended. */
export interface Verdict {
  /** How many programs have ended with what is next in the chat. */
  readonly suspicion: number;
  /** It is not served before that. */
  readonly restsUntilMs: number;
}

/** A program of the gateway that ended. */
export interface Ended {
  readonly owner: string;
  /** Without a word: killed, or crashed. One that was asked to end tells itself what it leaves. */
  readonly isDead: boolean;
}

const kind = "gateway-ends";
const rememberedMs = 7 * 86_400_000;
const mostRemembered = 10_000;
/** A message is given up when so many programs ended with it in a row, and none without it. */
export const mostAttempts = 3;
/** So often at the most, even where programs end without it too. */
const mostAlone = 20;
const mostOwners = 20;
const restMs = 20_000;
const innocent: Verdict = { suspicion: 0, restsUntilMs: 0 };
export const chatLease = (sessionKey: string): string => `chat:${sessionKey}`;

/**
 * A program ended, by itself or killed, and this is what it was working on. Only what it was working on alone has an
 * attempt less; of several any may have been the reason, and each is under suspicion. Judged in one transaction, before
 * the first of these chats is taken over: afterwards nobody can tell who was beside whom.
 *
 * Before its last attempt a message rests for a while. Where programs die meanwhile all the same, somebody kills them,
 * and the attempts before count for nothing.
 */
export async function blame(store: Store, { owner, isDead }: Ended, nowMs: number): Promise<void> {
  await store.transaction(async (tx) => {
    const dead = await deaths(tx, nowMs);
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
      const found = await endsOf(tx, key);
      const known = found !== undefined && ids.includes(found.inboxId) ? found : undefined;
      if (known?.owners.includes(owner) === true) continue;
      if (known !== undefined && isAcquitted(known, dead, owner)) await tx.inbox.forgiveAttempts(ids);
      if (isAlone) await tx.inbox.countAttempt(ids);
      const isLast = isAlone && isDead && (await attemptsOf(tx, ids)) === mostAttempts - 1;
      const value: Ends = {
        inboxId: Math.max(...ids),
        beside: (known?.beside ?? 0) + (isAlone ? 0 : 1),
        alone: (known?.alone ?? 0) + (isAlone ? 1 : 0),
        owners: [...(known?.owners ?? []), owner].slice(-mostOwners),
        atMs: nowMs,
        restsUntilMs: isLast ? nowMs + restMs : 0,
      };
      await remember(tx, { key, value, nowMs });
    }
    await tx.documents.trim(kind, mostRemembered);
  });
}

/** What programs that have ended say about what is next in this chat. */
export async function judge(store: Store, sessionKey: string, nowMs: number): Promise<Verdict> {
  if ((await endsOf(store, sessionKey)) === undefined) return innocent;
  return await store.transaction(async (tx) => {
    const known = await endsOf(tx, sessionKey);
    const ids = await inWork(tx, sessionKey);
    if (known === undefined || !ids.includes(known.inboxId)) return innocent;
    const isFree = known.restsUntilMs > 0 && isAcquitted(known, await deaths(tx, nowMs));
    if (isFree) {
      await tx.inbox.forgiveAttempts(ids);
      await remember(tx, { key: sessionKey, value: { ...known, restsUntilMs: 0, atMs: nowMs }, nowMs });
    }
    const suspicion = known.beside + (await attemptsOf(tx, [known.inboxId]));
    return { suspicion, restsUntilMs: isFree ? 0 : known.restsUntilMs };
  });
}

/** Programs died since, and it was not in their work: somebody kills them. */
function isAcquitted({ alone, atMs, owners }: Ends, dead: readonly Death[], owner?: string): boolean {
  const others = dead.filter((one) => one.atMs > atMs && one.owner !== owner && !owners.includes(one.owner));
  return alone < mostAlone && others.length > 0;
}

export async function forgetEnds(store: Pick<Aggregates, "documents">, sessionKey: string): Promise<void> {
  await store.documents.remove(kind, sessionKey);
}

async function remember(
  tx: Pick<Aggregates, "documents">,
  { key, value, nowMs }: { readonly key: string; readonly value: Ends; readonly nowMs: number },
): Promise<void> {
  await tx.documents.put({ kind, key, value, expiresAtMs: nowMs + rememberedMs });
}

async function attemptsOf({ inbox }: Pick<Aggregates, "inbox">, ids: readonly number[]): Promise<number> {
  const rows = await Promise.all(ids.map((id) => inbox.get(id)));
  return Math.max(0, ...rows.map((row) => row?.attempts ?? 0));
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
  if (!isRecord(value) || typeof value["inboxId"] !== "number" || !Array.isArray(value["owners"])) return undefined;
  const numbers = ["beside", "alone", "atMs", "restsUntilMs"].every((name) => typeof value[name] === "number");
  return numbers ? (value as unknown as Ends) : undefined;
}
