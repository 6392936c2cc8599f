import type { SessionId } from "#conversation";
import { codePointLength } from "#foundation/text/text";
import { type Database, likeLiteral } from "./database.ts";
import type { TitleOutcome } from "./records/session.ts";
import { maybeText, text } from "./row.ts";

/** Titles are unique among sessions that have one; a lineage counts `name`, `name #2`, `name #3`. */
export const maxTitleLength = 100;

/** Control, zero-width and direction characters out, white space collapsed. */
export function cleanTitle(title: string): string {
  return title
    .replace(/[\t\r\n]/g, " ")
    .replace(/[\p{Cc}\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffc]/gu, "")
    .replace(/\s+/gu, " ")
    .trim();
}

export async function setTitle(db: Database, id: SessionId, title: string): Promise<TitleOutcome> {
  const clean = cleanTitle(title);
  const length = codePointLength(clean);
  if (length > maxTitleLength) return { kind: "too-long", length };
  return await db.transaction(async (tx): Promise<TitleOutcome> => {
    if (clean !== "") {
      const other = await tx.get("SELECT id FROM sessions WHERE title = ? AND id <> ?", [clean, id]);
      if (other !== undefined) return { kind: "taken", by: text(other, "id") as SessionId };
    }
    const changed = await tx.run("UPDATE sessions SET title = ? WHERE id = ?", [clean === "" ? null : clean, id]);
    if (changed === 0) return { kind: "no-session" };
    return clean === "" ? { kind: "cleared" } : { kind: "set", title: clean };
  });
}

export async function resolveTitle(db: Database, title: string): Promise<SessionId | undefined> {
  const clean = cleanTitle(title);
  const family = await numberedTitles(db, clean);
  const [newest] = family;
  if (newest !== undefined) return newest.id;
  const exact = await db.get("SELECT id FROM sessions WHERE title = ?", [clean]);
  return exact === undefined ? undefined : (text(exact, "id") as SessionId);
}

export async function nextTitle(db: Database, title: string): Promise<string> {
  const base = cleanTitle(title).replace(/ #\d+$/, "");
  const exact = await db.get("SELECT id FROM sessions WHERE title = ?", [base]);
  const numbers = (await numberedTitles(db, base)).map((entry) => entry.number);
  if (exact === undefined && numbers.length === 0) return base;
  return `${base} #${Math.max(1, ...numbers) + 1}`;
}

/** Sessions titled `base #N`, newest first. */
async function numberedTitles(
  db: Database,
  base: string,
): Promise<readonly { readonly id: SessionId; readonly number: number }[]> {
  const rows = await db.all(
    "SELECT id, title FROM sessions WHERE title LIKE ? ESCAPE '\\' ORDER BY started_at DESC, id DESC",
    [`${likeLiteral(base)} #%`],
  );
  return rows.flatMap((row) => {
    const title = maybeText(row, "title") ?? "";
    // LIKE does not mind case on every database; titles do.
    const match = title.startsWith(`${base} #`) ? /^\d{1,9}$/.exec(title.slice(base.length + 2)) : null;
    return match === null ? [] : [{ id: text(row, "id") as SessionId, number: Number(match[0]) }];
  });
}
