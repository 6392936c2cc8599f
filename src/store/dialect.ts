/** The few facts in which the databases differ for the shared SQL. */
export interface Dialect {
  readonly name: "sqlite" | "postgres";
  /** Appended to a SELECT whose rows the transaction is about to change. */
  readonly forUpdate: string;
  /** LIKE without regard to case. */
  readonly like: string;
  /** Scalar maximum of several expressions. */
  readonly greatest: string;
  /** How ties and missing values are told apart: `IS` or `IS NOT DISTINCT FROM`. */
  readonly same: string;
}

export const sqliteDialect: Dialect = { name: "sqlite", forUpdate: "", like: "LIKE", greatest: "max", same: "IS" };

export const postgresDialect: Dialect = {
  name: "postgres",
  forUpdate: " FOR UPDATE",
  like: "ILIKE",
  greatest: "greatest",
  same: "IS NOT DISTINCT FROM",
};

/** `?` outside quotes becomes `$1`, `$2`, ... */
export function numberedParameters(sql: string): string {
  let count = 0;
  return sql.replace(/'(?:[^']|'')*'|\?/g, (piece) => {
    if (piece !== "?") return piece;
    count += 1;
    return `$${count}`;
  });
}
