import { codePointLength } from "#foundation/text/text";
import { type Database, likeLiteral, placeholders } from "../database.ts";
import { maybeText, number, text } from "../row.ts";
import { hasCjk, indexedGrams } from "../search/cjk.ts";
import type { WorkContext } from "./context.ts";
import { messageRowCount } from "./size.ts";

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
const turnKey = "search.indexing_until";
const turnMs = 2_000;
const upsertMeta =
  "INSERT INTO state_meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value";
const rowsPerBatch = 100;
const wordsPerQuestion = 200;
const shortestWord = 4;
const longestWord = 32;
const mostWords = 64;
const mostKnownWords = 200_000;

export async function indexedThrough(db: Database): Promise<number> {
  const row = await db.get("SELECT value FROM state_meta WHERE key = ?", [throughKey]);
  return row === undefined ? 0 : Number(maybeText(row, "value") ?? "0");
}

/** About how many messages are still to be taken in. */
export async function unindexedCount(db: Database): Promise<number> {
  return Math.max(0, (await messageRowCount(db)) - (await indexedThrough(db)));
}

/** Words that are in the vocabulary for certain, so that nobody asks for them again. */
type KnownWords = Set<string>;

export interface IndexContext extends WorkContext {
  readonly knownWords: KnownWords;
}

/**
 * Takes in what is new; returns how many messages that were. Everything is prepared outside the
 * transaction, which then holds the write lock for a few short inserts only.
 */
export async function indexPending(context: IndexContext, input: { onlyIfFree: boolean }): Promise<number> {
  if (input.onlyIfFree && !(await takeTurn(context))) return 0;
  let total = 0;
  for (;;) {
    context.signal.throwIfAborted();
    const batch = await prepareBatch(context);
    if (batch === undefined) return total;
    if (await context.db.transaction((tx) => storeBatch(tx, batch))) {
      total += batch.size;
      // Only now: a batch that was rolled back has stored none of its words.
      if (context.knownWords.size > mostKnownWords) context.knownWords.clear();
      for (const word of batch.words) context.knownWords.add(word);
    }
    // Lets writers in between two batches.
    await context.clock.sleep(0, context.signal);
  }
}

/** Of several processes one is enough; its turn ends by itself, should it die. */
async function takeTurn(context: IndexContext): Promise<boolean> {
  const nowMs = context.clock.now();
  return await context.db.transaction(async (tx) => {
    const row = await tx.get("SELECT value FROM state_meta WHERE key = ?", [turnKey]);
    if (row !== undefined && Number(maybeText(row, "value")) > nowMs) return false;
    await tx.run(upsertMeta, [turnKey, String(nowMs + turnMs)]);
    return true;
  });
}

interface IndexBatch {
  readonly from: number;
  readonly through: number;
  readonly size: number;
  readonly grams: readonly (readonly [id: number, grams: string])[];
  readonly words: readonly string[];
  readonly freshWords: readonly string[];
}

async function prepareBatch(context: IndexContext): Promise<IndexBatch | undefined> {
  const { db, knownWords } = context;
  const from = await indexedThrough(db);
  const rows = await db.all("SELECT id, content FROM messages WHERE id > ? ORDER BY id LIMIT ?", [from, rowsPerBatch]);
  const last = rows.at(-1);
  if (last === undefined) return undefined;
  const grams: [number, string][] = [];
  const words = new Set<string>();
  for (const row of rows) {
    const content = maybeText(row, "content") ?? "";
    if (hasCjk(content)) grams.push([number(row, "id"), indexedGrams(content).join(" ")]);
    for (const word of wordsOf(content)) if (!knownWords.has(word)) words.add(word);
  }
  const unknown = [...words];
  const stored = new Set<string>();
  for (let start = 0; start < unknown.length; start += wordsPerQuestion) {
    const asked = unknown.slice(start, start + wordsPerQuestion);
    const found = await db.all(`SELECT word FROM search_words WHERE word IN (${placeholders(asked.length)})`, asked);
    for (const row of found) stored.add(text(row, "word"));
  }
  const freshWords = unknown.filter((word) => !stored.has(word));
  return { from, through: number(last, "id"), size: rows.length, grams, words: unknown, freshWords };
}

/** False when another process has taken in these messages meanwhile. */
async function storeBatch(tx: Database, batch: IndexBatch): Promise<boolean> {
  if ((await indexedThrough(tx)) !== batch.from) return false;
  for (const [id, grams] of batch.grams)
    await tx.run("INSERT INTO messages_grams (rowid, grams) VALUES (?, ?)", [id, grams]);
  for (const word of batch.freshWords) {
    const added = await tx.get(
      "INSERT INTO search_words (word) VALUES (?) ON CONFLICT (word) DO NOTHING RETURNING id",
      [word],
    );
    if (added !== undefined)
      await tx.run("INSERT INTO search_words_fts (rowid, word) VALUES (?, ?)", [number(added, "id"), word]);
  }
  await tx.run(upsertMeta, [throughKey, String(batch.through)]);
  return true;
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
    const length = codePointLength(word);
    if (length < shortest || length > longestWord || hasCjk(word)) continue;
    const digits = word.replace(/[^0-9]/g, "").length;
    if (digits * 3 <= length) words.add(word);
  }
  return words;
}

function trigrams(word: string): readonly string[] {
  const characters = Array.from(word).slice(0, 12);
  return characters.slice(2).map((_, index) => `"${characters.slice(index, index + 3).join("")}"`);
}
