import { describe, expect, it } from "vitest";
import type { SessionId } from "#conversation";
import { silentLogger } from "#foundation/files/logger";
import { never } from "#foundation/lifecycle/abort";
import { systemClock } from "#foundation/time/clock";
import { openStore } from "../index.ts";
import { makeLocation } from "./testing/place.ts";

const deps = { clock: systemClock, log: silentLogger };
const id = "s" as SessionId;

async function damaged(sql: string): Promise<Awaited<ReturnType<typeof makeLocation>>> {
  const location = await makeLocation();
  const store = await openStore({ path: location.path }, deps);
  await store.messages.append(id, [
    { role: "user", content: "find the 记忆 lighthouse" },
    { role: "user", content: "second" },
  ]);
  await store.maintenance.indexPending(never);
  await store[Symbol.asyncDispose]();
  using connection = await location.connect();
  connection.exec("PRAGMA foreign_keys = OFF");
  connection.exec(sql);
  return location;
}

describe("fsck", () => {
  it("rebuilds a word index that does not fit, and proves that no message was lost", async () => {
    await using location = await damaged("INSERT INTO messages_fts(messages_fts) VALUES ('delete-all')");
    await using store = await openStore({ path: location.path }, deps);
    const found = await store.maintenance.fsck();
    expect(found.isHealthy).toBe(false);
    expect(found.problems[0]).toContain("word index");
    expect(found.repairs).toEqual([]);
    const mended = await store.maintenance.fsck({ repair: true });
    expect(mended.repairs).toEqual(["Built the word index anew."]);
    expect(mended).toMatchObject({ messagesBefore: 2, messagesAfter: 2 });
    expect(mended.fingerprintAfter).toBe(mended.fingerprintBefore);
    expect(await store.maintenance.fsck()).toMatchObject({ isHealthy: true });
    expect(await store.search.messages("lighthouse")).toHaveLength(1);
  });

  it("makes session rows for messages that lost theirs", async () => {
    await using location = await damaged("DELETE FROM sessions");
    await using store = await openStore({ path: location.path }, deps);
    const report = await store.maintenance.fsck({ repair: true });
    expect(report.problems[0]).toBe("2 messages belong to session s, which is missing.");
    expect(await store.sessions.get(id)).toMatchObject({ source: "recovered", messageCount: 2 });
    expect(await store.maintenance.fsck()).toMatchObject({ isHealthy: true });
  });

  it("counts messages again", async () => {
    await using location = await damaged("UPDATE sessions SET message_count = 77");
    await using store = await openStore({ path: location.path }, deps);
    expect((await store.maintenance.fsck({ repair: true })).repairs).toEqual([
      "Counted the messages of 1 session again.",
    ]);
    expect((await store.sessions.get(id))?.messageCount).toBe(2);
  });

  it("rebuilds a substring index that claims too much", async () => {
    await using location = await damaged("UPDATE state_meta SET value = '999' WHERE key = 'search.indexed_through'");
    await using store = await openStore({ path: location.path }, deps);
    const report = await store.maintenance.fsck({ repair: true });
    expect(report.repairs).toEqual(["Built the substring index anew over 2 messages."]);
    expect(await store.search.messages("记忆")).toHaveLength(1);
    expect(await store.search.messages("ighthous")).toHaveLength(1);
  });

  it("can be stopped", async () => {
    await using location = await damaged("SELECT 1");
    await using store = await openStore({ path: location.path }, deps);
    await expect(store.maintenance.fsck({ signal: AbortSignal.abort() })).rejects.toThrow();
  });
});
