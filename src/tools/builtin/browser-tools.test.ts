import { mkdir, mkdtemp, readdir, readFile, rm, utimes } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FakeClock } from "#foundation/testing/fake-clock";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { systemClock } from "#foundation/time/clock";
import { FakeWebServer } from "../../../test/fakes/web-server/index.ts";
import { browserAvailability } from "../browser/availability.ts";
import { findChromium } from "../browser/executable.ts";
import { PageGuard } from "../browser/guard.ts";
import type { OpenDeps } from "../browser/open.ts";
import { type BrowserOptions, defaultBrowserOptions } from "../browser/options.ts";
import { BrowserSessions } from "../browser/sessions.ts";
import { createBrowserShrink } from "../browser/shrink.ts";
import type { BrowserDeps } from "../browser/tool-deps.ts";
import type { Auxiliary } from "../contract/auxiliary.ts";
import type { ToolContext } from "../contract/context.ts";
import { ToolFailure } from "../contract/result.ts";
import type { Tool } from "../contract/tool.ts";
import { noAuxiliary } from "../contract/unattended-scope.ts";
import type { UrlRules } from "../network/urls.ts";
import { runTool, testExits, testScope, toolContext } from "../testing.ts";
import { createBrowserBackTool } from "./browser/browser-back.tool.ts";
import { createBrowserCdpTool } from "./browser/browser-cdp.tool.ts";
import { createBrowserClickTool } from "./browser/browser-click.tool.ts";
import { createBrowserConsoleTool } from "./browser/browser-console.tool.ts";
import { createBrowserDialogTool } from "./browser/browser-dialog.tool.ts";
import { createBrowserGetImagesTool } from "./browser/browser-get-images.tool.ts";
import { createBrowserNavigateTool } from "./browser/browser-navigate.tool.ts";
import { createBrowserPressTool } from "./browser/browser-press.tool.ts";
import { createBrowserScrollTool } from "./browser/browser-scroll.tool.ts";
import { createBrowserSnapshotTool } from "./browser/browser-snapshot.tool.ts";
import { createBrowserTypeTool } from "./browser/browser-type.tool.ts";
import { createBrowserVisionTool } from "./browser/browser-vision.tool.ts";

const chromium = await findChromium(process.env);
if (chromium === undefined)
  process.stderr.write("No Chromium on this machine: the tests of browser tools are left out.\n");

const factories: Readonly<Record<string, (deps: BrowserDeps) => Tool>> = {
  browser_navigate: createBrowserNavigateTool,
  browser_snapshot: createBrowserSnapshotTool,
  browser_click: createBrowserClickTool,
  browser_type: createBrowserTypeTool,
  browser_scroll: createBrowserScrollTool,
  browser_back: createBrowserBackTool,
  browser_press: createBrowserPressTool,
  browser_get_images: createBrowserGetImagesTool,
  browser_vision: createBrowserVisionTool,
  browser_console: createBrowserConsoleTool,
  browser_cdp: createBrowserCdpTool,
  browser_dialog: createBrowserDialogTool,
};
const rules: UrlRules = {
  allowPrivate: false,
  sites: ["blocked.test", "localhost"].map((pattern) => ({ pattern, source: "config" })),
  resolve: () => Promise.resolve(["127.0.0.1"]),
};

interface Bench extends AsyncDisposable {
  readonly sessions: BrowserSessions;
  readonly clock: FakeClock;
  readonly folder: string;
  readonly deps: BrowserDeps;
  readonly open: OpenDeps;
  call(name: string, args?: Record<string, unknown>, context?: Partial<ToolContext>): Promise<Record<string, unknown>>;
}

async function bench(
  changes: Partial<BrowserOptions> = {},
  ask?: Auxiliary["ask"],
  more: Partial<OpenDeps> = {},
): Promise<Bench> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "hermes-browser-"));
  const clock = new FakeClock(1_000_000);
  const options = {
    ...defaultBrowserOptions,
    noSandbox: process.getuid?.() === 0,
    commandTimeoutMs: 8_000,
    ...changes,
  };
  const guard = new PageGuard(rules, options);
  const open: OpenDeps = {
    options,
    env: process.env,
    folders: {
      profiles: path.join(folder, "profiles"),
      downloads: path.join(folder, "downloads"),
      screenshots: path.join(folder, "screenshots"),
    },
    clock,
    logger: memoryLogger(),
    ...more,
  };
  const sessions = new BrowserSessions(open, guard);
  const scope = testScope(ask === undefined ? {} : { auxiliary: { ...noAuxiliary, ask } });
  const deps: BrowserDeps = {
    sessions,
    guard,
    exits: testExits(),
    screenshots: open.folders.screenshots,
    now: () => Date.now(),
    check: (signal) => browserAvailability(open, signal),
  };
  return {
    sessions,
    clock,
    folder,
    deps,
    open,
    async call(name, args = {}, context = {}) {
      const tool = factories[name]?.(deps);
      if (tool === undefined) throw new Error(`no tool ${name}`);
      try {
        return (await runTool(tool, args, toolContext({ scope, ...context }))).content as Record<string, unknown>;
      } catch (error) {
        if (error instanceof ToolFailure) return { error: error.message, ...error.extra };
        throw error;
      }
    },
    async [Symbol.asyncDispose]() {
      await sessions[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

let web: FakeWebServer;
let shared: Bench;
const asked: { prompt: string; images: readonly string[] }[] = [];
const page = (
  origin: string,
) => `<html><head><title>Shop</title></head><body><h1>Shop</h1><p>Long words about wares.</p>
  <a href="/two">Second page</a> <input aria-label="Name"> <input type="password" aria-label="Password">
  <button onclick="console.log('bought');document.title='Bought'">Buy</button>
  <button onclick="document.title = String(confirm('Really?'))">Ask</button>
  <a href="/file.txt" download="../../evil.txt">Get file</a>
  <a href="${origin.replace("127.0.0.1", "localhost")}/two">Leave</a>
  <img src="/dot.png" alt="A dot"><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" alt="inline">
  <iframe srcdoc="<button>Inner</button>"></iframe>
  <div style="height:3000px"></div><script>setTimeout(() => { throw new Error("kaboom") })</script></body></html>`;

beforeAll(async () => {
  web = await FakeWebServer.start({
    "/": () => ({ body: page(web.origin) }),
    "/two": { body: "<title>Two</title><h1>Two</h1>" },
    "/wall": { body: "<title>Just a moment...</title>" },
    "/hop": () => ({ status: 302, headers: { location: `${web.origin.replace("127.0.0.1", "localhost")}/two` } }),
    "/framed": () => ({
      body: `<title>Framed</title><h1>Around</h1><iframe src="${web.origin.replace("127.0.0.1", "localhost")}/two"></iframe>`,
    }),
    "/file.txt": { headers: { "content-type": "application/octet-stream" }, body: "content" },
    "/many": {
      body: `<title>Many</title>${Array.from({ length: 600 }, (_, n) => `<a href="/two">Link number ${n}</a>`).join("")}`,
    },
  });
  shared = await bench({}, (_task, request) => {
    asked.push({ prompt: request.prompt, images: request.images ?? [] });
    return Promise.resolve({ kind: "text", text: "A shop." });
  });
});
afterAll(async () => {
  await shared[Symbol.asyncDispose]();
  await web[Symbol.asyncDispose]();
});

/** A few words of a page, marked as such. */
const own = (text: string): string => `<untrusted-page>${text}</untrusted-page>`;
const refOf = (snapshot: unknown, name: string): string =>
  new RegExp(`"${name}".*\\[(@\\w+)\\]`).exec(String(snapshot))?.[1] ?? `no ref for ${name}`;

describe.skipIf(chromium === undefined)("browser tools in a real Chromium", () => {
  it("[30:3.15] navigate shows a fenced outline whose refs can be clicked and typed into", async () => {
    const opened = await shared.call("browser_navigate", { url: `${web.origin}/` });
    expect(opened).toMatchObject({ success: true, title: own("Shop"), url: `${web.origin}/` });
    expect(opened["snapshot"]).toMatch(/^<untrusted-page/);
    expect(opened["snapshot"]).not.toContain("Long words");
    expect(opened["element_count"]).toBeGreaterThanOrEqual(7);
    const full = await shared.call("browser_snapshot", { full: true });
    expect(full["snapshot"]).toContain("Long words about wares.");
    expect((full["frame_tree"] as unknown[]).length).toBe(2);

    const name = refOf(opened["snapshot"], "Name");
    expect(await shared.call("browser_type", { ref: name, text: "Ada" })).toEqual({
      success: true,
      typed: "Ada",
      element: name,
    });
    const secret = refOf(opened["snapshot"], "Password");
    expect(await shared.call("browser_type", { ref: secret.slice(1), text: "hunter2" })).toEqual({
      success: true,
      element: secret,
    });
    const buy = refOf(opened["snapshot"], "Buy");
    expect(await shared.call("browser_click", { ref: buy })).toEqual({ success: true, clicked: buy });
    expect(await shared.call("browser_console", { expression: "document.title" })).toMatchObject({
      result_type: "string",
    });
    expect(await shared.call("browser_console", { expression: "1 + 1" })).toEqual({
      success: true,
      result: 2,
      result_type: "number",
    });
    const said = await shared.call("browser_console", { clear: true });
    expect(said["console_messages"]).toContainEqual(expect.objectContaining({ type: "log", text: own("bought") }));
    expect(said["js_errors"]).toEqual([expect.objectContaining({ message: own("kaboom") })]);
    expect(await shared.call("browser_console")).toMatchObject({ total_messages: 0, total_errors: 0 });
  });

  it("what a page loads goes by the rules for addresses, too", async () => {
    await shared.call("browser_navigate", { url: `${web.origin}/` });
    const blocked = `http://localhost:${new URL(web.origin).port}/dot.png?from=script`;
    const load = (url: string) =>
      `fetch(${JSON.stringify(url)}, { mode: "no-cors" }).then(() => "loaded", () => "stopped")`;
    const loaded = async (url: string) => (await shared.call("browser_console", { expression: load(url) }))["result"];
    expect(await loaded(`${web.origin}/dot.png?from=script`)).toContain("loaded");
    expect(await loaded(blocked)).toContain("stopped");
    expect(web.seen.filter(({ url }) => url === "/dot.png?from=script")).toHaveLength(1);
  });

  it("an address that could carry data, and a new host after text from outside, are asked about", async () => {
    const asked: string[] = [];
    const exits = testExits({
      rules: { mode: "ask", allow: [], deny: [] },
      ask: ({ host }) => {
        asked.push(host);
        return Promise.resolve("nobody");
      },
    });
    const navigate = createBrowserNavigateTool({ ...shared.deps, exits });
    const open = (url: string, context: Partial<ToolContext> = {}) =>
      runTool(navigate, { url }, { ...toolContext(), ...context });
    await expect(open(`https://a.test/?d=${"word+".repeat(40)}`)).rejects.toThrow("nobody can be asked here");
    await expect(open("https://b.test/", { untrusted: "web_search" })).rejects.toThrow("text from outside");
    expect(asked).toEqual(["a.test", "b.test"]);
  });

  it("[30:3.15] scroll, press, back, images", async () => {
    const opened = await shared.call("browser_navigate", { url: `${web.origin}/` });
    expect(await shared.call("browser_scroll", { direction: "down" })).toEqual({ success: true, scrolled: "down" });
    expect(await shared.call("browser_console", { expression: "scrollY" })).toMatchObject({ result: 500 });
    expect(await shared.call("browser_press", { key: "Tab" })).toEqual({ success: true, pressed: "Tab" });
    expect(await shared.call("browser_get_images")).toMatchObject({
      count: 1,
      images: [{ src: `${web.origin}/dot.png`, alt: own("A dot") }],
    });
    await shared.call("browser_click", { ref: refOf(opened["snapshot"], "Second page") });
    expect(await shared.call("browser_back")).toEqual({ success: true, url: `${web.origin}/` });
    expect(await shared.call("browser_click", { ref: "@e999" })).toMatchObject({ success: false });
  }, 30_000);

  it("[30:3.15] a dialog is held for the agent, and the page goes on with its answer", async () => {
    const opened = await shared.call("browser_navigate", { url: `${web.origin}/` });
    const clicked = await shared.call("browser_click", { ref: refOf(opened["snapshot"], "Ask") });
    expect(clicked).toMatchObject({ success: true, pending_dialogs: [{ type: "confirm", message: own("Really?") }] });
    expect(await shared.call("browser_snapshot")).toMatchObject({
      pending_dialogs: [{ message: own("Really?") }],
      element_count: 0,
    });
    const answer = await shared.call("browser_dialog", { action: "accept" });
    expect(answer).toMatchObject({
      success: true,
      action: "accept",
      dialog: { message: own("Really?"), closed_by: "agent" },
    });
    expect((await shared.call("browser_console", { expression: "document.title" }))["result"]).toContain("true");
    expect(await shared.call("browser_snapshot")).toMatchObject({ recent_dialogs: [{ closed_by: "agent" }] });
    expect(await shared.call("browser_dialog", { action: "accept" })).toMatchObject({ success: false });
  });

  it("[30:3.27 row 30] browser_dialog without a supervised page fails with guidance", async () => {
    const answer = await shared.call("browser_dialog", { action: "accept" }, { taskId: "nobody" });
    expect(answer).toMatchObject({ success: false, error: expect.stringContaining("browser_navigate") });
  });

  it("[30:3.15] vision keeps the screenshot and asks about it; annotations name refs", async () => {
    await shared.call("browser_navigate", { url: `${web.origin}/` });
    const seen = await shared.call("browser_vision", { question: "What is it?", annotate: true });
    expect(seen).toMatchObject({ success: true, analysis: expect.stringContaining("A shop.") });
    expect(seen["annotations"]).toContainEqual(
      expect.objectContaining({ role: "button", name: own("Buy"), ref: expect.stringMatching(/^@e\d+$/) }),
    );
    expect((await readFile(String(seen["screenshot_path"]))).subarray(1, 4).toString()).toBe("PNG");
    expect(asked.at(-1)?.images[0]).toMatch(/^data:image\/png;base64,/);
    expect(asked.at(-1)?.prompt).toContain("What is it?");
  });

  it("[30:3.15] a download stays in its folder under a harmless name", async () => {
    const opened = await shared.call("browser_navigate", { url: `${web.origin}/` });
    await shared.call("browser_console", { clear: true });
    await shared.call("browser_click", { ref: refOf(opened["snapshot"], "Get file") });
    const driver = shared.sessions.current("default");
    await expect.poll(() => driver?.log?.read().messages.some((one) => one.type === "download")).toBe(true);
    const [file = ""] = await readdir(path.join(shared.folder, "downloads"));
    expect(file).toMatch(/evil\.txt$/);
    expect(await readFile(path.join(shared.folder, "downloads", file), "utf8")).toBe("content");
  });

  it("[30:3.15][30:5.9] file, chrome, metadata, credential and blocked addresses are not opened, nor where redirects and clicks lead", async () => {
    for (const url of [
      "file:///etc/passwd",
      "chrome://settings",
      "http://169.254.169.254/",
      "https://x.test/?k=sk-aaaaaaaaaaaaaaaa",
      "http://blocked.test/",
    ])
      expect(await shared.call("browser_navigate", { url }), url).toMatchObject({ success: false });
    expect(
      JSON.stringify(await shared.call("browser_navigate", { url: "https://x.test/?k=sk-aaaaaaaaaaaaaaaa" })),
    ).not.toContain("sk-aaa");
    web.seen.length = 0;
    expect(await shared.call("browser_navigate", { url: `${web.origin}/hop` })).toMatchObject({
      success: false,
      error: expect.stringContaining("leads to an address that may not be opened"),
    });
    // The hop itself was stopped: nothing was asked of the place it led to.
    expect(web.seen.map((request) => request.url)).toEqual(["/hop"]);
    expect(shared.sessions.current("default")?.url()).toBe("about:blank");
    const opened = await shared.call("browser_navigate", { url: `${web.origin}/` });
    await shared.call("browser_click", { ref: refOf(opened["snapshot"], "Leave") });
    // The click may end before the page has moved; then the next look at it is refused.
    await expect.poll(async () => (await shared.call("browser_snapshot"))["snapshot"]).not.toContain("Shop");
    expect(await shared.call("browser_snapshot")).toMatchObject({ success: true, element_count: 0 });
    expect(shared.sessions.current("default")?.url()).toBe("about:blank");
  });

  it("[30:3.15][30:5.9] a frame that may not be shown stays empty, and the page around it is shown", async () => {
    web.seen.length = 0;
    const opened = await shared.call("browser_navigate", { url: `${web.origin}/framed` });
    expect(opened).toMatchObject({ success: true, title: own("Framed") });
    expect(await shared.call("browser_snapshot")).toMatchObject({ snapshot: expect.stringContaining("Around") });
    expect(web.seen.map((request) => request.url)).not.toContain("/two");
  });

  it("[30:3.15][30:W-23] on a surface of strangers private addresses are refused for the local browser too", async () => {
    const answer = await shared.call(
      "browser_navigate",
      { url: `${web.origin}/` },
      { scope: testScope({ source: "telegram" }), taskId: "chat" },
    );
    expect(answer).toMatchObject({ success: false, error: expect.stringContaining("private") });
    expect(shared.sessions.current("chat")).toBeUndefined();
  });

  it("[30:3.15] walls against programs are named, and a long outline is cut at a line", async () => {
    expect(await shared.call("browser_navigate", { url: `${web.origin}/wall` })).toMatchObject({
      bot_detection_warning: expect.stringContaining("Just a moment"),
    });
    const many = await shared.call("browser_navigate", { url: `${web.origin}/many` });
    expect(many["element_count"]).toBe(600);
    expect(String(many["snapshot"]).length).toBeLessThan(8_600);
    expect(many["snapshot"]).toContain("more lines");
    const told = await shared.call("browser_snapshot", {}, { userTask: "find the shop" });
    expect(told["snapshot"]).toContain("A shop.");
  });

  it("[30:3.15] raw commands reach the page and its frames; unknown frames are told", async () => {
    await shared.call("browser_navigate", { url: `${web.origin}/` });
    const answer = await shared.call("browser_cdp", { method: "Runtime.evaluate", params: { expression: "6*7" } });
    expect(answer).toMatchObject({ success: true, result: { result: { value: 42 } } });
    expect(
      await shared.call("browser_cdp", { method: "Runtime.evaluate", params: { expression: "1" }, frame_id: "frame9" }),
    ).toMatchObject({
      success: false,
    });
    expect(await shared.call("browser_cdp", { method: "Nothing.here" })).toMatchObject({ success: false });
  });

  it("[30:3.15][30:W-31] the browser runs without our keys, and its profile goes with it", async () => {
    await using own = await bench({}, undefined, {
      env: { ...process.env, OPENAI_API_KEY: "sk-not-for-children", MY_TOKEN: "nor-this" },
    });
    await own.call("browser_navigate", { url: `${web.origin}/two` });
    const [profile = ""] = await readdir(path.join(own.folder, "profiles"));
    const environments = await environmentsOf(profile);
    expect(environments.length).toBeGreaterThan(0);
    expect(environments.join()).not.toContain("sk-not-for-children");
    expect(environments.join()).not.toContain("nor-this");
    await own.clock.advance(270_000);
    expect(own.sessions.current("default")).toBeDefined();
    await own.clock.advance(330_000);
    await expect.poll(() => own.sessions.current("default")).toBeUndefined();
    await own.sessions.release("default");
    await expect.poll(() => readdir(path.join(own.folder, "profiles"))).toEqual([]);
    expect(await own.call("browser_snapshot")).toMatchObject({ success: false });
    await expect.poll(async () => (await environmentsOf(profile)).length).toBe(0);
  });

  it("[30:3.15] a recorded browser leaves pictures of what it showed, and old ones go", async () => {
    const recordings = await mkdtemp(path.join(os.tmpdir(), "hermes-recordings-"));
    await mkdir(path.join(recordings, "rec_old"));
    await utimes(path.join(recordings, "rec_old"), 1, 1);
    const locations = (folder: string) => ({ profiles: folder, downloads: folder, screenshots: folder, recordings });
    {
      await using own = await bench({ recordSessions: true }, undefined, {
        folders: locations(path.join(recordings, "..", `${path.basename(recordings)}-p`)),
        clock: systemClock,
      });
      await own.call("browser_navigate", { url: `${web.origin}/two?token=no` });
      await expect.poll(async () => (await readdir(path.join(recordings, await newest()))).length).toBeGreaterThan(1);
    }
    const lines = await readFile(path.join(recordings, await newest(), "frames.jsonl"), "utf8");
    expect(JSON.parse(lines.split("\n")[0] ?? "")).toMatchObject({ file: "00001.jpg" });
    expect(lines).not.toContain("token");
    await rm(recordings, { recursive: true, force: true });
    await rm(`${recordings}-p`, { recursive: true, force: true });

    async function newest(): Promise<string> {
      const names = await readdir(recordings);
      expect(names).not.toContain("rec_old");
      return names[0] ?? "none yet";
    }
  });

  it("[30:3.16] an image that is too large is made smaller in the browser", async () => {
    await using own = await bench();
    const shrink = createBrowserShrink(own.open);
    const { signal } = new AbortController();
    const large = { bytes: noisySvg(1_600), mime: "image/svg+xml" };
    const smaller = await shrink(large, 60_000, signal);
    expect(smaller?.mime).toBe("image/jpeg");
    expect(smaller?.bytes.byteLength).toBeLessThanOrEqual(60_000);
    expect(smaller?.bytes.byteLength).toBeGreaterThan(1_000);
    expect(await shrink({ bytes: Buffer.from("no image"), mime: "image/png" }, 60_000, signal)).toBeUndefined();
  });

  it("[30:3.15] dialogs can be answered by policy", async () => {
    await using own = await bench({ dialogPolicy: "auto_accept" });
    const opened = await own.call("browser_navigate", { url: `${web.origin}/` });
    expect(await own.call("browser_click", { ref: refOf(opened["snapshot"], "Ask") })).toMatchObject({ success: true });
    expect(await own.call("browser_snapshot")).toMatchObject({
      recent_dialogs: [{ closed_by: "auto_policy", action: "accept" }],
    });
  });
});

/** An image whose many colours do not compress well. */
function noisySvg(side: number): Uint8Array {
  const cells = Array.from(
    { length: 1_600 },
    (_, n) =>
      `<rect x="${(n % 40) * 40}" y="${Math.floor(n / 40) * 40}" width="40" height="40" fill="#${((n * 2_654_435_761) % 0xffffff).toString(16).padStart(6, "0")}"/>`,
  );
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}">${cells.join("")}</svg>`,
  );
}

/** The environments of running processes whose command line names the profile. */
async function environmentsOf(profile: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    if (!command.includes(profile)) continue;
    found.push(await readFile(`/proc/${pid}/environ`, "utf8").catch(() => ""));
  }
  return found;
}
