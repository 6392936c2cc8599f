import type { SessionId } from "#conversation";
import { UserError } from "#foundation/errors";
import { continueCompressed } from "../continuation.ts";
import { likeLiteral, type SqlValue } from "../database.ts";
import { ancestors, descendants, resumeTarget, rootOf } from "../lineage.ts";
import type { AppendResult } from "../records/message.ts";
import type {
  BranchOptions,
  ContinuationOptions,
  ExportedSession,
  NewSession,
  PruneOptions,
  SessionListOptions,
  SessionPatch,
  SessionRecord,
  SessionSummary,
  TitleOutcome,
} from "../records/session.ts";
import { jsonOrNull, number, orNull, text } from "../row.ts";
import { toSession } from "../rows/session.ts";
import type { Sessions } from "../store.ts";
import { nextTitle, resolveTitle, setTitle } from "../titles.ts";
import { messageRowCount } from "../work/size.ts";
import type { RepositoryContext } from "./context.ts";

const defaultPruneDays = 90;

export class SessionRepository implements Sessions {
  readonly #context: RepositoryContext;

  constructor(context: RepositoryContext) {
    this.#context = context;
  }

  async create(session: NewSession): Promise<void> {
    const { db, clock } = this.#context;
    await db.transaction(async (tx) => {
      const parent = session.parentSessionId ?? null;
      const root = parent === null ? session.id : await rootOf(tx, parent as SessionId);
      await tx.run(
        `INSERT INTO sessions (id, source, user_id, model, model_config, system_prompt, parent_session_id,
           started_at, root_session_id, lineage)
         VALUES (?, ?, ?, ?, ?, ?, (SELECT id FROM sessions WHERE id = ?), ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
        [
          session.id,
          session.source,
          orNull(session.userId),
          orNull(session.model),
          jsonOrNull(session.modelConfig),
          orNull(session.systemPrompt),
          parent,
          (session.startedAtMs ?? clock.now()) / 1000,
          root,
          orNull(session.lineage),
        ],
      );
    });
  }

  async get(id: SessionId): Promise<SessionRecord | undefined> {
    const row = await this.#context.db.get("SELECT * FROM sessions WHERE id = ?", [id]);
    return row === undefined ? undefined : toSession(row);
  }

  async resolveId(idOrPrefix: string): Promise<SessionId | undefined> {
    const { db } = this.#context;
    if (idOrPrefix === "") return undefined;
    const exact = await db.get("SELECT id FROM sessions WHERE id = ?", [idOrPrefix]);
    if (exact !== undefined) return text(exact, "id") as SessionId;
    const rows = await db.all("SELECT id FROM sessions WHERE id LIKE ? ESCAPE '\\' LIMIT 2", [
      `${likeLiteral(idOrPrefix)}%`,
    ]);
    const [only, second] = rows;
    return only === undefined || second !== undefined ? undefined : (text(only, "id") as SessionId);
  }

  async update(id: SessionId, patch: SessionPatch): Promise<void> {
    const columns: [string, SqlValue | undefined][] = [
      ["source", patch.source],
      ["user_id", patch.userId],
      ["model", patch.model],
      ["model_config", patch.modelConfig === undefined ? undefined : jsonOrNull(patch.modelConfig)],
      ["system_prompt", patch.systemPrompt],
      ["prompt_fingerprint", patch.promptFingerprint],
      ["last_exit_reason", patch.lastExitReason],
      ["last_prompt_tokens", patch.lastPromptTokens],
    ];
    const changes = columns.filter((entry): entry is [string, SqlValue] => entry[1] !== undefined);
    if (changes.length === 0) return;
    await this.#context.db.run(
      `UPDATE sessions SET ${changes.map(([column]) => `${column} = ?`).join(", ")} WHERE id = ?`,
      [...changes.map(([, value]) => value), id],
    );
  }

  async end(id: SessionId, reason: string): Promise<void> {
    const { db, clock } = this.#context;
    await db.run("UPDATE sessions SET ended_at = ?, end_reason = ? WHERE id = ? AND ended_at IS NULL", [
      clock.now() / 1000,
      reason,
      id,
    ]);
  }

  async reopen(id: SessionId): Promise<void> {
    await this.#context.db.run("UPDATE sessions SET ended_at = NULL, end_reason = NULL WHERE id = ?", [id]);
  }

  async delete(id: SessionId): Promise<boolean> {
    const weightMs = (await this.#messageCount(id)) / 10;
    return (await this.#context.heavy.run("delete-sessions", { ids: [id] }, { weightMs })) === 1;
  }

  async list(options: SessionListOptions = {}): Promise<readonly SessionSummary[]> {
    const { signal, ...input } = options;
    const weightMs = (await messageRowCount(this.#context.db)) / 2000;
    return await this.#context.heavy.run("list-sessions", input, { weightMs, signal });
  }

  resumeTarget(id: SessionId): Promise<SessionId | undefined> {
    return resumeTarget(this.#context.db, id);
  }

  ancestors(id: SessionId): Promise<readonly SessionId[]> {
    return ancestors(this.#context.db, id);
  }

  descendants(id: SessionId): Promise<readonly SessionId[]> {
    return descendants(this.#context.db, id);
  }

  rootOf(id: SessionId): Promise<SessionId> {
    return rootOf(this.#context.db, id);
  }

  setTitle(id: SessionId, title: string): Promise<TitleOutcome> {
    return setTitle(this.#context.db, id, title);
  }

  resolveTitle(title: string): Promise<SessionId | undefined> {
    return resolveTitle(this.#context.db, title);
  }

  nextTitle(title: string): Promise<string> {
    return nextTitle(this.#context.db, title);
  }

  async branch(parent: SessionId, options: BranchOptions): Promise<SessionRecord> {
    const weightMs = (await this.#messageCount(parent)) / 5;
    const input = { parent, ...options, nowMs: this.#context.clock.now() };
    await this.#context.heavy.run("branch-session", input, { weightMs });
    return await this.#required(options.id);
  }

  async continueCompressed(parent: SessionId, options: ContinuationOptions): Promise<SessionRecord> {
    await this.#context.db.transaction((tx) => continueCompressed({ ...this.#context, db: tx }, parent, options));
    return await this.#required(options.id);
  }

  async export(id: SessionId): Promise<ExportedSession | undefined> {
    const weightMs = (await this.#messageCount(id)) / 50;
    return await this.#context.heavy.run("export-session", { id }, { weightMs });
  }

  async *exportAll(options: { source?: string; signal?: AbortSignal } = {}): AsyncIterable<ExportedSession> {
    const weightMs = (await messageRowCount(this.#context.db)) / 50;
    let after = "";
    for (;;) {
      const batch = await this.#context.heavy.run(
        "export-batch",
        { after, source: options.source },
        { weightMs, signal: options.signal },
      );
      yield* batch.sessions;
      if (batch.next === undefined) return;
      after = batch.next;
    }
  }

  async import(session: ExportedSession): Promise<AppendResult> {
    return await this.#context.heavy.run("import-session", { session }, { weightMs: session.messages.length / 5 });
  }

  async prune(options: PruneOptions = {}): Promise<number> {
    const days = options.olderThanDays ?? defaultPruneDays;
    if (!(days >= 0)) throw new UserError(`Cannot prune sessions older than ${days} days.`, { hint: "Give a number." });
    const nowMs = this.#context.clock.now();
    const input = {
      nowMs,
      startedBeforeS: nowMs / 1000 - days * 86_400,
      source: options.source,
      includeTitled: options.includeTitled ?? false,
    };
    return await this.#context.heavy.run("prune-sessions", input, { weightMs: Infinity, signal: options.signal });
  }

  async #messageCount(id: SessionId): Promise<number> {
    const row = await this.#context.db.get("SELECT message_count FROM sessions WHERE id = ?", [id]);
    return row === undefined ? 0 : number(row, "message_count");
  }

  async #required(id: SessionId): Promise<SessionRecord> {
    const session = await this.get(id);
    if (session === undefined) throw new UserError(`There is no session ${id}.`, { code: "session_not_found" });
    return session;
  }
}
