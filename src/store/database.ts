import type { Dialect } from "./dialect.ts";

/**
 * The seam between the repositories and a database. SQL is written once, with `?` for parameters;
 * what differs between databases is in {@link Dialect} and in the search folder.
 *
 * 1. A statement outside a transaction is a transaction of its own.
 * 2. Inside `transaction` only the handle given to the function may be used: the outer one waits for the end.
 * 3. A transaction inside a transaction joins it: both are kept or neither is.
 */
export type SqlValue = string | number | null | Uint8Array;
export type Row = Readonly<Record<string, SqlValue>>;
export type SqlParams = readonly SqlValue[];

export interface TransactionOptions {
  /** On disk, not only with the operating system, before the call returns. */
  readonly isDurable?: boolean;
  /** Stops waiting for the lock; a transaction that has begun is not cut short. */
  readonly signal?: AbortSignal;
}

export interface Database {
  readonly dialect: Dialect;
  all(sql: string, params?: SqlParams): Promise<readonly Row[]>;
  get(sql: string, params?: SqlParams): Promise<Row | undefined>;
  /** The number of rows inserted, changed or deleted. */
  run(sql: string, params?: SqlParams): Promise<number>;
  /** Once what was written here is committed; outside of a transaction at once. */
  afterCommit(act: () => void): void;
  transaction<T>(fn: (tx: Database) => Promise<T>, options?: TransactionOptions): Promise<T>;
}

/** `?, ?, ?` for a list of values. */
export function placeholders(count: number): string {
  return Array.from({ length: count }, () => "?").join(", ");
}

/** Escapes what `LIKE ... ESCAPE '\'` would take for a wildcard. */
export function likeLiteral(text: string): string {
  return text.replace(/[\\%_]/g, (character) => `\\${character}`);
}
