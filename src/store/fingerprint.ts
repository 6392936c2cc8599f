import { createHash } from "node:crypto";
import type { Database } from "./database.ts";
import type { FsckReport } from "./records/report.ts";
import { number } from "./row.ts";
import { messageColumns } from "./rows/message.ts";

const rowsPerRead = 500;

export interface Fingerprint {
  readonly count: number;
  readonly hash: string;
}

/** What a check says, with the proof that no message changed meanwhile. */
export function fsckReport(
  found: { readonly problems: readonly string[]; readonly repairs: readonly string[] },
  { before, after }: { readonly before: Fingerprint; readonly after: Fingerprint },
): FsckReport {
  return {
    isHealthy: found.problems.length === 0,
    ...found,
    messagesBefore: before.count,
    messagesAfter: after.count,
    fingerprintBefore: before.hash,
    fingerprintAfter: after.hash,
  };
}

/** A hash over every message and every field of it: equal hashes prove that nothing was lost or changed. */
export async function fingerprint(db: Database, signal: AbortSignal): Promise<Fingerprint> {
  const hash = createHash("sha256");
  const sql = `SELECT id, ${messageColumns.join(", ")} FROM messages WHERE id > ? ORDER BY id LIMIT ${rowsPerRead}`;
  let after = 0;
  let count = 0;
  for (;;) {
    signal.throwIfAborted();
    const rows = await db.all(sql, [after]);
    for (const row of rows) hash.update(JSON.stringify(Object.values(row)));
    count += rows.length;
    const last = rows.at(-1);
    if (last === undefined) return { count, hash: hash.digest("hex") };
    after = number(last, "id");
  }
}
