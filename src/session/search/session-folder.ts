import type { SessionId } from "#conversation";
import { isRecord, parseJson } from "#foundation/text/json";
import type { Store } from "#store";

/** Where a conversation was last worked on, and whether somebody sat there. */
export interface SessionFolder {
  readonly folder: string;
  readonly isOneShot: boolean;
}

export async function noteFolder(store: Store, rootId: SessionId, location: SessionFolder): Promise<void> {
  await store.meta.set(keyOf(rootId), JSON.stringify(location));
}

/** Undefined for sessions from before folders were noted. */
export async function folderOf(store: Store, rootId: SessionId): Promise<SessionFolder | undefined> {
  const text = await store.meta.get(keyOf(rootId));
  const parsed = text === undefined ? undefined : parseJson(text);
  if (parsed?.ok !== true || !isRecord(parsed.value)) return undefined;
  const { folder, isOneShot } = parsed.value;
  return typeof folder === "string" ? { folder, isOneShot: isOneShot === true } : undefined;
}

function keyOf(rootId: SessionId): string {
  return `session-folder ${rootId}`;
}
