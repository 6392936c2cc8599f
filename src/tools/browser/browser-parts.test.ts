import { mkdtemp, readdir, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { runProcess } from "#foundation/process/run";
import { FakeClock } from "#foundation/testing/fake-clock";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { FakeWebServer } from "../../../test/fakes/web-server/index.ts";
import { findChromium } from "./executable.ts";
import { openLocal } from "./open.ts";
import { commandTimeout, defaultBrowserOptions, navigationTimeout } from "./options.ts";
import { DialogSupervisor, type LiveDialog } from "./page/dialogs.ts";
import { cutOutline, toOutline } from "./page/outline.ts";
import { RefNames } from "./page/ref-names.ts";

const tree = `- generic [active] [ref=e1]:
  - navigation [ref=e2]:
    - link "Home" [ref=e3] [cursor=pointer]:
      - /url: /
  - main [ref=e4]:
    - heading "Title" [level=1] [ref=e5]
    - paragraph [ref=e6]: Some words
    - textbox "Name" [ref=e7]: Ada
    - generic [ref=e8] [cursor=pointer]: Clickable text`;

describe("page outlines", () => {
  it("[30:3.15] the short form keeps what can be acted on, and headings; the full form keeps all text", () => {
    expect(toOutline(tree, false)).toEqual({
      text: '- link "Home" [@e3]\n- heading "Title" [level=1]\n- textbox "Name" [@e7]: Ada\n- generic [@e8]: Clickable text',
      elementCount: 3,
    });
    expect(toOutline(tree, true).text).toContain("paragraph: Some words");
  });

  it("[30:3.15] any text is outlined without failing, and a cut ends at a line with a note", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.boolean(), (text, isFull) => {
        expect(toOutline(text, isFull).elementCount).toBeGreaterThanOrEqual(0);
      }),
    );
    const long = Array.from({ length: 100 }, (_, n) => `- button "B${n}"`).join("\n");
    const cut = cutOutline(long, 200);
    expect(
      cut
        .split("\n")
        .slice(0, -1)
        .every((line) => long.split("\n").includes(line)),
    ).toBe(true);
    expect(cut).toMatch(/\[Cut here: \d+ more lines/);
  });

  it("a name is never given to a second element", () => {
    const names = new RefNames();
    expect(names.rename("[ref=e1] [ref=f2e1]")).toBe("[ref=e1] [ref=e2]");
    expect(names.rename("[ref=f3e1] [ref=f2e1]")).toBe("[ref=e3] [ref=e2]");
    expect([names.handleOf("e1"), names.handleOf("e3"), names.handleOf("e9")]).toEqual(["e1", "f3e1", undefined]);
  });

  it("[30:3.15] timeouts have floors", () => {
    expect(commandTimeout({ ...defaultBrowserOptions, commandTimeoutMs: 1 })).toBe(5_000);
    expect(navigationTimeout(defaultBrowserOptions)).toBe(60_000);
  });
});

describe("dialogs", () => {
  const live = (answers: string[] = []): LiveDialog => ({
    type: () => "prompt",
    message: () => "Name?",
    defaultValue: () => "nobody",
    accept: (text) => Promise.resolve(void answers.push(`accept ${text}`)),
    dismiss: () => Promise.resolve(void answers.push("dismiss")),
  });
  const supervisor = (timeoutMs: number, policy: "must_respond" | "auto_dismiss" = "must_respond") =>
    new DialogSupervisor({ policy, timeoutMs, clock: new FakeClock(5) });

  it("[30:3.15] the agent answers by id with its text; twenty answers are remembered", async () => {
    using dialogs = supervisor(60_000);
    const answers: string[] = [];
    for (let count = 0; count < 25; count += 1) {
      await dialogs.open(live(answers));
      await dialogs.answer(undefined, { action: "accept", by: "agent", promptText: "Ada" });
    }
    expect(answers[0]).toBe("accept Ada");
    expect(dialogs.recent).toHaveLength(20);
    expect(dialogs.recent.at(-1)).toMatchObject({
      id: "d25",
      closed_by: "agent",
      default_prompt: "nobody",
      opened_at: 5,
    });
    expect(await dialogs.answer("d99", { action: "accept", by: "agent" })).toBeUndefined();
  });

  it("[30:3.15] an unanswered dialog is dismissed by the watchdog", async () => {
    using dialogs = supervisor(20);
    const answers: string[] = [];
    await dialogs.open(live(answers));
    await expect.poll(() => dialogs.recent).toMatchObject([{ closed_by: "watchdog", action: "dismiss" }]);
    expect(answers).toEqual(["dismiss"]);
  });

  it("[30:3.15] policy answers at once; what others closed is told apart", async () => {
    using quick = supervisor(60_000, "auto_dismiss");
    await quick.open(live());
    expect(quick.pending).toEqual([]);
    expect(quick.recent).toMatchObject([{ closed_by: "auto_policy" }]);
    using slow = supervisor(60_000);
    await slow.open(live());
    slow.closedElsewhere();
    expect(slow.recent).toMatchObject([{ closed_by: "remote", action: "unknown" }]);
    await slow.open({ ...live(), accept: () => Promise.reject(new Error("gone")) });
    expect(await slow.answer(undefined, { action: "accept", by: "agent" })).toMatchObject({ closed_by: "remote" });
  });
});

const chromium = await findChromium(process.env);

describe.skipIf(chromium === undefined)("a browser for strangers", () => {
  it("[30:3.15][30:W-23] every request of its pages is judged, also those that scripts make", async () => {
    await using web = await FakeWebServer.start({ "/": { body: "<title>T</title>" }, "/inner": { body: "secret" } });
    const folder = await mkdtemp(path.join(os.tmpdir(), "hermes-strict-"));
    const driver = await openLocal(
      {
        options: { ...defaultBrowserOptions, noSandbox: process.getuid?.() === 0 },
        env: process.env,
        folders: { profiles: folder, downloads: folder, screenshots: folder },
        clock: new FakeClock(),
        logger: memoryLogger(),
        mayRequest: (url) => Promise.resolve(!url.endsWith("/inner")),
      },
      { taskId: "t", isStrict: true },
      new AbortController().signal,
    );
    try {
      const { signal } = new AbortController();
      await driver.navigate(`${web.origin}/`, signal);
      const answer = await driver.evaluate(`fetch("/inner").then((r) => r.text(), () => "blocked")`, signal);
      expect(answer).toBe("blocked");
      expect(web.seen.map((request) => request.url)).not.toContain("/inner");
    } finally {
      await driver[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  });

  it("[30:W-23] popups and frames of other sites are judged before their first request leaves, redirects included", async () => {
    await using web = await FakeWebServer.start({});
    const elsewhere = web.origin.replace("127.0.0.1", "localhost");
    const hop = (to: string) => ({ status: 302, headers: { location: to }, body: "" });
    const pages = {
      "/": { body: `<title>T</title><iframe src="${elsewhere}/frame"></iframe>` },
      "/frame": {
        body: `<script>fetch("/frame-hop").then((r) => r.text(), () => "blocked").then(() => fetch("/frame-done"))</script>`,
      },
      "/frame-done": { body: "done" },
      "/frame-hop": hop("/inner-frame"),
      "/popup": { body: "<title>Popup</title>" },
      "/popup-hop": hop(`${elsewhere}/inner-popup`),
    };
    for (const [where, page] of Object.entries(pages)) web.on(where, page);
    const folder = await mkdtemp(path.join(os.tmpdir(), "hermes-popup-"));
    const judged: string[] = [];
    const { signal } = new AbortController();
    const driver = await openLocal(
      {
        options: { ...defaultBrowserOptions, noSandbox: process.getuid?.() === 0 },
        env: process.env,
        folders: { profiles: folder, downloads: folder, screenshots: folder },
        clock: new FakeClock(),
        logger: memoryLogger(),
      },
      {
        taskId: "t",
        isStrict: false,
        judgeHop: (url) => {
          judged.push(new URL(url).pathname);
          return Promise.resolve(
            url.includes("inner") ? { kind: "refused", reason: "not there" } : { kind: "allowed" },
          );
        },
      },
      signal,
    );
    const seen = (): readonly string[] => web.seen.map((request) => request.url);
    try {
      await driver.navigate(`${web.origin}/`, signal);
      await vi.waitFor(() => expect(seen()).toContain("/frame-done"), { timeout: 20_000 });
      await driver.evaluate(`void window.open("/popup")`, signal);
      await vi.waitFor(() => expect(seen()).toContain("/popup"), { timeout: 20_000 });
      await driver.evaluate(`void window.open("/inner-direct"); void window.open("/popup-hop")`, signal);
      await vi.waitFor(() => expect(judged).toEqual(expect.arrayContaining(["/inner-direct", "/inner-popup"])), {
        timeout: 20_000,
      });
      expect(judged).toEqual(expect.arrayContaining(["/frame", "/frame-hop", "/inner-frame", "/popup", "/popup-hop"]));
      expect(seen().filter((url) => url.includes("inner"))).toEqual([]);
    } finally {
      await driver[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  }, 90_000);

  it("a call that was cancelled while the browser started leaves nothing behind", async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), "hermes-cancel-"));
    const cancelled = AbortSignal.abort(new Error("stop"));
    const deps = {
      options: { ...defaultBrowserOptions, noSandbox: process.getuid?.() === 0 },
      env: process.env,
      folders: { profiles: folder, downloads: folder, screenshots: folder },
      clock: new FakeClock(),
      logger: memoryLogger(),
    };
    await expect(openLocal(deps, { taskId: "t", isStrict: false }, cancelled)).rejects.toThrow("stop");
    expect(await readdir(folder)).toEqual([]);
    const running = await runProcess("pgrep", ["-f", folder], { signal: new AbortController().signal });
    expect(running.stdout).toBe("");
    await rm(folder, { recursive: true, force: true });
  });
});
