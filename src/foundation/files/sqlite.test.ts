import { describe, expect, it } from "vitest";
import { isBusy, isDamaged, isDiskFull, isNoTransaction, loadSqlite } from "./sqlite.ts";

const failed = (errcode: number, message = "x"): Error => Object.assign(new Error(message), { errcode });

describe("the SQLite library", () => {
  it("has full-text search and makes no noise when it is loaded", async () => {
    const heard: unknown[] = [];
    const listen = (warning: unknown): void => void heard.push(warning);
    process.on("warning", listen);
    const { DatabaseSync } = await loadSqlite();
    const database = new DatabaseSync(":memory:");
    database.exec("CREATE VIRTUAL TABLE t USING fts5(a, tokenize='trigram')");
    database.close();
    await new Promise((resolve) => setImmediate(resolve));
    process.off("warning", listen);
    expect(heard).toEqual([]);
  });

  it("its errors are told apart by their code", () => {
    expect(isBusy(failed(5))).toBe(true);
    expect(isBusy(failed(6 | (1 << 8)))).toBe(true);
    expect(isBusy(failed(1))).toBe(false);
    expect(isBusy("database is locked")).toBe(false);
    expect(isDamaged(failed(26))).toBe(true);
    expect(isDiskFull(failed(13))).toBe(true);
    expect(isNoTransaction(failed(1, "cannot rollback - no transaction is active"))).toBe(true);
    expect(isNoTransaction(failed(1, "syntax error"))).toBe(false);
  });
});
