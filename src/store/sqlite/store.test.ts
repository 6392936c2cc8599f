import { spawn } from "node:child_process";
import { mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import type { SessionId } from "#conversation";
import { silentLogger } from "#foundation/files/logger";
import { never } from "#foundation/lifecycle/abort";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { isRecord } from "#foundation/text/json";
import { systemClock } from "#foundation/time/clock";
import { openStore } from "../index.ts";
import { makeLocation } from "./testing/place.ts";

const deps = { clock: systemClock, log: silentLogger };
const id = "s" as SessionId;
const bundles = fileURLToPath(new URL(`../../../node_modules/.cache/hermes-store-${process.pid}/`, import.meta.url));

afterAll(async () => {
  await rm(bundles, { recursive: true, force: true });
});

describe("a SQLite store", () => {
  it("is one private file in WAL mode with foreign keys [10:STORE-1]", async () => {
    await using location = await makeLocation();
    await using store = await openStore({ path: join(location.folder, "deep", "state.db") }, deps);
    await store.messages.append(id, [{ role: "user", content: "x" }]);
    const file = join(location.folder, "deep", "state.db");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(`${file}-wal`)).size).toBeGreaterThan(0);
  });

  it("keeps everything over closing and opening, and closing twice is harmless", async () => {
    await using location = await makeLocation();
    const first = await openStore({ path: location.path }, deps);
    await first.messages.append(id, [{ role: "user", content: "x", uid: "1" }]);
    await first[Symbol.asyncDispose]();
    await first[Symbol.asyncDispose]();
    await using second = await openStore({ path: location.path }, deps);
    expect(await second.messages.count(id)).toBe(1);
  });

  it("leaves no journal to read behind when it is closed, and waits for no reader", async () => {
    await using location = await makeLocation();
    const store = await openStore({ path: location.path }, deps);
    await store.messages.append(id, [{ role: "user", content: "x" }]);
    const reader = await openStore({ path: location.path }, deps);
    expect(await reader.messages.count(id)).toBe(1);
    await store[Symbol.asyncDispose]();
    await reader[Symbol.asyncDispose]();
    const left = await stat(`${location.path}-wal`).catch(() => undefined);
    expect(left?.size ?? 0).toBe(0);
  });

  it("says what to do about a file that is no database", async () => {
    await using location = await makeLocation();
    await writeFile(
      location.path,
      "this is a letter, not a database, and it is long enough to be read as one page\n".repeat(80),
    );
    await expect(openStore({ path: location.path }, deps)).rejects.toMatchObject({
      code: "store_damaged",
      hint: expect.stringContaining("hermes sessions fsck --repair"),
    });
    expect(await readFile(location.path, "utf8")).toContain("this is a letter");
  });

  it("copies itself to another place, and not over an existing file", async () => {
    await using location = await makeLocation();
    await using store = await openStore({ path: location.path }, deps);
    await store.messages.append(id, [{ role: "user", content: "x" }]);
    const target = join(location.folder, "copy.db");
    await store.maintenance.backup(target, never);
    await expect(store.maintenance.backup(target, never)).rejects.toThrow("already");
    await using copy = await openStore({ path: target }, deps);
    expect(await copy.messages.count(id)).toBe(1);
  });

  it("gives space back after much was deleted", async () => {
    await using location = await makeLocation();
    await using store = await openStore({ path: location.path }, deps);
    await store.transaction(async (tx) => {
      for (let index = 0; index < 600; index += 1)
        await tx.messages.append(id, [{ role: "user", content: `text ${index} `.repeat(60) }]);
    });
    await store.maintenance.compact(never);
    const before = (await stat(location.path)).size;
    expect(await store.sessions.delete(id)).toBe(true);
    await store.maintenance.compact(never);
    expect((await stat(location.path)).size).toBeLessThan(before / 2);
  });

  it("a stored field that is not JSON becomes absent, with a warning [10:STORE-9]", async () => {
    await using location = await makeLocation();
    const log = memoryLogger();
    await using store = await openStore({ path: location.path }, { clock: systemClock, log });
    await store.messages.append(id, [{ role: "assistant", content: "x", uid: "1" }]);
    using other = await location.connect();
    other.exec("UPDATE messages SET tool_calls = '{broken', extra = 'also'");
    const [message] = await store.messages.conversation(id);
    expect(message).not.toHaveProperty("tool_calls");
    expect(log.lines.filter((line) => line.level === "warn")).toHaveLength(2);
  });

  it("a transaction handle is of no use after its end", async () => {
    await using location = await makeLocation();
    await using store = await openStore({ path: location.path }, deps);
    const leaked = await store.transaction(async (tx) => tx.messages);
    await expect(leaked.count(id)).rejects.toThrow("after it had ended");
  });

  it("writes its log back and takes messages into the substring index by itself [10:STORE-2]", async () => {
    await using location = await makeLocation();
    const store = await openStore({ path: location.path }, deps);
    using reader = await location.connect();
    for (let batch = 0; batch < 52; batch += 1)
      await store.messages.append(
        id,
        Array.from({ length: 20 }, (_, index) => ({ role: "user" as const, content: `message ${batch} ${index}` })),
      );
    const indexed = (): unknown =>
      reader.get("SELECT value FROM state_meta WHERE key = 'search.indexed_through'")?.value;
    while (indexed() !== "1040") await systemClock.sleep(20, AbortSignal.timeout(10_000));
    await store[Symbol.asyncDispose]();
    expect(await stat(location.path).then((file) => file.size)).toBeGreaterThan(50_000);
  });

  it("a search takes what short-lived processes left into the substring index", async () => {
    await using location = await makeLocation();
    const brief = await openStore({ path: location.path }, deps);
    await brief.messages.append(
      id,
      Array.from({ length: 1_100 }, (_, index) => ({ role: "user" as const, content: `number ${index}` })),
    );
    await brief[Symbol.asyncDispose]();
    await using store = await openStore({ path: location.path }, deps);
    using reader = await location.connect();
    const indexed = (): unknown =>
      reader.get("SELECT value FROM state_meta WHERE key = 'search.indexed_through'")?.value;
    expect(indexed()).toBeUndefined();
    expect(await store.search.messages("number", { limit: 1 })).toHaveLength(1);
    while (indexed() !== "1100") await systemClock.sleep(20, AbortSignal.timeout(10_000));
  });

  it("two processes append a thousand messages each without an error [10:A10.3]", async () => {
    await using location = await makeLocation();
    await (await openStore({ path: location.path }, deps))[Symbol.asyncDispose]();
    const program = await buildAppender();
    await Promise.all(["a", "b"].map((name) => runNode(program, [location.path, name])));
    using reader = await location.connect();
    expect(reader.get("SELECT count(*) AS n, count(DISTINCT uid) AS uids FROM messages")).toEqual({
      n: 2000,
      uids: 2000,
    });
    expect(reader.get("PRAGMA integrity_check")).toEqual({ integrity_check: "ok" });
  });
});

describe("the door", () => {
  it("loads no driver before a store is opened", async () => {
    const program = await bundle("door", 'import "./index.ts"; console.log(Object.keys(require.cache).join("\\n"))');
    const loaded = await runNode(program, []);
    expect(loaded).not.toMatch(/@photostructure|\/pg\//);
  });
});

async function buildAppender(): Promise<string> {
  return await bundle(
    "appender",
    `import { openStore } from "./index.ts";
     import { systemClock } from "#foundation/time/clock";
     import { silentLogger } from "#foundation/files/logger";
     const [, , path, name] = process.argv;
     void (async () => {
       const store = await openStore({ path }, { clock: systemClock, log: silentLogger });
       for (let index = 0; index < 1000; index += 1)
         await store.messages.append("shared", [{ role: "user", content: "text " + index, uid: name + index }]);
       await store[Symbol.asyncDispose]();
     })();`,
  );
}

/** A small program over the store, beside the packages it needs. */
async function bundle(name: string, source: string): Promise<string> {
  await mkdir(bundles, { recursive: true });
  const outfile = join(bundles, `${name}.cjs`);
  const esbuild: unknown = createRequire(import.meta.url)("esbuild");
  if (!isRecord(esbuild) || typeof esbuild.build !== "function") throw new Error("no esbuild");
  await esbuild.build({
    stdin: { contents: source, resolveDir: fileURLToPath(new URL("..", import.meta.url)), loader: "ts" },
    outfile,
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node20",
    conditions: ["hermes-source"],
    packages: "external",
    logLevel: "error",
    define: { "import.meta.url": '"file:///nowhere/main.cjs"' },
  });
  return outfile;
}

async function runNode(program: string, args: readonly string[]): Promise<string> {
  return await new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    let errors = "";
    child.stdout.on("data", (piece: Buffer) => {
      output += piece.toString();
    });
    child.stderr.on("data", (piece: Buffer) => {
      errors += piece.toString();
    });
    child.on("error", reject);
    child.on("close", (code) =>
      code === 0 && errors === "" ? resolve(output) : reject(new Error(`${code}: ${errors}`)),
    );
  });
}
