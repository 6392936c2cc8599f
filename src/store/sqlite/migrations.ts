import { documentTables, moneyIndex, sharedTables } from "../schema/shared-tables.ts";
import type { SqliteConnection } from "./connection.ts";

/**
 * From any version of the file to the current one. Each step runs in a transaction of its own that also
 * sets the version, so an upgrade that is cut off goes on where it stopped. A step tolerates what is there
 * already: files exist whose version and columns disagree.
 */
export interface Migration {
  readonly version: number;
  readonly name: string;
  apply(connection: SqliteConnection): void;
}

export const migrations: readonly Migration[] = [
  { version: 1, name: "sessions, messages, word index", apply: createFirstTables },
  { version: 2, name: "finish reason", apply: (c) => addColumns(c, "messages", ["finish_reason TEXT"]) },
  { version: 3, name: "titles", apply: (c) => addColumns(c, "sessions", ["title TEXT"]) },
  { version: 4, name: "unique titles", apply: makeTitlesUnique },
  { version: 5, name: "tokens and cost", apply: (c) => addColumns(c, "sessions", costColumns) },
  {
    version: 6,
    name: "reasoning",
    apply: (c) => addColumns(c, "messages", ["reasoning TEXT", "reasoning_details TEXT", "codex_reasoning_items TEXT"]),
  },
  { version: 7, name: "reasoning content", apply: (c) => addColumns(c, "messages", ["reasoning_content TEXT"]) },
  { version: 8, name: "call count", apply: (c) => addColumns(c, "sessions", ["api_call_count INTEGER DEFAULT 0"]) },
  { version: 9, name: "message items", apply: (c) => addColumns(c, "messages", ["codex_message_items TEXT"]) },
  { version: 10, name: "uids, lineage, turns, gateway, jobs, substring index", apply: addVersionTen },
  {
    version: 11,
    name: "documents",
    apply: (c) => {
      for (const statement of documentTables) c.exec(statement);
    },
  },
  {
    version: 12,
    name: "whose money a call spent",
    apply: (c) => {
      addColumns(c, "usage_ledger", ["user_id TEXT"]);
      c.exec(moneyIndex);
    },
  },
  {
    version: 13,
    name: "tokens that nobody counted",
    apply: (c) => {
      addColumns(c, "sessions", ["estimated_calls INTEGER DEFAULT 0"]);
      addColumns(c, "usage_ledger", ["is_estimated INTEGER DEFAULT 0"]);
    },
  },
];

const costColumns = [
  "cache_read_tokens INTEGER DEFAULT 0",
  "cache_write_tokens INTEGER DEFAULT 0",
  "reasoning_tokens INTEGER DEFAULT 0",
  "billing_provider TEXT",
  "billing_base_url TEXT",
  "billing_mode TEXT",
  "estimated_cost_usd REAL",
  "actual_cost_usd REAL",
  "cost_status TEXT",
  "cost_source TEXT",
  "pricing_version TEXT",
];

function createFirstTables(connection: SqliteConnection): void {
  connection.exec(`
    CREATE TABLE IF NOT EXISTS sessions (
      id TEXT PRIMARY KEY, source TEXT NOT NULL, user_id TEXT, model TEXT, model_config TEXT, system_prompt TEXT,
      parent_session_id TEXT, started_at REAL NOT NULL, ended_at REAL, end_reason TEXT,
      message_count INTEGER DEFAULT 0, tool_call_count INTEGER DEFAULT 0,
      input_tokens INTEGER DEFAULT 0, output_tokens INTEGER DEFAULT 0,
      FOREIGN KEY (parent_session_id) REFERENCES sessions(id));
    CREATE TABLE IF NOT EXISTS messages (
      id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL REFERENCES sessions(id), role TEXT NOT NULL,
      content TEXT, tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL, token_count INTEGER);
    CREATE INDEX IF NOT EXISTS idx_sessions_source ON sessions(source);
    CREATE INDEX IF NOT EXISTS idx_sessions_parent ON sessions(parent_session_id);
    CREATE INDEX IF NOT EXISTS idx_sessions_started ON sessions(started_at DESC);
    CREATE INDEX IF NOT EXISTS idx_messages_session ON messages(session_id, timestamp);`);
  ensureWordIndex(connection);
}

/** Two sessions may not share a title; the older one gets the end of its id behind it. */
function makeTitlesUnique(connection: SqliteConnection): void {
  connection.exec(`
    UPDATE sessions SET title = substr(title, 1, 80) || ' (' || substr(id, -12) || ')'
    WHERE title IS NOT NULL AND EXISTS (
      SELECT 1 FROM sessions other WHERE other.title = sessions.title AND other.rowid > sessions.rowid);
    CREATE UNIQUE INDEX IF NOT EXISTS idx_sessions_title_unique ON sessions(title) WHERE title IS NOT NULL;`);
}

function addVersionTen(connection: SqliteConnection): void {
  addColumns(connection, "sessions", [
    "root_session_id TEXT",
    "prompt_fingerprint TEXT",
    "last_exit_reason TEXT",
    "last_prompt_tokens INTEGER",
    "lineage TEXT",
  ]);
  addColumns(connection, "messages", ["content_parts TEXT", "extra TEXT", "uid TEXT"]);
  connection.exec(
    "CREATE UNIQUE INDEX IF NOT EXISTS idx_messages_uid ON messages(session_id, uid) WHERE uid IS NOT NULL",
  );
  ensureWordIndex(connection);
  ensureGramIndex(connection);
  for (const statement of sharedTables("INTEGER PRIMARY KEY AUTOINCREMENT")) connection.exec(statement);
}

/** The word index and its triggers; an index that had to be made is filled. */
function ensureWordIndex(connection: SqliteConnection): void {
  const isThere = hasTable(connection, "messages_fts");
  connection.exec(`
    CREATE VIRTUAL TABLE IF NOT EXISTS messages_fts USING fts5(content, content=messages, content_rowid=id);
    CREATE TRIGGER IF NOT EXISTS messages_fts_insert AFTER INSERT ON messages BEGIN
      INSERT INTO messages_fts(rowid, content) VALUES (new.id, new.content);
    END;
    CREATE TRIGGER IF NOT EXISTS messages_fts_delete AFTER DELETE ON messages BEGIN
      INSERT INTO messages_fts(messages_fts, rowid, content) VALUES ('delete', old.id, old.content);
    END;
    CREATE TRIGGER IF NOT EXISTS messages_fts_update AFTER UPDATE OF content ON messages BEGIN
      INSERT INTO messages_fts(messages_fts, rowid, content) VALUES ('delete', old.id, old.content);
      INSERT INTO messages_fts(rowid, content) VALUES (new.id, new.content);
    END;`);
  if (!isThere) connection.exec("INSERT INTO messages_fts(messages_fts) VALUES ('rebuild')");
}

function ensureGramIndex(connection: SqliteConnection): void {
  connection.exec(`
    CREATE VIRTUAL TABLE IF NOT EXISTS messages_grams
      USING fts5(grams, content='', columnsize=0, detail=none, tokenize='ascii');
    CREATE TABLE IF NOT EXISTS search_words (id INTEGER PRIMARY KEY, word TEXT NOT NULL UNIQUE);
    CREATE VIRTUAL TABLE IF NOT EXISTS search_words_fts
      USING fts5(word, content='', columnsize=0, detail=none, tokenize='trigram');`);
}

export function hasTable(connection: SqliteConnection, name: string): boolean {
  return connection.get("SELECT 1 AS one FROM sqlite_schema WHERE name = ?", [name]) !== undefined;
}

function addColumns(connection: SqliteConnection, table: string, columns: readonly string[]): void {
  const existing = new Set(connection.all(`SELECT name FROM pragma_table_info('${table}')`).map((row) => row.name));
  for (const column of columns) {
    const [name] = column.split(" ");
    if (name !== undefined && !existing.has(name)) connection.exec(`ALTER TABLE ${table} ADD COLUMN ${column}`);
  }
}
