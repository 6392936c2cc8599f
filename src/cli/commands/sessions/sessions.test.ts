import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { assistantMessage, type SessionId, userMessage } from "#conversation";
import { ensureDir } from "#foundation/files/files";
import { silentLogger } from "#foundation/files/logger";
import { systemClock } from "#foundation/time/clock";
import { openStore, type Store } from "#store";
import { runCli, temporaryHome } from "../../testing.ts";

const dayMs = 86_400_000;
const first = "20261101_100000_aaaa1111" as SessionId;
const second = "20261102_100000_bbbb2222" as SessionId;
const hidden = "20261103_100000_cccc3333" as SessionId;

let location: ReturnType<typeof temporaryHome>;
const hermes = (...args: string[]) => runCli(args, { home: location.home });
const json = async (...args: string[]) =>
  JSON.parse((await hermes(...args, "--json")).stdout) as Record<string, unknown>;

beforeEach(() => {
  location = temporaryHome();
});
afterEach(() => location.remove());

async function withStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
  await ensureDir(location.home);
  await using store = await openStore(
    { path: path.join(location.home, "state.db") },
    { clock: systemClock, log: silentLogger },
  );
  return await work(store);
}

async function someSessions(): Promise<void> {
  await withStore(async (store) => {
    const nowMs = systemClock.now();
    await store.sessions.create({ id: first, source: "cli", model: "m1", startedAtMs: nowMs - 60 * dayMs });
    await store.messages.append(first, [
      userMessage("where do walnuts grow?", { uid: "u1" }),
      assistantMessage("On trees. My key is sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789.", { uid: "u2" }),
    ]);
    await store.sessions.create({ id: second, source: "telegram", startedAtMs: nowMs - dayMs });
    await store.messages.append(second, [userMessage("plan the garden", { uid: "u3" })]);
    await store.sessions.create({ id: hidden, source: "tool", startedAtMs: nowMs });
    await store.messages.append(hidden, [userMessage("not for people", { uid: "u4" })]);
  });
}

describe("hermes sessions", () => {
  it("lists nothing before there is anything, and makes no database by looking [20:R11.14]", async () => {
    expect(await hermes("sessions", "list")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("no sessions yet"),
    });
    expect(await json("sessions", "list")).toEqual({ schema_version: 1, sessions: [] });
    expect(await json("sessions", "stats")).toMatchObject({ sessions: 0 });
  });

  it("lists the newest first as one document and hides those of tools [20:A8.8][20:R11.14]", async () => {
    await someSessions();
    const { sessions } = (await json("sessions", "list")) as { sessions: { id: string; last_active_ms: number }[] };
    expect(sessions.map(({ id }) => id)).toEqual(expect.arrayContaining([first, second]));
    expect(sessions).toHaveLength(2);
    expect(sessions[0]).toHaveProperty("message_count");
    const text = (await hermes("sessions", "list")).stdout;
    expect(text).toMatch(/^Preview +Last Active +Src +ID/);
    await hermes("sessions", "rename", first, "Walnuts");
    expect((await hermes("sessions", "list", "--limit", "5")).stdout).toMatch(/^Title +Preview +Last Active +ID/);
  });

  it("shows, searches and finds by the beginning of an id or by title [20:R11.17]", async () => {
    await someSessions();
    const shown = await hermes("sessions", "show", "20261101");
    expect(shown.stdout).toContain("where do walnuts grow?");
    expect(shown.stdout).not.toContain("abcdefghijklmnopqrstuvwxyz0123456789");
    expect(await json("sessions", "search", "walnuts")).toMatchObject({ hits: [{ session_id: first }] });
    await hermes("sessions", "rename", second, "Garden", "plans");
    expect((await hermes("sessions", "show", "Garden plans")).stdout).toContain("plan the garden");
    expect(await hermes("sessions", "show", "nosuch")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("hermes sessions list"),
    });
  });

  it("exports one session as one JSON line with its messages, credentials masked [20:A11.6][20:R11.17]", async () => {
    await someSessions();
    const { stdout } = await hermes("sessions", "export", "-", "--session-id", first);
    expect(stdout.trimEnd().split("\n")).toHaveLength(1);
    expect(JSON.parse(stdout)).toMatchObject({ id: first, messages: [{ content: "where do walnuts grow?" }, {}] });
    expect(stdout).not.toContain("abcdefghijklmnopqrstuvwxyz0123456789");
    expect((await hermes("sessions", "export", "-", "--session-id", first, "--raw")).stdout).toContain(
      "abcdefghijklmnopqrstuvwxyz0123456789",
    );
  });

  it("exports all to a file and reads them into another home without doubling [20:R11.13][20:R11.17]", async () => {
    await someSessions();
    const file = path.join(location.home, "all.jsonl");
    expect((await hermes("sessions", "export", file)).code).toBe(0);
    expect(readFileSync(file, "utf8").trimEnd().split("\n")).toHaveLength(3);
    const other = path.join(location.home, "..", "other");
    await ensureDir(other);
    const into = await runCli(["sessions", "import", file, "--json"], { home: other });
    expect(JSON.parse(into.stdout)).toMatchObject({ sessions: 3, messages: 4, already_there: 0 });
    const again = await runCli(["sessions", "import", file, "--json"], { home: other });
    expect(JSON.parse(again.stdout)).toMatchObject({ messages: 0, already_there: 4 });
    writeFileSync(file, "{}\n");
    expect(await runCli(["sessions", "import", file], { home: other })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Line 1"),
    });
  });

  it("refuses a title that another session has [20:A11.7]", async () => {
    await someSessions();
    expect((await hermes("sessions", "rename", first, "taken")).code).toBe(0);
    expect(await hermes("sessions", "rename", second, "taken")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(first),
    });
  });

  it("prunes ended sessions only, however old an open one is [20:A11.5]", async () => {
    await someSessions();
    expect(JSON.parse((await hermes("sessions", "prune", "--older-than", "30", "-y", "--json")).stdout)).toMatchObject({
      deleted: 0,
    });
    await withStore((store) => store.sessions.end(first, "user_exit"));
    expect(JSON.parse((await hermes("sessions", "prune", "--older-than", "30", "-y", "--json")).stdout)).toMatchObject({
      deleted: 1,
    });
    expect((await hermes("sessions", "show", first)).code).toBe(1);
    expect((await hermes("sessions", "show", second)).code).toBe(0);
  });

  it("deletes after a yes, and refuses without anybody to ask [20:R11.14]", async () => {
    await someSessions();
    expect((await hermes("sessions", "delete", second)).code).toBe(1);
    expect((await runCli(["sessions", "delete", second], { home: location.home, typed: ["y"] })).code).toBe(0);
    expect((await hermes("sessions", "show", second)).code).toBe(1);
  });

  it("counts, and checks the database [20:R11.14]", async () => {
    await someSessions();
    expect(await json("sessions", "stats")).toMatchObject({ sessions: 3, messages: 4 });
    expect(await json("sessions", "fsck")).toMatchObject({ is_healthy: true, is_every_message_kept: true });
  });
});

describe("a conversation that compression has cut into parts", () => {
  it("is found at its last part, by the id of any, and not at a branch of it [10:STORE-11]", async () => {
    const part = (name: string) => `20261101_10000${name}_aaaa1111` as SessionId;
    await withStore(async (store) => {
      await store.sessions.create({ id: part("0"), source: "cli" });
      await store.sessions.create({ id: part("9"), source: "cli", parentSessionId: part("0") });
      for (const [from, to] of [
        ["0", "1"],
        ["1", "2"],
      ] as const)
        await store.sessions.continueCompressed(part(from), { id: part(to), messages: [userMessage("so far")] });
      await store.sessions.end(part("2"), "user_exit");
      await store.sessions.create({ id: part("8"), source: "cli", parentSessionId: part("2") });
      for (const name of ["0", "1", "2"]) expect(await store.sessions.resumeTarget(part(name))).toBe(part("2"));
      expect(await store.sessions.resumeTarget(part("9"))).toBe(part("9"));
    });
  });
});

describe("hermes insights", () => {
  it("is one line, or an empty document, when nothing happened [20:A11.11]", async () => {
    expect(await hermes("insights", "--days", "7")).toMatchObject({
      code: 0,
      stdout: "No sessions in the last 7 days.\n",
    });
    expect(await json("insights", "--days", "7")).toMatchObject({ empty: true, days: 7 });
  });

  it("tells by model and surface, as text, document and table [20:R11.11][20:R11.12]", async () => {
    await someSessions();
    mkdirSync(path.join(location.home, "skills"), { recursive: true });
    const use = {
      tea: { loads: 3, edits: 1, lastUsedAtMs: systemClock.now() },
      old: { loads: 9, edits: 0, lastUsedAtMs: 1 },
    };
    writeFileSync(path.join(location.home, "skills", ".usage.json"), JSON.stringify(use));
    const text = (await hermes("insights", "--days", "90")).stdout;
    expect(text).toMatch(/tea +3 +1 +just now/);
    expect(text).not.toMatch(/old +9/);
    expect(text).toMatch(/Platform +Sessions/);
    expect(text).toMatch(/Mon +\d/);
    expect(await json("insights", "--days", "90")).toMatchObject({
      empty: false,
      totals: { messages: 4 },
      activity: { active_days: 3 },
    });
    const csv = (await hermes("insights", "--days", "90", "--csv")).stdout;
    expect(csv.split("\r\n")[0]).toBe("section,name,metric,value");
    expect(csv).toContain("platform,telegram,messages,1");
  });

  it("tells what ran beside the conversations, and changes of model [20:R4.14] [20:R5.17] [20:R11.12]", async () => {
    await someSessions();
    await withStore(async (store) => {
      const usage = { input: 90, output: 10, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
      await store.usage.change(second, { usage, apiCalls: 3 });
      await store.money.settle("one", {
        spender: { sessionId: second },
        purpose: "compression",
        provider: "p",
        model: "small",
        usd: 0,
        usage,
        cost: { status: "estimated", source: "catalog", usd: 0.5 },
      });
      await store.turns.recordEvent({ sessionId: second, kind: "fallback" });
    });
    const text = (await hermes("insights")).stdout;
    expect(text).toContain("1 (25% of all model calls)");
    expect(text).toMatch(/compression +1 +90 +10 +\$0\.50/);
    expect(text).toMatch(/Fallbacks +1/);
    expect(await json("insights")).toMatchObject({
      fallbacks: 1,
      side_call_share: 0.25,
      side_calls: [{ task: "compression", calls: 1, cost_usd: 0.5 }],
    });
    expect((await hermes("insights", "--csv")).stdout).toContain("side_call,compression,calls,1");
  });

  it("refuses a number of days that is none [20:R8.2]", async () => {
    expect(await hermes("insights", "--days", "many")).toMatchObject({ code: 2 });
  });
});
