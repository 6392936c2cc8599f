import type { SessionId } from "#conversation";
import type { Store } from "#store";

const mostSteps = 100;

/**
 * Which session a person means by what they typed: an id, the beginning of one, or a title. Leads to
 * where the conversation goes on, past every part that compression ended.
 */
export async function findSession(store: Store, idOrTitle: string): Promise<SessionId | undefined> {
  const wanted = idOrTitle.trim();
  if (wanted === "") return undefined;
  const found = (await store.sessions.resolveId(wanted)) ?? (await store.sessions.resolveTitle(wanted));
  return found === undefined ? undefined : ((await store.sessions.resumeTarget(found)) ?? found);
}

/** The newest conversation of a surface. */
export async function newestSession(store: Store, source: string): Promise<SessionId | undefined> {
  const [newest] = await store.sessions.list({ source, limit: 1 });
  return newest?.id;
}

/**
 * The first part of a conversation that compression has cut; a branch is a conversation of its own.
 * Names what belongs to the conversation as a whole: its inbox and its turn lease.
 */
export async function headOf(store: Store, id: SessionId): Promise<SessionId> {
  let head = id;
  for (let step = 0; step < mostSteps; step += 1) {
    const session = await store.sessions.get(head);
    if (session?.lineage !== "compression" || session.parentSessionId === undefined) return head;
    head = session.parentSessionId;
  }
  return head;
}

/** Every session that comes from the same root, the root first. */
export async function familyOf(store: Store, id: SessionId): Promise<readonly SessionId[]> {
  const root = await store.sessions.rootOf(id);
  return [...new Set([root, ...(await store.sessions.descendants(root)), id])];
}

/** The parts of one conversation, oldest first: what was said before each compression, and now. */
export async function partsOf(store: Store, id: SessionId): Promise<readonly SessionId[]> {
  const head = await headOf(store, id);
  const parts = [head];
  for (let step = 0; step < mostSteps; step += 1) {
    const last = parts.at(-1) ?? head;
    const record = await store.sessions.get(last);
    if (record?.endReason !== "compression") break;
    const next = await continuationOf(store, last);
    if (next === undefined || parts.includes(next)) break;
    parts.push(next);
  }
  return parts.includes(id) ? parts : [...parts, id];
}

async function continuationOf(store: Store, id: SessionId): Promise<SessionId | undefined> {
  for (const child of await store.sessions.descendants(id)) {
    const record = await store.sessions.get(child);
    if (record?.parentSessionId === id && record.lineage === "compression") return child;
  }
  return undefined;
}
