import type { Row } from "../database.ts";
import type { Document, NewDocument } from "../records/document.ts";
import { json, maybeNumber, number, orNull, text } from "../row.ts";
import type { Documents } from "../store.ts";
import type { RepositoryContext } from "./context.ts";

export class DocumentRepository implements Documents {
  readonly #context: RepositoryContext;

  constructor(context: RepositoryContext) {
    this.#context = context;
  }

  async put({ kind, key, value, expiresAtMs }: NewDocument): Promise<void> {
    const { db, clock } = this.#context;
    const nowMs = clock.now();
    await db.run(
      `INSERT INTO documents (kind, doc_key, value, written_at_ms, expires_at_ms) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (kind, doc_key) DO UPDATE SET value = excluded.value, written_at_ms = excluded.written_at_ms,
         expires_at_ms = excluded.expires_at_ms`,
      [kind, key, JSON.stringify(value), nowMs, orNull(expiresAtMs)],
    );
  }

  async get(kind: string, key: string): Promise<Document | undefined> {
    const row = await this.#context.db.get("SELECT * FROM documents WHERE kind = ? AND doc_key = ?", [kind, key]);
    return row === undefined ? undefined : toDocument(row);
  }

  async list(kind: string, { limit }: { limit: number }): Promise<readonly Document[]> {
    const { db, clock } = this.#context;
    const rows = await db.all(
      `SELECT * FROM documents WHERE kind = ? AND (expires_at_ms IS NULL OR expires_at_ms > ?)
       ORDER BY written_at_ms, doc_key LIMIT ?`,
      [kind, clock.now(), limit],
    );
    return rows.map(toDocument);
  }

  async remove(kind: string, key: string): Promise<boolean> {
    return (await this.#context.db.run("DELETE FROM documents WHERE kind = ? AND doc_key = ?", [kind, key])) === 1;
  }

  async trim(kind: string, most: number): Promise<void> {
    const { db, clock } = this.#context;
    await db.run("DELETE FROM documents WHERE kind = ? AND expires_at_ms < ?", [kind, clock.now()]);
    await db.run(
      `DELETE FROM documents WHERE kind = ? AND doc_key NOT IN (
         SELECT doc_key FROM documents WHERE kind = ? ORDER BY written_at_ms DESC, doc_key LIMIT ?)`,
      [kind, kind, most],
    );
  }
}

function toDocument(row: Row): Document {
  return {
    kind: text(row, "kind"),
    key: text(row, "doc_key"),
    value: json(row, "value"),
    writtenAtMs: number(row, "written_at_ms"),
    expiresAtMs: maybeNumber(row, "expires_at_ms"),
  };
}
