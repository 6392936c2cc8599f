import { readdir, stat } from "node:fs/promises";
import { basename } from "node:path";
import { describe, expect, it } from "vitest";
import type { SessionId } from "#conversation";
import { silentLogger } from "#foundation/files/logger";
import { never } from "#foundation/lifecycle/abort";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { systemClock } from "#foundation/time/clock";
import { openStore } from "../index.ts";
import { SqliteConnection } from "./connection.ts";
import { loadSqlite } from "./driver.ts";
import { backupPath, migrate, schemaState } from "./migrate.ts";
import { createOldDatabase, oldVersions } from "./testing/old-database.ts";
import { makeLocation } from "./testing/place.ts";

const deps = { clock: systemClock, log: silentLogger };
const first = "20250101_100000_aaaa" as SessionId;
const second = "20250101_110000_bbbb" as SessionId;

describe("a database of the predecessor", () => {
  it.each(oldVersions)("of version %i opens with everything in it [10:STORE-5] [10:A10.2]", async (version) => {
    await using location = await makeLocation();
    using old = await location.connect();
    createOldDatabase(old, version);
    old[Symbol.dispose]();
    await using store = await openStore({ path: location.path }, deps);
    const session = await store.sessions.get(first);
    expect(session).toMatchObject({ source: "cli", model: "gpt", modelConfig: { temperature: 1 }, messageCount: 3 });
    expect(session?.startedAtMs).toBe(1_735_725_600_500);
    expect(session?.title).toBe(version >= 3 ? "Zebra" : undefined);
    expect(session?.apiCallCount).toBe(version >= 8 ? 7 : 0);
    const messages = await store.messages.conversation(first);
    expect(messages.map((message) => [message.role, message.uid])).toEqual([
      ["user", "row_1"],
      ["assistant", "row_2"],
      ["tool", "row_3"],
    ]);
    expect(messages[1]).toMatchObject({ content: "", tool_calls: [{ id: "call_1" }] });
    expect(messages[1]).toMatchObject(version >= 7 ? { reasoning: "thinking", reasoning_content: "" } : {});
    expect(await store.sessions.resumeTarget(first)).toBe(second);
    expect((await store.search.messages("zebra")).length).toBe(2);
    expect((await store.search.messages("记忆")).length).toBe(1);
    expect((await store.maintenance.fsck()).problems).toEqual(["1 session with a wrong count of messages."]);
  });

  it("is copied beside itself before it is changed [10:STORE-5]", async () => {
    await using location = await makeLocation();
    using old = await location.connect();
    createOldDatabase(old, 3);
    old[Symbol.dispose]();
    const log = memoryLogger();
    await using _store = await openStore({ path: location.path }, { clock: systemClock, log });
    using backup = new SqliteConnection(await loadSqlite(), backupPath(location.path, 3), { busyTimeoutMs: 0 });
    expect(schemaState(backup)).toEqual({ kind: "old", version: 3 });
    expect(backup.get("SELECT count(*) AS n FROM messages")).toMatchObject({ n: 4 });
    expect((await readdir(location.folder)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
    expect(log.lines.some((line) => line.message.includes("upgrading"))).toBe(true);
  });

  it("on a full disk says that there is no space, in words one can act on [10:STORE-5]", async () => {
    await using location = await makeLocation();
    using connection = await location.connect();
    connection.exec("PRAGMA max_page_count = 4");
    await expect(migrate(connection, { path: location.path, signal: never, ...deps })).rejects.toMatchObject({
      code: "store_disk_full",
      hint: expect.stringContaining("disk space"),
    });
  });

  it("is not changed again by a second opening [10:A10.2]", async () => {
    await using location = await makeLocation();
    using old = await location.connect();
    createOldDatabase(old, 3);
    old[Symbol.dispose]();
    await (await openStore({ path: location.path }, deps))[Symbol.asyncDispose]();
    const before = await stat(location.path);
    using reader = await location.connect();
    const version = reader.get("PRAGMA schema_version");
    await (await openStore({ path: location.path }, deps))[Symbol.asyncDispose]();
    expect(reader.get("PRAGMA schema_version")).toEqual(version);
    expect((await stat(location.path)).size).toBe(before.size);
    expect(reader.get("SELECT version FROM schema_version")).toMatchObject({ version: 13 });
  });

  it("whose upgrade was cut off goes on where it stopped [10:STORE-5]", async () => {
    await using location = await makeLocation();
    using old = await location.connect();
    createOldDatabase(old, 4);
    // As if steps 5 and 6 had run, and 7 had added its column but died before setting the version.
    old.exec(
      "ALTER TABLE sessions ADD COLUMN cache_read_tokens INTEGER DEFAULT 0; UPDATE schema_version SET version = 6",
    );
    old.exec("ALTER TABLE messages ADD COLUMN reasoning_content TEXT");
    old[Symbol.dispose]();
    await using store = await openStore({ path: location.path }, deps);
    expect(await store.messages.count(first)).toBe(3);
  });

  it("with doubled titles or without an index is put right", async () => {
    await using location = await makeLocation();
    using old = await location.connect();
    createOldDatabase(old, 3);
    old.exec("UPDATE sessions SET title = 'Zebra'; DROP TABLE messages_fts; DROP TRIGGER messages_fts_insert");
    old.exec("DROP TRIGGER messages_fts_delete; DROP TRIGGER messages_fts_update");
    old[Symbol.dispose]();
    await using store = await openStore({ path: location.path }, deps);
    expect((await store.sessions.get(second))?.title).toBe("Zebra");
    expect((await store.sessions.get(first))?.title).toBe("Zebra (_100000_aaaa)");
    expect((await store.search.messages("zebra")).length).toBe(2);
  });

  it("keeps taking messages of old and new kind, each once", async () => {
    await using location = await makeLocation();
    using old = await location.connect();
    createOldDatabase(old, 9);
    await using store = await openStore({ path: location.path }, deps);
    const history = await store.messages.conversation(first);
    expect(await store.messages.append(first, history)).toEqual({ ids: [], uids: [], duplicates: 3 });
    expect(await store.messages.remove(first, ["row_3"])).toBe(1);
    // The predecessor may still be running on the same file.
    old.exec(
      `INSERT INTO messages (session_id, role, content, timestamp) VALUES ('${first}', 'user', 'from the old one', 1800000000)`,
    );
    expect((await store.messages.conversation(first)).at(-1)).toMatchObject({ content: "from the old one" });
    expect((await store.search.messages("old")).length).toBe(1);
  });
});

describe("a database of a newer program", () => {
  it("is refused, and opened as it is when told so [10:STORE-5]", async () => {
    await using location = await makeLocation();
    await (await openStore({ path: location.path }, deps))[Symbol.asyncDispose]();
    using raw = await location.connect();
    raw.exec("UPDATE schema_version SET version = 14");
    await expect(openStore({ path: location.path }, deps)).rejects.toThrow("version 14");
    const log = memoryLogger();
    await using store = await openStore({ path: location.path }, { clock: systemClock, log, onNewer: "open" });
    await store.messages.append(first, [{ role: "user", content: "hi" }]);
    expect(raw.get("SELECT version FROM schema_version")).toMatchObject({ version: 14 });
    expect(log.lines.map((line) => line.level)).toEqual(["warn"]);
    expect(
      (await readdir(location.folder)).map((name) => basename(name)).filter((name) => name.includes("bak")),
    ).toEqual([]);
  });
});
