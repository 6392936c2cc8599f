import { type Database, likeLiteral } from "../database.ts";
import { maybeText, number, text } from "../row.ts";
import { hasCjk, indexedGrams } from "../search/cjk.ts";
import type { WorkContext } from "../work/context.ts";

/**
 * The index for parts of words and for text without spaces, built in batches behind the messages:
 *
 * 1. `messages_grams` holds pairs of Chinese, Japanese and Korean characters per message.
 * 2. `search_words` holds every other word once, and `search_words_fts` its trigrams; so the index for
 *    parts of words grows with the vocabulary, not with the messages.
 * 3. `search.indexed_through` is the highest message id taken in. Ids only grow and are never used again, so
 *    an entry whose message is gone is harmless: every hit is checked against the message itself.
 */
const throughKey = "search.indexed_through";
const rowsPerBatch = 250;
const shortestWord = 4;
const longestWord = 32;
const mostWords = 64;
const mostKnownWords = 200_000;

export async function indexedThrough(db: Database): Promise<number> {
  const row = await db.get("SELECT value FROM state_meta WHERE key = ?", [throughKey]);
  return row === undefined ? 0 : Number(maybeText(row, "value") ?? "0");
}

/** Takes in what is new; returns how many messages that were. */
export async function indexPending(context: WorkContext, _input: object): Promise<number> {
  let total = 0;
  const known = new Set<string>();
  for (;;) {
    context.signal.throwIfAborted();
    const { taken, words } = await context.db.transaction((tx) => indexBatch(tx, known));
    // Only now: a batch that was rolled back has stored none of its words.
    if (known.size > mostKnownWords) known.clear();
    for (const word of words) known.add(word);
    total += taken;
    if (taken < rowsPerBatch) return total;
    // Lets writers in between two batches.
    await context.clock.sleep(1, context.signal);
  }
}

async function indexBatch(
  tx: Database,
  known: ReadonlySet<string>,
): Promise<{ readonly taken: number; readonly words: ReadonlySet<string> }> {
  const through = await indexedThrough(tx);
  const rows = await tx.all("SELECT id, content FROM messages WHERE id > ? ORDER BY id LIMIT ?", [
    through,
    rowsPerBatch,
  ]);
  const fresh = new Set<string>();
  for (const row of rows) {
    const content = maybeText(row, "content") ?? "";
    if (hasCjk(content))
      await tx.run("INSERT INTO messages_grams (rowid, grams) VALUES (?, ?)", [
        number(row, "id"),
        indexedGrams(content).join(" "),
      ]);
    for (const word of wordsOf(content)) if (!known.has(word)) fresh.add(word);
  }
  for (const word of fresh) {
    const added = await tx.get(
      "INSERT INTO search_words (word) VALUES (?) ON CONFLICT (word) DO NOTHING RETURNING id",
      [word],
    );
    if (added !== undefined)
      await tx.run("INSERT INTO search_words_fts (rowid, word) VALUES (?, ?)", [number(added, "id"), word]);
  }
  const last = rows.at(-1);
  if (last !== undefined)
    await tx.run(
      "INSERT INTO state_meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
      [throughKey, String(number(last, "id"))],
    );
  return { taken: rows.length, words: fresh };
}

/** Empties the index, so that it is built anew. */
export async function resetGramIndex(tx: Database): Promise<void> {
  await tx.run("INSERT INTO messages_grams (messages_grams) VALUES ('delete-all')");
  await tx.run("INSERT INTO search_words_fts (search_words_fts) VALUES ('delete-all')");
  await tx.run("DELETE FROM search_words");
  await tx.run("DELETE FROM state_meta WHERE key = ?", [throughKey]);
}

/** Words of the vocabulary that contain this, shortest first. */
export async function wordsContaining(db: Database, needle: string): Promise<readonly string[]> {
  const parts = wordsOf(needle, 3);
  const part = [...parts].sort((left, right) => right.length - left.length)[0];
  if (part === undefined) return [];
  const rows = await db.all(
    `SELECT w.word FROM search_words_fts f CROSS JOIN search_words w ON w.id = f.rowid
     WHERE search_words_fts MATCH ? AND w.word LIKE ? ESCAPE '\\' ORDER BY length(w.word) LIMIT ${mostWords}`,
    [trigrams(part).join(" AND "), `%${likeLiteral(part)}%`],
  );
  return rows.map((row) => text(row, "word"));
}

/** Words worth looking inside: long enough, made of letters for the most part, not hashes or numbers. */
function wordsOf(content: string, shortest = shortestWord): ReadonlySet<string> {
  const words = new Set<string>();
  for (const word of content.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    if (word.length < shortest || word.length > longestWord || hasCjk(word)) continue;
    const digits = word.replace(/[^0-9]/g, "").length;
    if (digits * 3 <= word.length) words.add(word);
  }
  return words;
}

function trigrams(word: string): readonly string[] {
  const characters = Array.from(word).slice(0, 12);
  return characters.slice(2).map((_, index) => `"${characters.slice(index, index + 3).join("")}"`);
}
