import { likeLiteral, type Row, type SqlValue } from "../database.ts";
import { maybeNumber, maybeText, text } from "../row.ts";
import { gramQuery, hasCjk } from "../search/cjk.ts";
import { hitColumns, type SearchPage, searchFilter } from "../search/filter.ts";
import { type QueryToken, renderFts5, usesOr, wantedTerms } from "../search/query.ts";
import { substringSnippet } from "../search/snippet.ts";
import { wordSnippet } from "../search/word-snippet.ts";
import type { WorkContext } from "./context.ts";
import { indexedThrough, wordsContaining } from "./gram-index.ts";

/**
 * Search on SQLite. First the word index, which triggers keep, so that a message is found as soon as it
 * is stored. When that is not enough: Chinese, Japanese and Korean by pairs of characters; anything
 * else by the words that contain what was typed. Those two indexes are built in batches; messages that are
 * not in them yet are read one by one.
 */

/** A word in more messages than this says little; of these the newest are ranked. */
const rankedMatches = 4_000;

export async function searchSqlite(
  context: WorkContext,
  tokens: readonly QueryToken[],
  page: SearchPage,
): Promise<readonly Row[]> {
  const wanted = page.offset + page.limit;
  const words = await searchWords(context, tokens, { ...page, limit: wanted, offset: 0 });
  const isCjk = wantedTerms(tokens).some((term) => hasCjk(term.text));
  const mayNeedMore = isCjk ? words.length < wanted : words.length === 0;
  if (!mayNeedMore) return words.slice(page.offset, wanted);
  const rest = { ...page, limit: wanted, offset: 0 };
  const more = isCjk ? await searchGrams(context, tokens, rest) : await searchInsideWords(context, tokens, rest);
  const seen = new Set(words.map((row) => row.id));
  return [...words, ...more.filter((row) => !seen.has(row.id))].slice(page.offset, wanted);
}

interface Condition {
  readonly sql: string;
  readonly params: readonly SqlValue[];
}

/**
 * Best first among the newest matches, in one pass over the index: the ranking itself costs per match, and of a
 * word that is everywhere the newest places are the ones looked for.
 */
async function searchWords(
  context: WorkContext,
  tokens: readonly QueryToken[],
  page: SearchPage,
): Promise<readonly Row[]> {
  const filter = searchFilter(page);
  const joins =
    filter.sql === "" ? "" : "CROSS JOIN messages m ON m.id = f.rowid CROSS JOIN sessions s ON s.id = m.session_id";
  const best = await context.db.all(
    `SELECT id FROM (SELECT f.rowid AS id, bm25(messages_fts) AS score FROM messages_fts f ${joins}
       WHERE messages_fts MATCH ?${filter.sql} ORDER BY f.rowid DESC LIMIT ?) ORDER BY score, id DESC LIMIT ?`,
    [renderFts5(tokens), ...filter.params, Math.max(rankedMatches, page.limit), page.limit],
  );
  const terms = wantedTerms(tokens);
  const hits: Row[] = [];
  for (const { id } of best) {
    const row = await context.db.get(
      `SELECT ${hitColumns}, m.content FROM messages m JOIN sessions s ON s.id = m.session_id WHERE m.id = ?`,
      [id ?? null],
    );
    if (row !== undefined)
      hits.push({ ...row, content: null, snippet: wordSnippet(maybeText(row, "content") ?? "", terms) });
  }
  return hits;
}

/** Newest first; every term must occur, or any of them when OR was typed. */
async function searchGrams(
  context: WorkContext,
  tokens: readonly QueryToken[],
  page: SearchPage,
): Promise<readonly Row[]> {
  const needles = wantedTerms(tokens).map((term) => term.text);
  const glue = usesOr(tokens) ? " OR " : " AND ";
  const contains = likeAny(needles, glue);
  const through = await indexedThrough(context.db);
  const tail = await readTail(context, { needles, contains, through, page });
  const match = needles
    .map(gramMatch)
    .filter((part) => part !== "")
    .join(glue);
  if (match === "" || tail.length >= page.limit) return tail;
  const rest = { ...page, limit: page.limit - tail.length };
  return [
    ...tail,
    ...(await newestMatches(context, { index: "messages_grams", match, needles, contains, through }, rest)),
  ];
}

interface IndexQuery {
  readonly index: "messages_grams" | "messages_fts";
  readonly match: string;
  readonly needles: readonly string[];
  readonly contains: Condition;
  readonly through: number;
}

/** What the index proposes and the message itself confirms, newest first; reads no further than the limit. */
async function newestMatches(context: WorkContext, query: IndexQuery, page: SearchPage): Promise<readonly Row[]> {
  const { index } = query;
  const filter = searchFilter(page);
  const rows = await context.db.all(
    `SELECT ${hitColumns}, m.content FROM ${index} CROSS JOIN messages m ON m.id = ${index}.rowid
     CROSS JOIN sessions s ON s.id = m.session_id
     WHERE ${index} MATCH ? AND ${index}.rowid <= ? AND ${query.contains.sql}${filter.sql}
     ORDER BY ${index}.rowid DESC LIMIT ?`,
    [query.match, query.through, ...query.contains.params, ...filter.params, page.limit],
  );
  return withSnippets(rows, query.needles);
}

function gramMatch(needle: string): string {
  const { pairs, beginnings } = gramQuery(needle);
  const parts = [...pairs.map((pair) => `"${pair}"`), ...beginnings.map((start) => `"${start}"*`)];
  return parts.length === 0 ? "" : `(${parts.join(" AND ")})`;
}

/** Finds `ocker` in `docker`: which words contain it, then which messages contain one of those. */
async function searchInsideWords(
  context: WorkContext,
  tokens: readonly QueryToken[],
  page: SearchPage,
): Promise<readonly Row[]> {
  const needles = wantedTerms(tokens).map((term) => term.text);
  const glue = usesOr(tokens) ? " OR " : " AND ";
  const through = await indexedThrough(context.db);
  const contains = likeAny(needles, glue);
  const tail = await readTail(context, { needles, contains, through, page });
  if (tail.length >= page.limit) return tail;
  const groups: string[] = [];
  for (const needle of needles) {
    const words = await wordsContaining(context.db, needle);
    if (words.length > 0) groups.push(`(${words.map((word) => `"${word}"`).join(" OR ")})`);
    else if (glue === " AND ") return tail;
  }
  if (groups.length === 0) return tail;
  const query: IndexQuery = { index: "messages_fts", match: groups.join(glue), needles, contains, through };
  return [...tail, ...(await newestMatches(context, query, { ...page, limit: page.limit - tail.length }))];
}

interface TailQuery {
  readonly needles: readonly string[];
  readonly contains: Condition;
  readonly through: number;
  readonly page: SearchPage;
}

/** Messages the batch index has not reached yet. */
async function readTail(context: WorkContext, query: TailQuery): Promise<readonly Row[]> {
  const newest = await context.db.get("SELECT max(id) AS id FROM messages");
  if (newest === undefined || (maybeNumber(newest, "id") ?? 0) <= query.through) return [];
  const filter = searchFilter(query.page);
  const rows = await context.db.all(
    `SELECT ${hitColumns}, m.content FROM messages m CROSS JOIN sessions s ON s.id = m.session_id
     WHERE m.id > ? AND ${query.contains.sql}${filter.sql} ORDER BY m.id DESC LIMIT ?`,
    [query.through, ...query.contains.params, ...filter.params, query.page.limit],
  );
  return withSnippets(rows, query.needles);
}

function likeAny(needles: readonly string[], glue: string): Condition {
  return {
    sql: `(${needles.map(() => "m.content LIKE ? ESCAPE '\\'").join(glue)})`,
    params: needles.map((needle) => `%${likeLiteral(needle)}%`),
  };
}

function withSnippets(rows: readonly Row[], needles: readonly string[]): readonly Row[] {
  return rows.map(({ content, ...row }) => ({
    ...row,
    snippet: substringSnippet(typeof content === "string" ? content : text(row, "content"), needles),
  }));
}
