import type { SqliteConnection } from "../connection.ts";

/**
 * Files as the predecessor left them, version by version, with rows in them. Written from its tables,
 * not from our migrations, so that a mistake in those shows.
 */
export const oldVersions = [1, 2, 3, 4, 5, 6, 7, 8, 9] as const;

export function createOldDatabase(connection: SqliteConnection, version: number): void {
  const since = (first: number, ...columns: readonly string[]): string =>
    version >= first ? columns.map((column) => `, ${column}`).join("") : "";
  connection.exec(`
    CREATE TABLE schema_version (version INTEGER NOT NULL);
    INSERT INTO schema_version (version) VALUES (${version});
    CREATE TABLE sessions (
      id TEXT PRIMARY KEY, source TEXT NOT NULL, user_id TEXT, model TEXT, model_config TEXT, system_prompt TEXT,
      parent_session_id TEXT, started_at REAL NOT NULL, ended_at REAL, end_reason TEXT, message_count INTEGER DEFAULT 0,
      tool_call_count INTEGER DEFAULT 0, input_tokens INTEGER DEFAULT 0, output_tokens INTEGER DEFAULT 0
      ${since(3, "title TEXT")}
      ${since(5, "cache_read_tokens INTEGER DEFAULT 0", "cache_write_tokens INTEGER DEFAULT 0", "reasoning_tokens INTEGER DEFAULT 0", "billing_provider TEXT", "billing_base_url TEXT", "billing_mode TEXT", "estimated_cost_usd REAL", "actual_cost_usd REAL", "cost_status TEXT", "cost_source TEXT", "pricing_version TEXT")}
      ${since(8, "api_call_count INTEGER DEFAULT 0")},
      FOREIGN KEY (parent_session_id) REFERENCES sessions(id));
    CREATE TABLE messages (
      id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL REFERENCES sessions(id), role TEXT NOT NULL,
      content TEXT, tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL, token_count INTEGER
      ${since(2, "finish_reason TEXT")}
      ${since(6, "reasoning TEXT", "reasoning_details TEXT", "codex_reasoning_items TEXT")}
      ${since(7, "reasoning_content TEXT")}
      ${since(9, "codex_message_items TEXT")});
    CREATE INDEX idx_sessions_source ON sessions(source);
    CREATE INDEX idx_sessions_parent ON sessions(parent_session_id);
    CREATE INDEX idx_sessions_started ON sessions(started_at DESC);
    CREATE INDEX idx_messages_session ON messages(session_id, timestamp);
    CREATE VIRTUAL TABLE messages_fts USING fts5(content, content=messages, content_rowid=id);
    CREATE TRIGGER messages_fts_insert AFTER INSERT ON messages BEGIN
      INSERT INTO messages_fts(rowid, content) VALUES (new.id, new.content);
    END;
    CREATE TRIGGER messages_fts_delete AFTER DELETE ON messages BEGIN
      INSERT INTO messages_fts(messages_fts, rowid, content) VALUES('delete', old.id, old.content);
    END;
    CREATE TRIGGER messages_fts_update AFTER UPDATE ON messages BEGIN
      INSERT INTO messages_fts(messages_fts, rowid, content) VALUES('delete', old.id, old.content);
      INSERT INTO messages_fts(rowid, content) VALUES (new.id, new.content);
    END;`);
  if (version >= 4)
    connection.exec("CREATE UNIQUE INDEX idx_sessions_title_unique ON sessions(title) WHERE title IS NOT NULL");
  addRows(connection, version);
}

function addRows(connection: SqliteConnection, version: number): void {
  connection.exec(`
    INSERT INTO sessions (id, source, user_id, model, model_config, started_at, ended_at, end_reason, message_count, tool_call_count, input_tokens, output_tokens)
      VALUES ('20250101_100000_aaaa', 'cli', 'u', 'gpt', '{"temperature":1}', 1735725600.5, 1735729200, 'compression', 3, 1, 100, 50);
    INSERT INTO sessions (id, source, parent_session_id, started_at) VALUES ('20250101_110000_bbbb', 'cli', '20250101_100000_aaaa', 1735729200);
    INSERT INTO messages (session_id, role, content, timestamp) VALUES ('20250101_100000_aaaa', 'user', 'please list the zebra files', 1735725601);
    INSERT INTO messages (session_id, role, content, tool_calls, timestamp) VALUES ('20250101_100000_aaaa', 'assistant', NULL,
      '[{"id":"call_1","type":"function","function":{"name":"terminal","arguments":"{}"}}]', 1735725602);
    INSERT INTO messages (session_id, role, content, tool_call_id, tool_name, timestamp) VALUES ('20250101_100000_aaaa', 'tool', 'zebra.txt 记忆断裂', 'call_1', 'terminal', 1735725603);
    INSERT INTO messages (session_id, role, content, timestamp) VALUES ('20250101_110000_bbbb', 'user', 'go on', 1735729201);`);
  if (version >= 3) connection.exec("UPDATE sessions SET title = 'Zebra' WHERE id = '20250101_100000_aaaa'");
  if (version >= 6) connection.exec("UPDATE messages SET reasoning = 'thinking' WHERE role = 'assistant'");
  if (version >= 7) connection.exec("UPDATE messages SET reasoning_content = '' WHERE role = 'assistant'");
  if (version >= 8) connection.exec("UPDATE sessions SET api_call_count = 7 WHERE id = '20250101_100000_aaaa'");
}
