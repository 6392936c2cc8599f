import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { loadSqlite } from "./driver.ts";
import { scanRows } from "./page-scan.ts";

const folder = mkdtempSync(path.join(tmpdir(), "hermes-scan-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const value = fc.oneof(
  fc.constant(null),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter((number) => !Number.isInteger(number)),
  fc.string({ unit: "grapheme", maxLength: 40 }),
  // Longer than a page: it goes on elsewhere.
  fc.integer({ min: 4_000, max: 30_000 }).map((length) => "long ".repeat(length / 5)),
);
const rowsOfValues = fc.uniqueArray(fc.tuple(fc.maxSafeInteger(), value, value), {
  selector: ([id]) => id,
  maxLength: 60,
});

describe("rows read from the pages of a file", () => {
  it("are those SQLite gives", async () => {
    const { DatabaseSync } = await loadSqlite();
    let run = 0;
    fc.assert(
      fc.property(rowsOfValues, (rows) => {
        run += 1;
        const file = path.join(folder, `${run}.db`);
        const db = new DatabaseSync(file);
        db.exec("CREATE TABLE t (id INTEGER PRIMARY KEY, a, b, c)");
        const insert = db.prepare("INSERT INTO t (id, a, b, c) VALUES (?, ?, ?, 'mark')");
        for (const row of rows) insert.run(...row);
        const wanted = db
          .prepare("SELECT id, a, b FROM t ORDER BY id")
          .all()
          .map((row) => Object.values(row as object));
        db.close();
        const found = [...scanRows(readFileSync(file))].flatMap(({ rowid, values: [id, a, b, mark] }) =>
          mark === "mark" && id === null ? [[rowid, a, b]] : [],
        );
        expect(found.sort(byId)).toEqual(wanted);
      }),
      { numRuns: 60 },
    );
  });

  it("never make it fail, whatever the bytes are", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 9_000 }), (bytes) => {
        const file = Buffer.from(bytes);
        if (file.length > 4_100) file[0] = 0x0d;
        for (const { values } of scanRows(file)) expect(values.length).toBeLessThanOrEqual(200);
      }),
    );
  });
});

function byId(left: readonly unknown[], right: readonly unknown[]): number {
  return Number(left[0]) - Number(right[0]);
}
