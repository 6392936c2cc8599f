import type { SessionId } from "#conversation";
import type { Database } from "./database.ts";
import { maybeNumber, maybeText, text } from "./row.ts";

/** How sessions follow from one another. Damaged data may hold a circle; every walk has an end. */
const maxCompressionSteps = 100;
const maxResumeSteps = 32;
const maxDepth = 1000;

export async function ancestors(db: Database, id: SessionId): Promise<readonly SessionId[]> {
  const rows = await db.all(
    `WITH RECURSIVE up(id, depth) AS (
       SELECT parent_session_id, 1 FROM sessions WHERE id = ?
       UNION SELECT s.parent_session_id, up.depth + 1 FROM sessions s JOIN up ON s.id = up.id WHERE up.depth < ?
     ) SELECT id FROM up WHERE id IS NOT NULL ORDER BY depth`,
    [id, maxDepth],
  );
  return withoutRepeats(rows.map((row) => text(row, "id") as SessionId)).filter((ancestor) => ancestor !== id);
}

export async function descendants(db: Database, id: SessionId): Promise<readonly SessionId[]> {
  const rows = await db.all(
    `WITH RECURSIVE down(id, started_at, depth) AS (
       SELECT id, started_at, 1 FROM sessions WHERE parent_session_id = ?
       UNION SELECT s.id, s.started_at, down.depth + 1 FROM sessions s
         JOIN down ON s.parent_session_id = down.id WHERE down.depth < ?
     ) SELECT id, min(started_at) AS at FROM down GROUP BY id ORDER BY at, id`,
    [id, maxDepth],
  );
  return rows.map((row) => text(row, "id") as SessionId).filter((child) => child !== id);
}

export async function rootOf(db: Database, id: SessionId): Promise<SessionId> {
  return (await ancestors(db, id)).at(-1) ?? id;
}

/** The last part of a conversation that compression has cut into parts. */
export async function compressionTip(db: Database, id: SessionId): Promise<SessionId> {
  let tip = id;
  for (let step = 0; step < maxCompressionSteps; step += 1) {
    const child = await db.get(
      `SELECT c.id FROM sessions p JOIN sessions c ON c.parent_session_id = p.id
       WHERE p.id = ? AND p.end_reason = 'compression' AND c.started_at >= p.ended_at
         AND (c.lineage IS NULL OR c.lineage = 'compression')
       ORDER BY CASE WHEN c.lineage = 'compression' THEN 0 ELSE 1 END, c.started_at DESC, c.id DESC LIMIT 1`,
      [tip],
    );
    if (child === undefined) return tip;
    tip = text(child, "id") as SessionId;
  }
  return tip;
}

export async function resumeTarget(db: Database, id: SessionId): Promise<SessionId | undefined> {
  const session = await db.get("SELECT id FROM sessions WHERE id = ?", [id]);
  if (session === undefined) return undefined;
  const tip = await compressionTip(db, id);
  let candidate = tip;
  for (let step = 0; step <= maxResumeSteps; step += 1) {
    if (await hasMessages(db, candidate)) return candidate;
    const child = await db.get(
      "SELECT id FROM sessions WHERE parent_session_id = ? ORDER BY started_at DESC, id DESC LIMIT 1",
      [candidate],
    );
    if (child === undefined) return tip;
    candidate = text(child, "id") as SessionId;
  }
  return tip;
}

/** When something last happened in a session, in Unix seconds. */
export async function lastActiveS(db: Database, id: SessionId, startedAtS: number): Promise<number> {
  const row = await db.get("SELECT max(timestamp) AS newest FROM messages WHERE session_id = ?", [id]);
  return (row === undefined ? undefined : maybeNumber(row, "newest")) ?? startedAtS;
}

/** The first words of the user, for a listing. */
export async function firstWords(db: Database, id: SessionId): Promise<string> {
  const row = await db.get(
    `SELECT substr(content, 1, 63) AS start FROM messages
     WHERE session_id = ? AND role = 'user' AND content IS NOT NULL AND content <> '' ORDER BY timestamp, id LIMIT 1`,
    [id],
  );
  if (row === undefined) return "";
  const read = Array.from((maybeText(row, "start") ?? "").replace(/[\r\n]+/g, " ").trim());
  return read.length > 60 ? `${read.slice(0, 60).join("")}...` : read.join("");
}

async function hasMessages(db: Database, id: SessionId): Promise<boolean> {
  return (await db.get("SELECT 1 AS one FROM messages WHERE session_id = ? LIMIT 1", [id])) !== undefined;
}

function withoutRepeats(ids: readonly SessionId[]): readonly SessionId[] {
  return [...new Set(ids)];
}
