import { placeholders, type SqlValue } from "../database.ts";
import type { SearchOptions } from "../records/message.ts";

export type SearchPage = Omit<SearchOptions, "signal" | "limit" | "offset"> & {
  readonly limit: number;
  readonly offset: number;
};

/** The conditions on role and source, each starting with AND, for `messages m` joined with `sessions s`. */
export function searchFilter(page: SearchPage): { readonly sql: string; readonly params: readonly SqlValue[] } {
  const lists = [
    ["s.source IN", page.sources],
    ["s.source NOT IN", page.excludeSources],
    ["m.role IN", page.roles],
  ] as const;
  const used = lists.filter(([, values]) => values !== undefined && values.length > 0);
  return {
    sql: used.map(([condition, values]) => ` AND ${condition} (${placeholders(values?.length ?? 0)})`).join(""),
    params: used.flatMap(([, values]) => [...(values ?? [])]),
  };
}

/** What every search selects about a hit; `content` is used for the snippet only. */
export const hitColumns =
  "m.id, m.uid, m.session_id, m.role, m.timestamp, m.tool_name, s.source, s.model, s.started_at";
