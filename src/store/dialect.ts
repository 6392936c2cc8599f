/** The few facts in which the databases differ for the shared SQL. */
export interface Dialect {
  readonly name: "sqlite" | "postgres";
  /** Appended to a SELECT whose rows the transaction is about to change. */
  readonly forUpdate: string;
}

export const sqliteDialect: Dialect = { name: "sqlite", forUpdate: "" };
export const postgresDialect: Dialect = { name: "postgres", forUpdate: " FOR UPDATE" };

/** `?` outside quotes becomes `$1`, `$2`, ... */
export function numberedParameters(sql: string): string {
  let count = 0;
  return sql.replace(/'(?:[^']|'')*'|\?/g, (piece) => {
    if (piece !== "?") return piece;
    count += 1;
    return `$${count}`;
  });
}
