import type { Database } from "../database.ts";
import { number } from "../row.ts";

/** About how many messages there are; the highest id, which costs nothing to find. */
export async function messageRowCount(db: Database): Promise<number> {
  const row = await db.get("SELECT max(id) AS newest FROM messages");
  return row === undefined ? 0 : number(row, "newest");
}
