import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { silentLogger } from "#foundation/files/logger";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { formatEntry, InputHistory, readEntries } from "./history.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hermes-history-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const historyAt = (file: string) =>
  new InputHistory({ file, isSecret: (text) => text.includes("sk-"), log: silentLogger });

describe("the input history", () => {
  it("goes on with an existing file and is newest first [20:R10.20]", async () => {
    const file = join(folder, ".hermes_history");
    await writeFile(file, "\n# 2025-01-01 10:00:00.000000\n+old one\n+second row\n\n# 2025-01-02\n+newer\n");
    const history = historyAt(file);
    history.add("now", new Date("2026-01-01T00:00:00Z"));
    await history.flush();
    expect(await history.load()).toEqual(["now", "newer", "old one\nsecond row"]);
    expect(await readFile(file, "utf8")).toContain("\n# 2026-01-01 00:00:00.000000\n+now\n");
  });

  it("never holds a secret, and belongs to its owner alone [20:R10.20]", async () => {
    const file = join(folder, "deep", ".hermes_history");
    const history = historyAt(file);
    history.add("my key is sk-123", new Date());
    history.add("fine", new Date());
    await history.flush();
    expect(await readFile(file, "utf8")).not.toContain("sk-123");
    expect((await stat(file)).mode & 0o077).toBe(0);
  });

  it("says when it cannot be read, and goes on [20:R10.20]", async () => {
    const log = memoryLogger();
    const history = new InputHistory({ file: folder, isSecret: () => false, log });
    expect(await history.load()).toEqual([]);
    expect(log.lines.map((line) => line.message)).toEqual(["The input history cannot be read."]);
  });

  it("reads back whatever was written [20:R10.20]", () => {
    const text = fc.string({ minLength: 1, maxLength: 60 }).filter((one) => !one.includes("\r"));
    fc.assert(
      fc.property(fc.uniqueArray(text, { maxLength: 8 }), (entries) => {
        const file = entries.map((entry) => formatEntry(entry, new Date(0))).join("");
        expect(readEntries(file)).toEqual([...entries].reverse());
      }),
    );
  });
});
