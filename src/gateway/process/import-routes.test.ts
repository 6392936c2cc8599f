import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SessionId } from "#conversation";
import { HermesHome } from "#foundation/files/paths";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { systemClock } from "#foundation/time/clock";
import { openStore } from "#store";
import { importRoutes } from "./import-routes.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "hermes-routes-"));
  await mkdir(path.join(folder, "sessions"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const id = "20260301_101500_0a1b2c3d" as SessionId;
const key = "agent:main:telegram:dm:12345";
/** As the predecessor wrote it. */
const entry = {
  session_key: key,
  session_id: id,
  created_at: "2026-03-01T10:15:00.000000",
  updated_at: "2026-03-02T08:00:00.000000",
  display_name: "Ann",
  platform: "telegram",
  chat_type: "dm",
  origin: { platform: "telegram", chat_id: 12345, chat_type: "dm", user_id: "7", user_name: "Ann", thread_id: null },
  total_tokens: 10,
  suspended: false,
};

async function imported(text: string) {
  const logger = memoryLogger();
  const store = await openStore({ memory: true }, { log: logger, clock: systemClock });
  await store.sessions.create({ id, source: "telegram", startedAtMs: Date.UTC(2026, 2, 1) });
  await writeFile(path.join(folder, "sessions", "sessions.json"), text);
  const deps = { home: new HermesHome(folder), store, clock: systemClock, logger };
  await importRoutes(deps);
  return { store, logger, deps, files: async () => (await readdir(path.join(folder, "sessions"))).sort() };
}

describe("the chats of an earlier version", () => {
  it("go on in the sessions they were in, once, each with one entry [40:SES-2] [40:SES-3]", async () => {
    const gone = { ...entry, session_key: "agent:main:telegram:dm:2", session_id: "20260301_101500_ffffffff" };
    const stuck = { ...entry, session_key: "agent:main:telegram:dm:3", suspended: true };
    const all = { [key]: entry, [gone.session_key]: gone, [stuck.session_key]: stuck, broken: 7 };
    const { store, deps, files } = await imported(JSON.stringify(all));
    expect(await store.routes.get("agent:main:telegram:private:12345")).toMatchObject({
      sessionKey: key,
      sessionId: id,
      platform: "telegram",
      chatType: "dm",
      chatId: "12345",
      userId: "7",
      updatedAtMs: Date.parse("2026-03-02T08:00:00.000000"),
      details: { name: "Ann" },
    });
    expect(await store.routes.list()).toHaveLength(1);
    expect(await files()).toEqual(["sessions.json.imported"]);
    const route = await store.routes.get(key);
    if (route === undefined) throw new Error("no route");
    await store.routes.put({ ...route, details: { name: "now" } });
    await writeFile(path.join(folder, "sessions", "sessions.json"), JSON.stringify(all));
    await importRoutes(deps);
    expect((await store.routes.get(key))?.details).toEqual({ name: "now" });
    await store[Symbol.asyncDispose]();
  });

  it("begin anew where their file is broken, which is kept aside; the sessions are there all the same [40:A-SES-11] [40:SES-3]", async () => {
    const { store, logger, files } = await imported('{"agent:main:telegram:dm:12345": {"session_id"');
    expect(await store.routes.list()).toEqual([]);
    expect(await files()).toEqual([expect.stringMatching(/^sessions\.json\.corrupt-\d+$/u)]);
    expect(logger.lines.some(({ level }) => level === "warn")).toBe(true);
    expect(await store.sessions.get(id)).toBeDefined();
    await store[Symbol.asyncDispose]();
  });
});
