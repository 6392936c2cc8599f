import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { defined } from "#foundation/defined";
import { runProcess, spawnProcess } from "#foundation/process/run";
import { Secret } from "#foundation/secrets/secret";
import { FakeClock } from "#foundation/testing/fake-clock";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { FakeWebServer } from "../../../../test/fakes/web-server/index.ts";
import { testExits, toolContext } from "../../testing.ts";
import { backendKind, openBrowser } from "../backend.ts";
import { resolveEndpoint } from "../cdp-endpoint.ts";
import { findChromium } from "../executable.ts";
import { PageGuard } from "../guard.ts";
import type { OpenDeps } from "../open.ts";
import { type BrowserOptions, defaultBrowserOptions } from "../options.ts";
import { reapProfiles } from "../profiles.ts";
import { BrowserSessions } from "../sessions.ts";
import { browserUse } from "./browser-use.ts";
import { browserbase } from "./browserbase.ts";
import { chooseProvider } from "./choose.ts";
import { firecrawlBrowser } from "./firecrawl.ts";

const key = new Secret("cloud-key-123");
const signal = new AbortController().signal;
const chromium = await findChromium(process.env);
if (chromium === undefined)
  process.stderr.write("No Chromium on this machine: the tests with a real browser are left out.\n");
let web: FakeWebServer;
let folder: string;

beforeAll(async () => {
  web = await FakeWebServer.start({ "/page": { body: "<title>Here</title><button>Go</button>" } });
  folder = await mkdtemp(path.join(os.tmpdir(), "hermes-providers-"));
});
afterAll(async () => {
  await web[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});
beforeEach(() => {
  web.seen.length = 0;
});

function openDeps(changes: Partial<BrowserOptions> = {}, more: Partial<OpenDeps> = {}): OpenDeps {
  const folders = { profiles: path.join(folder, "profiles"), downloads: folder, screenshots: folder };
  const options = { ...defaultBrowserOptions, noSandbox: process.getuid?.() === 0, ...changes };
  return { options, env: process.env, folders, clock: new FakeClock(), logger: memoryLogger(), ...more };
}

describe("cloud browsers", () => {
  it("[30:3.15] browserbase drops keep-alive, then proxies, when the plan does not pay for them", async () => {
    web.on("POST /v1/sessions", ({ json }) => {
      const request = json as Record<string, unknown>;
      if (request["keepAlive"] === true || request["proxies"] === true)
        return { status: 402, body: { message: "upgrade" } };
      return { body: { id: "s1", connectUrl: "wss://connect.test/s1" } };
    });
    web.on("POST /v1/sessions/s1", { body: {} });
    const provider = browserbase({
      key,
      projectId: "p",
      env: { BROWSERBASE_SESSION_TIMEOUT: "90000" },
      origin: web.origin,
    });
    const answer = await provider.create("t", signal);
    expect(web.seen.map((request) => request.json)).toEqual([
      { projectId: "p", keepAlive: true, proxies: true, timeout: 90 },
      { projectId: "p", proxies: true, timeout: 90 },
      { projectId: "p", timeout: 90 },
    ]);
    expect(answer).toMatchObject({
      kind: "open",
      session: { cdpUrl: "wss://connect.test/s1", facts: { stealth_warning: expect.any(String) } },
    });
    if (answer.kind === "open") await answer.session.release();
    expect(web.seen.at(-1)?.json).toEqual({ projectId: "p", status: "REQUEST_RELEASE" });
    expect(web.seen[0]?.headers["x-bb-api-key"]).toBe("cloud-key-123");
  });

  it("[30:3.15] browser-use is stopped with a PATCH; managed sessions are short, proxied and never doubled", async () => {
    web.on("POST /browsers", { body: { id: "b1", cdpUrl: "wss://b.test/" } });
    web.on("PATCH /browsers/b1", { body: {} });
    const answer = await browserUse({ key, origin: web.origin, isManaged: true }).create("t", signal);
    if (answer.kind === "open") await answer.session.release();
    expect(web.seen[0]?.json).toEqual({ timeout: 5, proxyCountryCode: "us" });
    expect(web.seen[0]?.headers["idempotency-key"]).toMatch(/^[0-9a-f-]{36}$/);
    expect(web.seen[1]).toMatchObject({ method: "PATCH", json: { action: "stop" } });
  });

  it("[30:3.15] firecrawl gets a time to live and is deleted", async () => {
    web.on("POST /v2/browser", { body: { id: "f1", cdpUrl: "wss://f.test/" } });
    web.on("DELETE /v2/browser/f1", { body: {} });
    const answer = await firecrawlBrowser({ key, origin: web.origin }).create("t", signal);
    if (answer.kind === "open") await answer.session.release();
    expect(web.seen.map(({ method, json }) => [method, json])).toEqual([
      ["POST", { ttl: 300 }],
      ["DELETE", undefined],
    ]);
  });

  it("[30:3.15] which provider: the named one, else Browser Use, else Browserbase, else none", async () => {
    const both = { BROWSER_USE_API_KEY: "u", BROWSERBASE_API_KEY: "b", BROWSERBASE_PROJECT_ID: "p" };
    const named = async (wanted: string | undefined, env: Record<string, string>) =>
      (await chooseProvider({ env, ...defined({ wanted }) }, signal))?.name;
    expect(await named(undefined, both)).toBe("browser-use");
    expect(await named("browserbase", both)).toBe("browserbase");
    expect(await named(undefined, { BROWSERBASE_API_KEY: "b", BROWSERBASE_PROJECT_ID: "p" })).toBe("browserbase");
    expect(await named("local", both)).toBeUndefined();
    expect(await named(undefined, {})).toBeUndefined();
  });

  it("[30:3.15] the first configured backend wins: DevTools address, camofox, cloud, local", async () => {
    const provider = () => Promise.resolve(browserUse({ key }));
    expect(await backendKind(openDeps({ cdpUrl: "http://x", camofoxUrl: "http://y" }, { provider }), signal)).toBe(
      "cdp",
    );
    expect(await backendKind(openDeps({ camofoxUrl: "http://y" }, { provider }), signal)).toBe("camofox");
    expect(await backendKind(openDeps({}, { provider }), signal)).toBe("cloud");
    expect(await backendKind(openDeps({ cloudProvider: "local" }, { provider }), signal)).toBe("local");
  });

  it("[30:3.15] http addresses of DevTools are asked for their socket", async () => {
    web.on("/json/version", { body: { webSocketDebuggerUrl: "ws://127.0.0.1:1/devtools/browser/x" } });
    for (const input of [web.origin, `${web.origin}/`, `${web.origin}/json/version`])
      expect(await resolveEndpoint(input, signal)).toEqual({
        kind: "ready",
        url: "ws://127.0.0.1:1/devtools/browser/x",
      });
    expect(await resolveEndpoint("wss://a.test/x", signal)).toEqual({ kind: "ready", url: "wss://a.test/x" });
  });

  it("[30:3.15] camofox is driven over its own service", async () => {
    web.on("POST /tabs", { body: { tabId: "t1", url: "https://a.test/", title: "A" } });
    web.on("/tabs/t1/snapshot", {
      body: { snapshot: '- textbox "Password" [e1]\n- button "Go" [e2]', url: "https://a.test/" },
    });
    for (const action of ["click", "type", "press", "scroll", "back"])
      web.on(`POST /tabs/t1/${action}`, { body: { url: "https://a.test/2" } });
    web.on("/tabs/t1/screenshot", { headers: { "content-type": "image/png" }, body: "PNG" });
    const driver = await openBrowser(openDeps({ camofoxUrl: web.origin }), { taskId: "t", isStrict: false }, signal);
    expect(await driver.navigate("https://a.test/", signal)).toMatchObject({ url: "https://a.test/", title: "A" });
    expect(await driver.outline(signal)).toContain('button "Go" [ref=e2]');
    expect(await driver.click("e2", signal)).toEqual({ kind: "done" });
    expect(driver.url()).toBe("https://a.test/2");
    expect(await driver.type("e1", "x", signal)).toEqual({ isPassword: true });
    await driver.scroll("down", signal);
    await driver.press("Enter", signal);
    expect(Buffer.from((await driver.screenshot(false, signal)).png).toString()).toBe("PNG");
    await expect(driver.evaluate("1", signal)).rejects.toThrow("camofox");
    await driver[Symbol.asyncDispose]();
    expect(web.seen.at(-1)).toMatchObject({ method: "DELETE", url: expect.stringMatching(/^\/sessions\//) });
  });

  it("[30:3.15] camofox keeps the profile of a user who comes back", async () => {
    web.on("POST /tabs", { body: { tabId: "t1", url: "https://a.test/", title: "A" } });
    const deps = openDeps({ camofoxUrl: web.origin, camofoxUser: "hermes_home" });
    const driver = await openBrowser(deps, { taskId: "t", isStrict: false }, signal);
    await driver.navigate("https://a.test/", signal);
    expect(JSON.stringify(web.seen.at(-1))).toContain("hermes_home");
    await driver[Symbol.asyncDispose]();
    expect(web.seen.at(-1)).toMatchObject({ method: "DELETE", url: "/tabs/t1?userId=hermes_home" });
  });
});

describe.skipIf(chromium === undefined)("with a real browser", () => {
  it("[30:3.15] a cloud that fails falls back to this machine, and says so", async () => {
    web.on("POST /browsers", { status: 500, body: { error: "no capacity" } });
    const deps = openDeps({}, { provider: () => Promise.resolve(browserUse({ key, origin: web.origin })) });
    const driver = await openBrowser(deps, { taskId: "t", isStrict: false }, signal);
    try {
      expect(driver.kind).toBe("local");
      expect(driver.facts).toMatchObject({
        fallback_from_cloud: true,
        fallback_provider: "browser-use",
        fallback_reason: "HTTP 500: no capacity",
      });
    } finally {
      await driver[Symbol.asyncDispose]();
    }
  });

  it("[30:3.15] a user's own browser is driven over its DevTools address and left running", async () => {
    const profile = await mkdtemp(path.join(folder, "own-"));
    const args = [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--no-first-run",
      "--remote-debugging-port=0",
      `--user-data-dir=${profile}`,
    ];
    await using own = await spawnProcess(chromium ?? "", args, {
      env: { PATH: process.env["PATH"] ?? "", HOME: folder },
      signal,
    });
    const portFile = path.join(profile, "DevToolsActivePort");
    // The file is there before its content is.
    const read = (): Promise<string> => readFile(portFile, "utf8").catch(() => "");
    await expect.poll(read, { timeout: 15_000 }).toMatch(/^\d+\n\/devtools/);
    const port = (await read()).split("\n")[0];
    const driver = await openBrowser(
      openDeps({ cdpUrl: `http://127.0.0.1:${port}` }),
      { taskId: "t", isStrict: false },
      signal,
    );
    expect(driver.kind).toBe("cdp");
    expect(await driver.navigate(`${web.origin}/page`, signal)).toMatchObject({ title: "Here" });
    expect(await driver.outline(signal)).toContain('button "Go"');
    await driver[Symbol.asyncDispose]();
    expect(await resolveEndpoint(`http://127.0.0.1:${port}`, signal)).toMatchObject({ kind: "ready" });
    expect(own.pid).toBeGreaterThan(0);
  }, 40_000);

  it("[30:3.15] with a cloud browser a private address goes to one on this machine, and later calls follow", async () => {
    let created = 0;
    const provider = {
      name: "fake",
      create: () => {
        created += 1;
        return Promise.resolve({ kind: "failed", reason: "unused" } as const);
      },
    };
    const deps = openDeps({}, { provider: () => Promise.resolve(provider) });
    const guard = new PageGuard(
      { allowPrivate: false, sites: [], resolve: () => Promise.resolve(["93.184.216.34"]) },
      deps.options,
    );
    await using sessions = new BrowserSessions(deps, guard);
    const driver = await sessions.forNavigation({
      taskId: "t",
      surface: "cli",
      url: `${web.origin}/page`,
      exit: testExits().open("browser_navigate", toolContext()),
      signal,
    });
    expect(driver.kind).toBe("local");
    expect(created).toBe(0);
    expect(sessions.current("t")).toBe(driver);
  });

  it("[30:3.15] the browser is gone after its owner was killed, and the profile is reaped", async () => {
    const root = path.join(folder, "orphans");
    const program = `
      import { createProfile } from ${JSON.stringify(path.resolve("src/tools/browser/profiles.ts"))};
      import { chromium } from ${JSON.stringify(path.resolve("node_modules/playwright-core/index.mjs"))};
      const profile = await createProfile(${JSON.stringify(root)});
      await chromium.launchPersistentContext(profile, { executablePath: ${JSON.stringify(chromium)}, headless: true, chromiumSandbox: false });
      process.stdout.write("ready\\n");
      setInterval(() => undefined, 1000);`;
    const file = path.join(folder, "owner.mts");
    await writeFile(file, program);
    await using owner = await spawnProcess(process.execPath, ["--conditions=hermes-source", "--import", "tsx", file], {
      env: { ...process.env } as Record<string, string>,
      signal,
    });
    const entries = (): Promise<readonly string[]> => readdir(root).catch(() => []);
    await expect.poll(entries, { timeout: 20_000 }).toHaveLength(1);
    const [entry = ""] = await entries();
    await expect.poll(() => readdir(path.join(root, entry)), { timeout: 20_000 }).toContain("SingletonLock");
    expect(await reapProfiles(root)).toEqual([]);
    process.kill(owner.pid, "SIGKILL");
    // Nothing of ours runs any more that could end it: it notices by itself that its owner is gone.
    const isRunning = async (): Promise<boolean> =>
      (await runProcess("pgrep", ["-f", entry], { signal })).exitCode === 0;
    await expect.poll(isRunning, { timeout: 15_000 }).toBe(false);
    expect(await reapProfiles(root)).toEqual([entry]);
  }, 60_000);
});
