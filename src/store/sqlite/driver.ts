/** The SQLite library; it stands in the foundation because the agent's own memory uses it too. */
export {
  isBusy,
  isDamaged,
  isDiskFull,
  isNoTransaction,
  loadSqlite,
  type SqliteDriver,
  type SqliteHandle,
  type SqliteStatement,
} from "#foundation/files/sqlite";
