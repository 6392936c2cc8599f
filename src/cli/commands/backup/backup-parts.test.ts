import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type SessionId, userMessage } from "#conversation";
import { silentLogger } from "#foundation/files/logger";
import { systemClock } from "#foundation/time/clock";
import { openStore } from "#store";
import { runCli, temporaryHome } from "../../testing.ts";

let location: ReturnType<typeof temporaryHome>;
const inHome = (...parts: string[]) => path.join(location.home, ...parts);
const put = (name: string, text: string, mode = 0o600) => {
  mkdirSync(path.dirname(inHome(name)), { recursive: true });
  writeFileSync(inHome(name), text);
  chmodSync(inHome(name), mode);
};
const hermes = (...args: string[]) => runCli(args, { home: location.home });
const json = async (...args: string[]) =>
  JSON.parse((await hermes(...args, "--json")).stdout) as Record<string, unknown>;
const secret = "sk-or-v1-0123456789abcdefSECRET";
const session = "20261101_100000_aaaa1111" as SessionId;

beforeEach(() => {
  location = temporaryHome();
  mkdirSync(location.home, { recursive: true, mode: 0o700 });
});
afterEach(() => location.remove());

async function oneSession(): Promise<void> {
  await using store = await openStore({ path: inHome("state.db") }, { clock: systemClock, log: silentLogger });
  await store.sessions.create({ id: session, source: "cli" });
  await store.messages.append(session, [userMessage("about walnuts", { uid: "u1" })]);
}

describe("hermes backup and import", () => {
  it("copies the home with its database and puts it back [20:R8.16]", async () => {
    put(".env", `OPENROUTER_API_KEY=${secret}\n`);
    put("SOUL.md", "I am Hermes.\n");
    put("cache/big.bin", "x");
    await oneSession();
    const archive = path.join(location.home, "..", "copy.tar.gz");
    const { entries } = (await json("backup", "-o", archive)) as { entries: string[] };
    expect(entries).toEqual(expect.arrayContaining([".env", "SOUL.md", "state.db"]));
    expect(entries).not.toContain("cache");
    expect(statSync(archive).mode & 0o777).toBe(0o600);
    const other = path.join(location.home, "..", "other");
    expect((await runCli(["import", archive], { home: other })).code).toBe(0);
    expect(readFileSync(path.join(other, "SOUL.md"), "utf8")).toBe("I am Hermes.\n");
    expect((await runCli(["sessions", "show", session], { home: other })).stdout).toContain("walnuts");
  });

  it("asks before it replaces anything, and keeps what was there [20:R8.16]", async () => {
    put("SOUL.md", "first\n");
    const archive = path.join(location.home, "..", "copy.tar.gz");
    await hermes("backup", "-q", "-o", archive);
    put("SOUL.md", "second\n");
    expect(await hermes("import", archive)).toMatchObject({ code: 1 });
    expect(readFileSync(inHome("SOUL.md"), "utf8")).toBe("second\n");
    expect((await runCli(["import", archive], { home: location.home, typed: ["y"] })).code).toBe(0);
    expect(readFileSync(inHome("SOUL.md"), "utf8")).toBe("first\n");
    expect(readdirSync(inHome("state-snapshots"))).toHaveLength(1);
    expect(readdirSync(location.home).filter((name) => name.startsWith(".import-"))).toEqual([]);
  });

  it("reads a backup by what it holds, whatever it is called [20:R8.16]", async () => {
    put("SOUL.md", "I am Hermes.\n");
    const archive = path.join(location.home, "..", "copy.zip");
    expect((await hermes("backup", "-o", archive)).stdout).toContain("tar.gz");
    const other = path.join(location.home, "..", "other");
    expect(await runCli(["import", archive], { home: other })).toMatchObject({ code: 0, stderr: "" });
    expect(readFileSync(path.join(other, "SOUL.md"), "utf8")).toBe("I am Hermes.\n");
  });

  it("-q holds what cannot be made again: settings, keys, notes and sessions [20:R8.16]", async () => {
    for (const name of ["SOUL.md", "config.yaml", ".env", "memories/USER.md", "skills/tea/SKILL.md", "logs/agent.log"])
      put(name, "");
    await oneSession();
    const { entries } = (await json("backup", "-q", "-o", path.join(location.home, "..", "q.tar.gz"))) as {
      entries: string[];
    };
    expect(entries.toSorted()).toEqual([".env", "SOUL.md", "config.yaml", "memories", "state.db"]);
  });

  it("refuses a file that is no backup", async () => {
    expect(await hermes("import", "/nosuch.tar.gz")).toMatchObject({ code: 1 });
    put("x.tar.gz", "not an archive");
    expect(await hermes("import", inHome("x.tar.gz"))).toMatchObject({ code: 1 });
  });
});
