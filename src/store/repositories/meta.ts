import { maybeText } from "../row.ts";
import type { Meta } from "../store.ts";
import type { RepositoryContext } from "./context.ts";

export class MetaRepository implements Meta {
  readonly #context: RepositoryContext;

  constructor(context: RepositoryContext) {
    this.#context = context;
  }

  async get(key: string): Promise<string | undefined> {
    const row = await this.#context.db.get("SELECT value FROM state_meta WHERE key = ?", [key]);
    return row === undefined ? undefined : maybeText(row, "value");
  }

  async set(key: string, value: string): Promise<void> {
    await this.#context.db.run(
      "INSERT INTO state_meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
      [key, value],
    );
  }

  async delete(key: string): Promise<void> {
    await this.#context.db.run("DELETE FROM state_meta WHERE key = ?", [key]);
  }

  async compareAndSet(key: string, expected: string | undefined, value: string): Promise<boolean> {
    const { db } = this.#context;
    const changed =
      expected === undefined
        ? await db.run("INSERT INTO state_meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO NOTHING", [key, value])
        : await db.run("UPDATE state_meta SET value = ? WHERE key = ? AND value = ?", [value, key, expected]);
    return changed === 1;
  }
}
