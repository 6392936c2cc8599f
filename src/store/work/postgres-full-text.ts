import { likeLiteral, type Row, type SqlValue } from "../database.ts";
import { maybeText } from "../row.ts";
import { hitColumns, type SearchPage, searchFilter } from "../search/filter.ts";
import { type QueryToken, usesOr, wantedTerms } from "../search/query.ts";
import { substringSnippet } from "../search/snippet.ts";
import { searchQuery } from "../search/vector.ts";
import { wordSnippet } from "../search/word-snippet.ts";
import type { WorkContext } from "./context.ts";

/** Search on PostgreSQL: words and character pairs in one index, parts of words by pattern where that finds nothing. */
const longestSnippetSource = 4_000;

export async function searchPostgres(
  context: WorkContext,
  tokens: readonly QueryToken[],
  page: SearchPage,
): Promise<readonly Row[]> {
  const terms = wantedTerms(tokens);
  const query = searchQuery(tokens);
  const found = query === undefined ? [] : await searchWords(context, query, page);
  if (found.length > 0 || page.offset > 0) return withSnippets(found, (content) => wordSnippet(content, terms));
  const needles = terms.map((term) => term.text);
  return withSnippets(await searchInsideWords(context, tokens, page), (content) => substringSnippet(content, needles));
}

async function searchWords(context: WorkContext, query: string, page: SearchPage): Promise<readonly Row[]> {
  const filter = searchFilter(page);
  return await context.db.all(
    `SELECT ${hitColumns}, left(m.content, ${longestSnippetSource}) AS content
     FROM messages m JOIN sessions s ON s.id = m.session_id, to_tsquery('simple', ?) AS q(query)
     WHERE m.search @@ q.query${filter.sql}
     ORDER BY ts_rank_cd(m.search, q.query) DESC, m.id DESC LIMIT ? OFFSET ?`,
    [query, ...filter.params, page.limit, page.offset],
  );
}

async function searchInsideWords(
  context: WorkContext,
  tokens: readonly QueryToken[],
  page: SearchPage,
): Promise<readonly Row[]> {
  const needles = wantedTerms(tokens).map((term) => `%${likeLiteral(term.text)}%`);
  const glue = usesOr(tokens) ? " OR " : " AND ";
  const filter = searchFilter(page);
  const params: SqlValue[] = [...needles, ...filter.params, page.limit, page.offset];
  return await context.db.all(
    `SELECT ${hitColumns}, left(m.content, ${longestSnippetSource}) AS content
     FROM messages m JOIN sessions s ON s.id = m.session_id
     WHERE (${needles.map(() => "m.content ILIKE ? ESCAPE '\\'").join(glue)})${filter.sql}
     ORDER BY m.id DESC LIMIT ? OFFSET ?`,
    params,
  );
}

function withSnippets(rows: readonly Row[], snippet: (content: string) => string): readonly Row[] {
  return rows.map((row) => ({ ...row, content: null, snippet: snippet(maybeText(row, "content") ?? "") }));
}
