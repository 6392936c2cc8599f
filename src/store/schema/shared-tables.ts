/** Version 11. */
export const documentTables: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS documents (
     kind TEXT NOT NULL, doc_key TEXT NOT NULL, value TEXT NOT NULL, written_at_ms BIGINT NOT NULL,
     expires_at_ms BIGINT, PRIMARY KEY (kind, doc_key))`,
  "CREATE INDEX IF NOT EXISTS idx_documents_age ON documents (kind, written_at_ms)",
];

/** Version 12, behind the new column. */
export const moneyIndex =
  "CREATE INDEX IF NOT EXISTS idx_usage_user ON usage_ledger (user_id, created_at_ms) WHERE user_id IS NOT NULL";

/**
 * The tables of version 10 that both databases share. The column types are words both understand; only
 * a growing id is said differently. Times are milliseconds since 1970 (`_ms`), JSON is text.
 */
export function sharedTables(growingId: string): readonly string[] {
  return [...reportTables(growingId), ...inboxTables(growingId), ...outboxTables(growingId), ...jobTables(growingId)];
}

function reportTables(growingId: string): readonly string[] {
  return [
    "CREATE TABLE IF NOT EXISTS state_meta (key TEXT PRIMARY KEY, value TEXT)",
    `CREATE TABLE IF NOT EXISTS turns (
       id TEXT PRIMARY KEY, session_id TEXT NOT NULL, turn_index BIGINT NOT NULL,
       started_at DOUBLE PRECISION NOT NULL, ended_at DOUBLE PRECISION NOT NULL, exit_reason TEXT NOT NULL,
       completed BIGINT NOT NULL, partial BIGINT NOT NULL, failed BIGINT NOT NULL, interrupted BIGINT NOT NULL,
       api_calls BIGINT NOT NULL, tool_calls BIGINT NOT NULL, input_tokens BIGINT NOT NULL,
       output_tokens BIGINT NOT NULL, cache_read_tokens BIGINT NOT NULL, cache_write_tokens BIGINT NOT NULL,
       reasoning_tokens BIGINT NOT NULL, model TEXT, provider TEXT, error_class TEXT, error_message TEXT)`,
    "CREATE INDEX IF NOT EXISTS idx_turns_session ON turns (session_id, turn_index)",
    "CREATE INDEX IF NOT EXISTS idx_turns_started ON turns (started_at)",
    `CREATE TABLE IF NOT EXISTS compression_events (
       id ${growingId}, session_id TEXT NOT NULL, new_session_id TEXT, created_at DOUBLE PRECISION NOT NULL,
       "trigger" TEXT NOT NULL, messages_before BIGINT, messages_after BIGINT, tokens_before BIGINT,
       tokens_after BIGINT, token_source TEXT, savings_pct DOUBLE PRECISION, pruned_results BIGINT, summary_model TEXT,
       summary_status TEXT, summary_tokens BIGINT, duration_ms BIGINT, prompt_reused BIGINT, changed_layers TEXT,
       focus_topic TEXT, attempt BIGINT)`,
    "CREATE INDEX IF NOT EXISTS idx_compression_session ON compression_events (session_id)",
    `CREATE TABLE IF NOT EXISTS session_events (
       id ${growingId}, session_id TEXT NOT NULL, kind TEXT NOT NULL, created_at_ms BIGINT NOT NULL, details TEXT)`,
    "CREATE INDEX IF NOT EXISTS idx_session_events ON session_events (session_id, id)",
    `CREATE TABLE IF NOT EXISTS usage_ledger (
       id TEXT PRIMARY KEY, session_id TEXT NOT NULL, root_session_id TEXT NOT NULL, purpose TEXT NOT NULL,
       provider TEXT, model TEXT, status TEXT NOT NULL, created_at_ms BIGINT NOT NULL, expires_at_ms BIGINT NOT NULL,
       reserved_usd DOUBLE PRECISION NOT NULL, cost_usd DOUBLE PRECISION, cost_status TEXT, input_tokens BIGINT,
       output_tokens BIGINT, cache_read_tokens BIGINT, cache_write_tokens BIGINT, reasoning_tokens BIGINT)`,
    "CREATE INDEX IF NOT EXISTS idx_usage_session ON usage_ledger (session_id)",
    "CREATE INDEX IF NOT EXISTS idx_usage_root ON usage_ledger (root_session_id)",
    "CREATE INDEX IF NOT EXISTS idx_usage_created ON usage_ledger (created_at_ms)",
  ];
}

function inboxTables(growingId: string): readonly string[] {
  return [
    `CREATE TABLE IF NOT EXISTS gw_inbox (
       id ${growingId}, dedup_key TEXT NOT NULL UNIQUE, platform TEXT NOT NULL, account TEXT NOT NULL,
       session_key TEXT NOT NULL, kind TEXT NOT NULL, event TEXT NOT NULL, status TEXT NOT NULL, turn_id TEXT,
       attempts BIGINT NOT NULL, available_at_ms BIGINT NOT NULL, received_at_ms BIGINT NOT NULL, done_at_ms BIGINT)`,
    `CREATE INDEX IF NOT EXISTS idx_gw_inbox_open ON gw_inbox (session_key, id)
       WHERE status IN ('pending', 'claimed')`,
    "CREATE INDEX IF NOT EXISTS idx_gw_inbox_waiting ON gw_inbox (available_at_ms) WHERE status = 'pending'",
    "CREATE INDEX IF NOT EXISTS idx_gw_inbox_done ON gw_inbox (status, done_at_ms)",
    `CREATE TABLE IF NOT EXISTS gw_cursor (
       platform TEXT NOT NULL, account TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL,
       PRIMARY KEY (platform, account, name))`,
    `CREATE TABLE IF NOT EXISTS gw_lease (
       name TEXT PRIMARY KEY, owner TEXT NOT NULL, fence BIGINT NOT NULL, expires_at_ms BIGINT NOT NULL)`,
    `CREATE TABLE IF NOT EXISTS gw_session (
       session_key TEXT PRIMARY KEY, session_id TEXT NOT NULL, platform TEXT NOT NULL, chat_type TEXT NOT NULL,
       chat_id TEXT, thread_id TEXT, user_id TEXT, created_at_ms BIGINT NOT NULL, updated_at_ms BIGINT NOT NULL,
       details TEXT NOT NULL)`,
    "CREATE INDEX IF NOT EXISTS idx_gw_session_id ON gw_session (session_id)",
    "CREATE INDEX IF NOT EXISTS idx_gw_session_chat ON gw_session (platform, chat_id, updated_at_ms)",
    `CREATE TABLE IF NOT EXISTS gw_turn (
       turn_id TEXT PRIMARY KEY, session_key TEXT NOT NULL, session_id TEXT NOT NULL, inbox_ids TEXT NOT NULL,
       fence BIGINT NOT NULL, status TEXT NOT NULL, step TEXT NOT NULL, started_at_ms BIGINT NOT NULL,
       heartbeat_at_ms BIGINT NOT NULL, attempts BIGINT NOT NULL, result TEXT)`,
    "CREATE INDEX IF NOT EXISTS idx_gw_turn_open ON gw_turn (heartbeat_at_ms) WHERE status IN ('running', 'awaiting')",
  ];
}

function outboxTables(growingId: string): readonly string[] {
  return [
    `CREATE TABLE IF NOT EXISTS gw_outbox (
       id ${growingId}, idempotency_key TEXT NOT NULL UNIQUE, session_key TEXT NOT NULL, platform TEXT NOT NULL,
       account TEXT NOT NULL, chat_id TEXT NOT NULL, thread_id TEXT, kind TEXT NOT NULL, payload TEXT NOT NULL,
       order_no BIGINT NOT NULL, status TEXT NOT NULL, attempts BIGINT NOT NULL, next_attempt_at_ms BIGINT NOT NULL,
       platform_message_id TEXT, error_class TEXT, created_at_ms BIGINT NOT NULL, sent_at_ms BIGINT)`,
    `CREATE INDEX IF NOT EXISTS idx_gw_outbox_open ON gw_outbox (platform, account, chat_id, order_no)
       WHERE status IN ('pending', 'sending', 'unknown')`,
    "CREATE INDEX IF NOT EXISTS idx_gw_outbox_chat ON gw_outbox (platform, account, chat_id, order_no)",
    "CREATE INDEX IF NOT EXISTS idx_gw_outbox_status ON gw_outbox (status, created_at_ms)",
  ];
}

function jobTables(growingId: string): readonly string[] {
  return [
    `CREATE TABLE IF NOT EXISTS cron_job (
       id TEXT PRIMARY KEY, name TEXT NOT NULL, enabled BIGINT NOT NULL, state TEXT NOT NULL, next_run_at_ms BIGINT,
       definition TEXT NOT NULL, created_at_ms BIGINT NOT NULL, updated_at_ms BIGINT NOT NULL)`,
    "CREATE INDEX IF NOT EXISTS idx_cron_job_due ON cron_job (next_run_at_ms) WHERE enabled = 1",
    `CREATE TABLE IF NOT EXISTS cron_run (
       id ${growingId}, job_id TEXT NOT NULL, scheduled_for_ms BIGINT NOT NULL, state TEXT NOT NULL,
       attempt BIGINT NOT NULL, owner TEXT, started_at_ms BIGINT NOT NULL, heartbeat_at_ms BIGINT NOT NULL,
       ended_at_ms BIGINT, error TEXT, details TEXT, UNIQUE (job_id, scheduled_for_ms))`,
    "CREATE INDEX IF NOT EXISTS idx_cron_run_open ON cron_run (heartbeat_at_ms) WHERE state = 'running'",
  ];
}
