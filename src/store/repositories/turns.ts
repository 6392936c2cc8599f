import type { ExitReason, SessionId, TurnId } from "#conversation";
import type { Row } from "../database.ts";
import type { CompressionRecord, SessionEvent, StoredCompression, StoredTurn, TurnRecord } from "../records/turn.ts";
import { flag, json, jsonOrNull, maybeText, millis, number, orNull, text } from "../row.ts";
import type { Turns } from "../store.ts";
import type { RepositoryContext } from "./context.ts";

export class TurnRepository implements Turns {
  readonly #context: RepositoryContext;

  constructor(context: RepositoryContext) {
    this.#context = context;
  }

  async record(turn: TurnRecord): Promise<void> {
    await this.#context.db.transaction(async (tx) => {
      await tx.run(
        `INSERT INTO turns (id, session_id, turn_index, started_at, ended_at, exit_reason, completed, partial, failed,
           interrupted, api_calls, tool_calls, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens,
           reasoning_tokens, model, provider, error_class, error_message)
         VALUES (?, ?, (SELECT coalesce(max(turn_index), -1) + 1 FROM turns WHERE session_id = ?), ?, ?, ?, ?, ?, ?, ?, ?,
           ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
        [
          turn.id,
          turn.sessionId,
          turn.sessionId,
          turn.startedAtMs / 1000,
          turn.endedAtMs / 1000,
          turn.exitReason,
          turn.isCompleted ? 1 : 0,
          turn.isPartial ? 1 : 0,
          turn.isFailed ? 1 : 0,
          turn.isInterrupted ? 1 : 0,
          turn.apiCalls,
          turn.toolCalls,
          turn.usage.input,
          turn.usage.output,
          turn.usage.cacheRead,
          turn.usage.cacheWrite,
          turn.usage.reasoning,
          orNull(turn.model),
          orNull(turn.provider),
          orNull(turn.errorClass),
          orNull(turn.errorMessage),
        ],
      );
      await tx.run("UPDATE sessions SET last_exit_reason = ? WHERE id = ?", [turn.exitReason, turn.sessionId]);
    });
  }

  async list(sessionId: SessionId): Promise<readonly StoredTurn[]> {
    const rows = await this.#context.db.all("SELECT * FROM turns WHERE session_id = ? ORDER BY turn_index", [
      sessionId,
    ]);
    return rows.map(toTurn);
  }

  async recordCompression(record: CompressionRecord): Promise<void> {
    await this.#context.db.run(
      `INSERT INTO compression_events (session_id, new_session_id, created_at, "trigger", messages_before,
         messages_after, tokens_before, tokens_after, token_source, savings_pct, pruned_results, summary_model,
         summary_status, summary_tokens, duration_ms, prompt_reused, changed_layers, focus_topic, attempt)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [
        record.sessionId,
        orNull(record.newSessionId),
        this.#context.clock.now() / 1000,
        record.trigger,
        record.messagesBefore,
        record.messagesAfter,
        record.tokensBefore,
        record.tokensAfter,
        record.tokenSource,
        record.savingsPct,
        record.prunedResults,
        orNull(record.summaryModel),
        record.summaryStatus,
        record.summaryTokens,
        record.durationMs,
        record.isPromptReused ? 1 : 0,
        JSON.stringify(record.changedLayers),
        orNull(record.focusTopic),
        record.attempt,
      ],
    );
  }

  async compressions(sessionId: SessionId): Promise<readonly StoredCompression[]> {
    const rows = await this.#context.db.all("SELECT * FROM compression_events WHERE session_id = ? ORDER BY id", [
      sessionId,
    ]);
    return rows.map(toCompression);
  }

  async recordEvent(event: { sessionId: SessionId; kind: string; details?: unknown }): Promise<void> {
    await this.#context.db.run(
      "INSERT INTO session_events (session_id, kind, created_at_ms, details) VALUES (?, ?, ?, ?)",
      [event.sessionId, event.kind, this.#context.clock.now(), jsonOrNull(event.details)],
    );
  }

  async events(sessionId: SessionId): Promise<readonly SessionEvent[]> {
    const rows = await this.#context.db.all("SELECT * FROM session_events WHERE session_id = ? ORDER BY id", [
      sessionId,
    ]);
    return rows.map((row) => ({
      id: number(row, "id"),
      sessionId: text(row, "session_id") as SessionId,
      kind: text(row, "kind"),
      createdAtMs: number(row, "created_at_ms"),
      details: json(row, "details"),
    }));
  }
}

function toTurn(row: Row): StoredTurn {
  return {
    id: text(row, "id") as TurnId,
    sessionId: text(row, "session_id") as SessionId,
    turnIndex: number(row, "turn_index"),
    startedAtMs: millis(row, "started_at"),
    endedAtMs: millis(row, "ended_at"),
    exitReason: text(row, "exit_reason") as ExitReason,
    isCompleted: flag(row, "completed"),
    isPartial: flag(row, "partial"),
    isFailed: flag(row, "failed"),
    isInterrupted: flag(row, "interrupted"),
    apiCalls: number(row, "api_calls"),
    toolCalls: number(row, "tool_calls"),
    usage: {
      input: number(row, "input_tokens"),
      output: number(row, "output_tokens"),
      cacheRead: number(row, "cache_read_tokens"),
      cacheWrite: number(row, "cache_write_tokens"),
      reasoning: number(row, "reasoning_tokens"),
    },
    model: maybeText(row, "model"),
    provider: maybeText(row, "provider"),
    errorClass: maybeText(row, "error_class"),
    errorMessage: maybeText(row, "error_message"),
  };
}

function toCompression(row: Row): StoredCompression {
  const layers = json(row, "changed_layers");
  return {
    id: number(row, "id"),
    sessionId: text(row, "session_id") as SessionId,
    newSessionId: maybeText(row, "new_session_id") as SessionId | undefined,
    createdAtMs: millis(row, "created_at"),
    trigger: text(row, "trigger"),
    messagesBefore: number(row, "messages_before"),
    messagesAfter: number(row, "messages_after"),
    tokensBefore: number(row, "tokens_before"),
    tokensAfter: number(row, "tokens_after"),
    tokenSource: text(row, "token_source") as StoredCompression["tokenSource"],
    savingsPct: number(row, "savings_pct"),
    prunedResults: number(row, "pruned_results"),
    summaryModel: maybeText(row, "summary_model"),
    summaryStatus: text(row, "summary_status") as StoredCompression["summaryStatus"],
    summaryTokens: number(row, "summary_tokens"),
    durationMs: number(row, "duration_ms"),
    isPromptReused: flag(row, "prompt_reused"),
    changedLayers: Array.isArray(layers) ? layers.map(String) : [],
    focusTopic: maybeText(row, "focus_topic"),
    attempt: number(row, "attempt"),
  };
}
