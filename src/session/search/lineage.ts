import type { SessionId } from "#conversation";
import type { Store } from "#store";
import { folderOf, type SessionFolder } from "./session-folder.ts";

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

/** How many of the newest are looked through for one of this folder. */
const mostLookedAt = 100;

/** The newest that somebody sat at: of this folder, else of any. One-shot runs and those where nothing was said count only where there is nothing else. */
export async function newestSession(
  store: Store,
  source: string,
  folder: string | undefined,
): Promise<{ readonly id: SessionId; readonly folder: string | undefined } | undefined> {
  let anywhere: { readonly id: SessionId; readonly folder: string | undefined } | undefined;
  let poorer: typeof anywhere;
  for (const { id, messageCount } of await store.sessions.list({ source, limit: mostLookedAt })) {
    const known = await folderOf(store, await headOf(store, id));
    if (known?.isOneShot === true || messageCount === 0) {
      poorer ??= { id, folder: known?.folder };
      continue;
    }
    if (folder === undefined || known?.folder === folder) return { id, folder: known?.folder };
    anywhere ??= { id, folder: known?.folder };
  }
  return anywhere ?? poorer;
}

/** Sessions with where they were worked on. */
export function withFolders<T extends { readonly id: SessionId }>(
  store: Store,
  sessions: readonly T[],
): Promise<readonly (T & { readonly location: SessionFolder | undefined })[]> {
  return Promise.all(
    sessions.map(async (one) => ({ ...one, location: await folderOf(store, await headOf(store, one.id)) })),
  );
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
