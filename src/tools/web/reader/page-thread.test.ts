import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { isRecord } from "#foundation/text/json";
import type { FetchedDocument } from "./document.ts";
import { PageThread } from "./page-thread.ts";
import { smallPdf } from "./testing.ts";
import { findReaderProgram } from "./worker-location.ts";

const never = new AbortController().signal;
const html = (body: string): FetchedDocument => ({
  url: "https://a.test/dir/page",
  contentType: "text/html; charset=utf-8",
  body: Buffer.from(body),
});
const sleeper = () =>
  Promise.resolve({
    kind: "text",
    text: 'require("node:worker_threads").parentPort.on("message", () => {});',
  } as const);

describe("the thread that reads pages", () => {
  it("[30:3.14] gives the same text as reading in place, and starts only for documents that need a parser", async () => {
    await using thread = new PageThread();
    const plain = { url: "https://a.test/", contentType: "text/plain", body: Buffer.from("hello") };
    expect(await thread.read(plain, never)).toEqual({ kind: "text", title: "", markdown: "hello" });
    expect(thread.isRunning).toBe(false);
    const page = await thread.read(html("<title>T</title><p>One <a href='../up'>Up</a></p>"), never);
    expect(page).toEqual({ kind: "text", title: "T", markdown: "One [Up](https://a.test/up)" });
    expect(thread.isRunning).toBe(true);
    const pdf = { url: "https://a.test/", contentType: "application/pdf", body: smallPdf("a document") };
    expect(await thread.read(pdf, never)).toMatchObject({ markdown: "a document" });
  });

  it("[30:3.14] a page of a megabyte does not hold up the event loop", async () => {
    await using thread = new PageThread();
    await thread.read(html("<p>warm</p>"), never);
    let turns = 0;
    const ticks = setInterval(() => {
      turns += 1;
    }, 5);
    const large = `<article>${"<p>Some words of a long page, <b>again</b> and again.</p>".repeat(18_000)}</article>`;
    const page = await thread.read(html(large), never);
    clearInterval(ticks);
    expect(page.kind === "text" && page.markdown.length).toBeGreaterThan(500_000);
    // Read in place, the page would leave no turn to anything else.
    expect(turns).toBeGreaterThan(5);
  });

  it("a document that takes too long is stopped with a reason, and the next one is read", async () => {
    let isStuck = true;
    await using thread = new PageThread({
      timeoutMs: 300,
      program: () => (isStuck ? sleeper() : findReaderProgram()),
    });
    expect(await thread.read(html("<p>x</p>"), never)).toEqual({
      kind: "unreadable",
      reason: "reading the document took longer than 0.3 s and was stopped",
    });
    expect(thread.isRunning).toBe(false);
    isStuck = false;
    await using next = new PageThread({ program: () => findReaderProgram() });
    expect(await next.read(html("<p>x</p>"), never)).toMatchObject({ kind: "text", markdown: "x" });
  });

  it("giving up ends the thread, and what waited behind it is still read", async () => {
    const started: string[] = [];
    await using thread = new PageThread({
      program: () => {
        started.push("thread");
        return started.length === 1 ? sleeper() : findReaderProgram();
      },
    });
    const stop = new AbortController();
    const first = thread.read(html("<p>first</p>"), stop.signal);
    const second = thread.read(html("<p>second</p>"), never);
    await expect.poll(() => thread.isRunning).toBe(true);
    stop.abort();
    await expect(first).rejects.toThrow(expect.objectContaining({ name: "AbortError" }));
    expect(await second).toMatchObject({ kind: "text", markdown: "second" });
    expect(started).toHaveLength(2);
  });

  it("a thread that dies, and one that cannot be found, are failures with a reason", async () => {
    await using dying = new PageThread({
      program: () =>
        Promise.resolve({
          kind: "text",
          text: 'require("node:worker_threads").parentPort.on("message", () => process.exit(1));',
        }),
    });
    expect(await dying.read(html("<p>x</p>"), never)).toMatchObject({ kind: "unreadable" });
    await using missing = new PageThread({ program: () => Promise.resolve(undefined) });
    expect(await missing.read(html("<p>x</p>"), never)).toMatchObject({
      kind: "unreadable",
      reason: "the program that reads pages is not installed",
    });
  });

  it("[30:3.14] a document beyond the limit is refused before it is parsed", async () => {
    await using thread = new PageThread({ maxBytes: { html: 10 } });
    expect(await thread.read(html("<p>more than ten</p>"), never)).toMatchObject({ kind: "unreadable" });
    expect(thread.isRunning).toBe(false);
  });

  it("ends by itself when it has nothing to do", async () => {
    await using thread = new PageThread({ idleMs: 20 });
    await thread.read(html("<p>x</p>"), never);
    await expect.poll(() => thread.isRunning).toBe(false);
  });

  it("works from a file beside a bundle, without the packages at hand", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "hermes-reader-"));
    try {
      const esbuild: unknown = createRequire(import.meta.url)("esbuild");
      if (!isRecord(esbuild) || typeof esbuild.build !== "function") throw new Error("no esbuild");
      await esbuild.build({
        entryPoints: [fileURLToPath(new URL("./worker.ts", import.meta.url))],
        outfile: path.join(folder, "page-worker.cjs"),
        bundle: true,
        platform: "node",
        format: "cjs",
        target: "node20",
        conditions: ["hermes-source"],
        supported: { "dynamic-import": false },
        logLevel: "error",
      });
      const program = () => findReaderProgram(pathToFileURL(path.join(folder, "program.js")).href);
      expect(await program()).toEqual({ kind: "file", path: path.join(folder, "page-worker.cjs") });
      await using thread = new PageThread({ program });
      expect(await thread.read(html("<p>from a file</p>"), never)).toMatchObject({ markdown: "from a file" });
      const pdf = { url: "https://a.test/", contentType: "application/pdf", body: smallPdf("a document") };
      expect(await thread.read(pdf, never)).toMatchObject({ markdown: "a document" });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
