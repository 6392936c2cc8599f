import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import type { SessionId } from "#conversation";
import { silentLogger } from "#foundation/files/logger";
import { never } from "#foundation/lifecycle/abort";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { isRecord } from "#foundation/text/json";
import { systemClock } from "#foundation/time/clock";
import { openStore } from "../index.ts";
import { openSqliteStore } from "./store.ts";
import { makeLocation } from "./testing/place.ts";
import { findWorkerProgram } from "./worker-location.ts";
import { WorkerThread } from "./worker-thread.ts";

const id = "s" as SessionId;

describe("the database thread", () => {
  it("starts with the first long work and not before", async () => {
    await using location = await makeLocation();
    await using store = await openStore({ path: location.path }, { clock: systemClock, log: silentLogger });
    await store.messages.append(id, [{ role: "user", content: "x" }]);
    let starts = 0;
    await using thread = new WorkerThread({
      path: location.path,
      log: silentLogger,
      program: () => {
        starts += 1;
        return findWorkerProgram();
      },
    });
    expect(thread.isStarted).toBe(false);
    await thread.work("statistics", {}, never);
    await thread.work("statistics", {}, never);
    expect(starts).toBe(1);
  });

  it("gives back results and errors with their hints", async () => {
    await using location = await makeLocation();
    await using store = await openStore({ path: location.path }, { clock: systemClock, log: silentLogger });
    await store.messages.append(id, [{ role: "user", content: "find the lighthouse" }]);
    await using thread = new WorkerThread({ path: location.path, log: silentLogger, program: findWorkerProgram });
    expect(await thread.work("search-messages", { query: "lighthouse" }, never)).toMatchObject([{ sessionId: "s" }]);
    const failing = thread.work("branch-session", { parent: "none" as SessionId, id, nowMs: 0 }, never);
    await expect(failing).rejects.toMatchObject({ name: "UserError", code: "session_not_found" });
    await expect(thread.task("backup", { target: location.path }, never)).rejects.toThrow();
  });

  it("ends a call that is aborted, and goes on", async () => {
    await using location = await makeLocation();
    await (await openStore({ path: location.path }, { clock: systemClock, log: silentLogger }))[Symbol.asyncDispose]();
    await using thread = new WorkerThread({ path: location.path, log: silentLogger, program: findWorkerProgram });
    const controller = new AbortController();
    const call = thread.task("fsck", { repair: false }, controller.signal);
    controller.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
    expect(await thread.work("list-sessions", {}, never)).toEqual([]);
  });

  it("is started again after it was lost, and what was under way fails", async () => {
    await using location = await makeLocation();
    await (await openStore({ path: location.path }, { clock: systemClock, log: silentLogger }))[Symbol.asyncDispose]();
    const programs = [async () => ({ kind: "text" as const, text: "process.exit(3)" }), findWorkerProgram];
    await using thread = new WorkerThread({
      path: location.path,
      log: silentLogger,
      program: async () => await (programs.shift() ?? findWorkerProgram)(),
    });
    await expect(thread.work("statistics", {}, never)).rejects.toThrow("database thread has ended");
    expect(await thread.work("statistics", {}, never)).toMatchObject({ sessions: 0 });
  });

  it("takes no calls once closed", async () => {
    await using location = await makeLocation();
    const thread = new WorkerThread({ path: location.path, log: silentLogger, program: findWorkerProgram });
    await thread[Symbol.asyncDispose]();
    await expect(thread.work("statistics", {}, never)).rejects.toThrow("store is closed");
  });

  it("does its work on the main thread, with a warning, where its program is missing", async () => {
    await using location = await makeLocation();
    const log = memoryLogger();
    await using store = await openSqliteStore(location.path, {
      clock: systemClock,
      log,
      onNewer: "refuse",
      workerProgram: async () => undefined,
    });
    await store.messages.append(id, [{ role: "user", content: "记忆" }]);
    expect(await store.maintenance.indexPending(never)).toBe(1);
    expect(await store.sessions.prune()).toBe(0);
    expect(log.lines.map((line) => line.message)).toContain("long database work runs on the main thread");
  });

  it("works from a file beside a bundle", async () => {
    const folder = fileURLToPath(new URL("../../../node_modules/.cache/", import.meta.url));
    await mkdir(folder, { recursive: true });
    const beside = await mkdtemp(join(folder, "hermes-bundle-"));
    try {
      const esbuild: unknown = createRequire(import.meta.url)("esbuild");
      if (!isRecord(esbuild) || typeof esbuild.build !== "function") throw new Error("no esbuild");
      await esbuild.build({
        entryPoints: [fileURLToPath(new URL("./worker.ts", import.meta.url))],
        outfile: join(beside, "store-worker.cjs"),
        bundle: true,
        platform: "node",
        format: "cjs",
        target: "node20",
        conditions: ["hermes-source"],
        packages: "external",
        logLevel: "error",
      });
      const program = await findWorkerProgram(pathToFileURL(join(beside, "main.cjs")).href);
      expect(program).toEqual({ kind: "file", path: join(beside, "store-worker.cjs") });
      await using location = await makeLocation();
      await using store = await openStore(
        { path: location.path },
        { clock: systemClock, log: silentLogger, workerFile: join(beside, "store-worker.cjs") },
      );
      expect(await store.maintenance.fsck()).toMatchObject({ isHealthy: true });
    } finally {
      await rm(beside, { recursive: true, force: true });
    }
  });

  it("is not found where there is none", async () => {
    expect(await findWorkerProgram("file:///nowhere/main.cjs")).toBeUndefined();
  });
});
