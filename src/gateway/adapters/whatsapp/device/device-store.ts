import { chmodSync } from "node:fs";
import path from "node:path";
import { makeFolders } from "#foundation/files/make-folders";
import { loadSqlite, type SqliteHandle } from "#foundation/files/sqlite";
import { isRecord } from "#foundation/text/json";

/** A message as it waits for the gateway. */
export interface KeptMessage {
  readonly cursor: string;
  readonly body: string;
}

const dayMs = 86_400_000;
/** WhatsApp itself forgets files after some weeks, and the gateway asks for them within minutes. */
const mediaDays = 14;
const sentDays = 30;

/** All that the bridge keeps, in one private file: keys of the account, messages not fetched yet, and what was sent. */
export class DeviceStore implements Disposable {
  readonly #database: SqliteHandle;

  private constructor(database: SqliteHandle) {
    this.#database = database;
  }

  static async open(folder: string, nowMs: number): Promise<DeviceStore> {
    makeFolders(folder, 0o700);
    chmodSync(folder, 0o700);
    const { DatabaseSync } = await loadSqlite();
    const file = path.join(folder, "device.sqlite");
    const database = new DatabaseSync(file);
    chmodSync(file, 0o600);
    database.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA busy_timeout = 5000;
      CREATE TABLE IF NOT EXISTS secret (name TEXT PRIMARY KEY, value TEXT NOT NULL);
      CREATE TABLE IF NOT EXISTS message (cursor INTEGER PRIMARY KEY AUTOINCREMENT, body TEXT NOT NULL);
      CREATE TABLE IF NOT EXISTS media (id TEXT PRIMARY KEY, message TEXT NOT NULL, at INTEGER NOT NULL);
      CREATE TABLE IF NOT EXISTS sent (key TEXT PRIMARY KEY, id TEXT NOT NULL, at INTEGER NOT NULL);
    `);
    const store = new DeviceStore(database);
    // Positions go on growing when the file is made anew, so that an old one never hides a message.
    if (database.prepare("SELECT 1 FROM sqlite_sequence WHERE name = 'message'").get() === undefined)
      database.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES ('message', ?)").run(nowMs);
    database.prepare("DELETE FROM media WHERE at < ?").run(nowMs - mediaDays * dayMs);
    database.prepare("DELETE FROM sent WHERE at < ?").run(nowMs - sentDays * dayMs);
    return store;
  }

  secret(name: string): string | undefined {
    return text(this.#database.prepare("SELECT value AS text FROM secret WHERE name = ?").get(name));
  }

  /** All of them or none: half a change of keys would lock the account out. */
  setSecrets(changes: ReadonlyMap<string, string | undefined>): void {
    this.#together(() => {
      const [put, remove] = [
        this.#database.prepare("INSERT OR REPLACE INTO secret (name, value) VALUES (?, ?)"),
        this.#database.prepare("DELETE FROM secret WHERE name = ?"),
      ];
      for (const [name, value] of changes) value === undefined ? remove.run(name) : put.run(name, value);
    });
  }

  /** The device is not linked any more: nothing of the account stays but what was sent for it. */
  forgetAccount(): void {
    this.#together(() => this.#database.exec("DELETE FROM secret; DELETE FROM message; DELETE FROM media;"));
  }

  keep(body: string, file: { readonly id: string; readonly message: string; readonly atMs: number } | undefined): void {
    this.#together(() => {
      this.#database.prepare("INSERT INTO message (body) VALUES (?)").run(body);
      if (file === undefined) return;
      const put = this.#database.prepare("INSERT OR REPLACE INTO media (id, message, at) VALUES (?, ?, ?)");
      put.run(file.id, file.message, file.atMs);
    });
  }

  /** What came after a position; what stands before it was taken in and is removed. An unknown one gets everything. */
  after(position: string): readonly KeptMessage[] {
    const last = number(
      this.#database.prepare("SELECT seq AS number FROM sqlite_sequence WHERE name = 'message'").get(),
    );
    const after = /^\d{1,16}$/u.test(position) && Number(position) <= last ? Number(position) : 0;
    if (after > 0) this.#database.prepare("DELETE FROM message WHERE cursor <= ?").run(after);
    const rows = this.#database.prepare("SELECT cursor AS number, body AS text FROM message ORDER BY cursor LIMIT 200");
    return rows.all().map((row) => ({ cursor: String(number(row)), body: text(row) ?? "" }));
  }

  media(id: string): string | undefined {
    return text(this.#database.prepare("SELECT message AS text FROM media WHERE id = ?").get(id));
  }

  sentAs(key: string): string | undefined {
    return text(this.#database.prepare("SELECT id AS text FROM sent WHERE key = ?").get(key));
  }

  keyOf(id: string): string | undefined {
    return text(this.#database.prepare("SELECT key AS text FROM sent WHERE id = ?").get(id));
  }

  setSent(key: string, id: string, atMs: number): void {
    this.#database.prepare("INSERT OR REPLACE INTO sent (key, id, at) VALUES (?, ?, ?)").run(key, id, atMs);
  }

  #together(work: () => void): void {
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      work();
      this.#database.exec("COMMIT");
    } catch (error) {
      this.#database.exec("ROLLBACK");
      throw error;
    }
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}

function text(row: unknown): string | undefined {
  return isRecord(row) && typeof row["text"] === "string" ? row["text"] : undefined;
}

function number(row: unknown): number {
  return isRecord(row) && typeof row["number"] === "number" ? row["number"] : 0;
}
