import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type SessionId, userMessage } from "#conversation";
import { silentLogger } from "#foundation/files/logger";
import { systemClock } from "#foundation/time/clock";
import { openStore } from "#store";
import { says, startModelServer } from "../fakes/model-server/index.ts";
import { modelConfig, Stage } from "./support/stage.ts";

const main = path.join(import.meta.dirname, "..", "..", "dist", "cli", "main.js");
const home = mkdtempSync(path.join(tmpdir(), "hermes-fsck-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const fsck = (...args: string[]) =>
  spawnSync(process.execPath, [main, "sessions", "fsck", ...args], {
    encoding: "utf8",
    env: { ...process.env, HERMES_HOME: home },
  });

describe("hermes sessions fsck", () => {
  it("says so when there is nothing to check", () => {
    expect(fsck()).toMatchObject({ status: 0, stdout: expect.stringContaining("no database yet") });
  });

  it("finds a broken index, mends it, and shows that every message is as before", async () => {
    const file = path.join(home, "state.db");
    const id = "20261116_000000_abcdef12" as SessionId;
    {
      await using store = await openStore({ path: file }, { clock: systemClock, log: silentLogger });
      await store.sessions.create({ id, source: "cli", startedAtMs: 1 });
      await store.messages.append(id, [userMessage("a message about walnuts", { uid: "u1" })]);
    }
    expect(fsck()).toMatchObject({ status: 0, stdout: expect.stringContaining("is sound") });
    const { DatabaseSync } = await import("@photostructure/sqlite");
    const database = new DatabaseSync(file);
    database.exec("INSERT INTO messages_fts(messages_fts) VALUES('delete-all')");
    database.close();
    const broken = fsck();
    expect(broken.status).toBe(1);
    expect(broken.stdout).toContain("problem");
    const mended = fsck("--repair");
    expect(mended.status).toBe(0);
    expect(mended.stdout).toContain("messages  1, every one as before");
    expect(fsck()).toMatchObject({ status: 0, stdout: expect.stringContaining("is sound") });
  });

  it("is named by a command that meets damage, and mends it", async () => {
    await using stage = await Stage.open();
    const file = path.join(stage.home, "state.db");
    {
      await using store = await openStore({ path: file }, { clock: systemClock, log: silentLogger });
      for (let at = 0; at < 40; at += 1) {
        const id = `20261116_000000_${String(at).padStart(8, "0")}` as SessionId;
        await store.sessions.create({ id, source: "cli", startedAtMs: at });
        await store.messages.append(id, [userMessage("walnuts ".repeat(200), { uid: `u${at}` })]);
      }
    }
    const bytes = readFileSync(file);
    // It can still be opened: only the pages that name a session are gone.
    for (let page = 4096; page < bytes.length; page += 4096)
      if (bytes.subarray(page, page + 4096).includes("20261116_")) bytes.fill(0xa5, page, page + 4096);
    writeFileSync(file, bytes);
    const refused = await stage.run(["sessions", "list"]);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("hermes sessions fsck --repair") });
    expect(refused.stderr).not.toContain("Unexpected error");
    expect((await stage.run(["sessions", "fsck", "--repair"])).code).toBe(0);
    expect((await stage.run(["sessions", "list"])).code).toBe(0);
  });

  it.each([
    ["sessions", false],
    ["messages", true],
  ] as const)("is named by a conversation that meets damage in %s, and mends it", async (table, isAnswered) => {
    await using model = await startModelServer();
    model.otherwise(says("Noted."));
    const config = modelConfig(model.chatBaseUrl, "auxiliary: { title_generation: { enabled: false } }\n");
    await using stage = await Stage.open({ config });
    await stage.run(["-z", "walnuts"]);
    await fillFirstPage(path.join(stage.home, "state.db"), table);
    const met = await stage.run(["-z", "walnuts again"]);
    expect(met.stderr.match(/run: hermes sessions fsck --repair/g)?.length).toBeGreaterThan(0);
    expect(met.stdout + met.stderr).not.toContain("malformed");
    expect(met.stdout.includes("Noted.")).toBe(isAnswered);
    expect((await stage.run(["sessions", "fsck", "--repair"])).code).toBe(0);
    expect(await stage.run(["-z", "walnuts"])).toMatchObject({ code: 0, stdout: "Noted.\n", stderr: "" });
  });

  it("names an option it does not know", () => {
    expect(fsck("--hard")).toMatchObject({ status: 2, stderr: expect.stringContaining('"--hard"') });
  });
});

/** A file that can be opened, and fails with the first row of this table that is read or written. */
async function fillFirstPage(file: string, table: string): Promise<void> {
  const { DatabaseSync } = await import("@photostructure/sqlite");
  const database = new DatabaseSync(file);
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  const { rootpage } = database.prepare("SELECT rootpage FROM sqlite_master WHERE name = ?").get(table) as {
    readonly rootpage: number;
  };
  database.close();
  const bytes = readFileSync(file);
  bytes.fill(0x5a, (rootpage - 1) * 4096, rootpage * 4096);
  writeFileSync(file, bytes);
}
