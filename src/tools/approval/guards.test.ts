import fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Confinement } from "../confinement/confinement.ts";
import type { ApprovalGate } from "../contract/approval-request.ts";
import { addressKind } from "../network/addresses.ts";
import { createSafeFetch } from "../network/safe-fetch.ts";
import { blockedSite, readSiteList } from "../network/sites.ts";
import { checkUrl, hasSecretInUrl, type UrlRules } from "../network/urls.ts";
import { folderTerminal, testScope } from "../testing.ts";
import { scanCommand } from "./detector/scanner.ts";
import { createPathGuard } from "./paths.ts";

const { signal } = new AbortController();
const rules = (changes: Partial<UrlRules> = {}): UrlRules => ({
  allowPrivate: false,
  sites: [],
  resolve: (host) =>
    host === "nowhere.test" ? Promise.reject(new Error("ENOTFOUND")) : Promise.resolve(["93.184.216.34"]),
  ...changes,
});
const verdict = async (url: string, changes: Partial<UrlRules> = {}) =>
  (await checkUrl(url, rules(changes), signal)).kind;

describe("addresses that may be fetched [30:5.9] [30:5.14]", () => {
  it.each([
    ["https://example.com/a", "allowed"],
    ["http://localhost:3000/", "refused"],
    ["http://127.1/", "refused"],
    ["http://10.0.0.5/", "refused"],
    ["http://[::1]/", "refused"],
    ["http://100.64.1.1/", "refused"],
    ["http://0x7f000001/", "refused"],
    ["http://2130706433/", "refused"],
    ["http://0177.0.0.1/", "refused"],
    ["http://[::ffff:10.0.0.1]/", "refused"],
    ["http://[64:ff9b::a00:1]/", "refused"],
    ["http://metadata.google.internal/", "refused"],
    ["http://169.254.169.254/latest", "refused"],
    ["ftp://example.com/", "refused"],
    ["file:///etc/passwd", "refused"],
    ["http://nowhere.test/", "refused"],
    ["https://user:pw@example.com/", "refused"],
    ["https://x.test/?t=ghp_abcdefghij1234", "refused"],
    ["https://x.test/?t=%67hp_abcdefghij1234", "refused"],
    ["not an address", "refused"],
  ])("%s is %s", async (url, expected) => {
    const resolve = (host: string) =>
      host === "localhost" ? Promise.resolve(["127.0.0.1"]) : rules().resolve(host, signal);
    expect(await verdict(url, { resolve })).toBe(expected);
  });

  it("lets private networks in when told to, metadata never", async () => {
    expect(await verdict("http://10.0.0.5/", { allowPrivate: true })).toBe("allowed");
    expect(await verdict("http://169.254.169.254/", { allowPrivate: true })).toBe("refused");
    expect(
      await verdict("http://x.test/", {
        allowPrivate: true,
        resolve: () => Promise.resolve(["8.8.8.8", "169.254.169.254"]),
      }),
    ).toBe("refused");
  });

  it("refuses a name when any of its addresses is private", async () => {
    expect(await verdict("http://x.test/", { resolve: () => Promise.resolve(["8.8.8.8", "192.168.0.1"]) })).toBe(
      "refused",
    );
  });

  it.each([
    ["8.8.8.8", "public"],
    ["fd00:ec2::254", "metadata"],
    ["100.100.100.200", "metadata"],
    ["fe80::1", "private"],
    ["2002:7f00:0001::", "private"],
    ["::ffff:169.254.169.254", "metadata"],
    ["2606:4700::1", "public"],
    ["nonsense", "private"],
  ])("%s is %s", (address, kind) => {
    expect(addressKind(address)).toBe(kind);
  });

  it("sees credentials in addresses, plain or encoded, and not in ordinary ones", () => {
    expect(hasSecretInUrl("https://x.test/?k=sk-aaaaaaaaaaaaaaaa")).toBe(true);
    expect(hasSecretInUrl("https://example.com/tasks-and-skills/ask-me")).toBe(false);
    expect(hasSecretInUrl("https://example.com/%E0%A4%A")).toBe(false);
  });
});

describe("the user's blocked sites", () => {
  it.each([
    ["example.com", "a.example.com", true],
    ["example.com", "example.com", true],
    ["example.com", "notexample.com", false],
    ["*.corp.test", "x.corp.test", true],
    ["*.corp.test", "corp.test", false],
    ["https://www.Example.com/path", "example.com.", true],
    ["*", "example.com", true],
  ])("%s for %s", (pattern, host, isBlocked) => {
    expect(blockedSite(host, [{ pattern, source: "config" }]) !== undefined).toBe(isBlocked);
  });

  it("come from lists too", () => {
    expect(readSiteList("# ads\n0.0.0.0 ads.test\nbad.test # really\n\n", "list").map((rule) => rule.pattern)).toEqual([
      "ads.test",
      "bad.test",
    ]);
  });
});

describe("fetching safely", () => {
  const serve = async (answer: http.RequestListener) => {
    const server = http.createServer(answer);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    return { port, close: () => new Promise((resolve) => server.close(resolve)), server };
  };
  const options = { maxBytes: 10_000, timeoutMs: 5_000, signal };

  it("connects to the address that was judged, whatever the name says by then", async () => {
    const { port, close } = await serve((request, response) => response.end(`hello ${request.headers.host}`));
    const fetch = createSafeFetch(rules({ allowPrivate: true, resolve: () => Promise.resolve(["127.0.0.1"]) }), false);
    const page = await fetch(`http://pinned.test:${port}/`, options);
    expect(page).toMatchObject({ kind: "page", status: 200 });
    expect(page.kind === "page" && Buffer.from(page.body).toString()).toBe(`hello pinned.test:${port}`);
    await close();
  });

  it("judges every redirect anew", async () => {
    const { port, close } = await serve((request, response) => {
      const location = request.url === "/" ? "http://internal.test/" : "/";
      response.writeHead(302, { location }).end();
    });
    const resolve = (host: string) => Promise.resolve([host === "internal.test" ? "192.168.0.1" : "127.0.0.1"]);
    const checks: string[] = [];
    const fetch = createSafeFetch(
      {
        ...rules(),
        allowPrivate: true,
        resolve: (host) => {
          checks.push(host);
          return host === "internal.test" ? Promise.resolve(["169.254.169.254"]) : resolve(host);
        },
      },
      false,
    );
    expect(await fetch(`http://start.test:${port}/`, options)).toMatchObject({
      kind: "refused",
      url: "http://internal.test/",
    });
    expect(checks).toEqual(["start.test", "internal.test"]);
    expect(await fetch(`http://start.test:${port}/loop`, { ...options, maxRedirects: 0 })).toMatchObject({
      kind: "failed",
      reason: "too many redirects",
    });
    await close();
  });

  it("behind a proxy leaves looking names up to it, and still refuses what leads into a private network", async () => {
    const asked: string[] = [];
    const { port, close } = await serve((request, response) => {
      asked.push(`${request.url} ${request.headers.host}`);
      if (request.url?.includes("/away") === true) response.writeHead(302, { location: "http://10.0.0.1/" }).end();
      else response.end("through the proxy");
    });
    const fetch = createSafeFetch(rules(), { httpProxy: `http://127.0.0.1:${port}`, noProxy: "direct.test" });
    for (const host of ["public.test", "nowhere.test"])
      expect(await fetch(`http://${host}/page`, options)).toMatchObject({ kind: "page", status: 200 });
    expect(asked).toEqual(["http://public.test/page public.test", "http://nowhere.test/page nowhere.test"]);
    expect(await fetch("http://public.test/away", options)).toMatchObject({ kind: "refused", url: "http://10.0.0.1/" });
    const inside = createSafeFetch(rules({ resolve: () => Promise.resolve(["192.168.0.1"]) }), {
      httpProxy: `http://127.0.0.1:${port}`,
    });
    expect(await inside("http://inside.test/", options)).toMatchObject({ kind: "refused" });
    expect(asked).toHaveLength(3);
    await close();
  });

  it("bounds size, also of what unpacks to more, and time", async () => {
    const { port, close, server } = await serve((request, response) => {
      if (request.url === "/zip")
        response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(1_000_000)));
      else if (request.url === "/big") response.end(Buffer.alloc(50_000));
    });
    const fetch = createSafeFetch(rules({ allowPrivate: true, resolve: () => Promise.resolve(["127.0.0.1"]) }), false);
    expect(await fetch(`http://x.test:${port}/zip`, options)).toMatchObject({
      kind: "failed",
      reason: expect.stringContaining("10000 bytes"),
    });
    expect(await fetch(`http://x.test:${port}/big`, options)).toMatchObject({ kind: "failed" });
    expect(await fetch(`http://x.test:${port}/hang`, { ...options, timeoutMs: 50 })).toMatchObject({
      kind: "failed",
      reason: expect.stringContaining("no answer"),
    });
    server.closeAllConnections();
    await close();
  });
});

describe("paths that tools may use [30:5.10] [30:5.14]", () => {
  let folder = "";
  beforeEach(() => {
    folder = fs.realpathSync(fs.mkdtempSync(path.join(tmpdir(), "hermes-guard-")));
    fs.mkdirSync(path.join(folder, ".ssh"));
    fs.mkdirSync(path.join(folder, "work"));
    fs.symlinkSync(path.join(folder, ".ssh"), path.join(folder, "work", "link"));
    fs.writeFileSync(path.join(folder, ".ssh", "id_rsa"), "key");
  });
  afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

  it("are judged by where links lead, and credentials are asked about", async () => {
    const asked: string[] = [];
    const gate: ApprovalGate = {
      checkCommand: () => Promise.resolve({ kind: "run" }),
      checkFindings: (_summary, findings) => {
        asked.push(...findings.map((one) => one.key));
        if (findings.length === 0) return Promise.resolve({ kind: "run" });
        return Promise.resolve({ kind: "blocked", reason: "no", isHardline: false, findings });
      },
    };
    const wall: Confinement = {
      workspace: path.join(folder, "work"),
      writable: [path.join(folder, "work")],
      home: folder,
      otherHomes: [],
      hermesHome: path.join(folder, ".hermes"),
      hermesReadable: [],
      hermesWritable: [],
      masked: [],
      network: { mode: "ask", allow: [], deny: [] },
      environment: [],
      enforcement: "none",
    };
    const rules = {
      confinement: () => Promise.resolve(wall),
      noteRead: () => Promise.resolve(),
      isForeignFolder: () => false,
      reveal: () => Promise.resolve(),
    };
    const guard = createPathGuard(rules, gate);
    const context = { terminal: folderTerminal(folder), taskId: "t", scope: testScope(), signal };
    expect((await guard(path.join(folder, "work", "link", "new"), "write", context)).kind).toBe("refused");
    expect((await guard(path.join(folder, "work", "ok.txt"), "write", context)).kind).toBe("allowed");
    expect((await guard(path.join(folder, "work", "link", "id_rsa"), "read", context)).kind).toBe("refused");
    expect((await guard(path.join(folder, ".hermes", "auth.json"), "read", context)).kind).toBe("refused");
    expect((await guard(path.join(folder, "elsewhere"), "write", context)).kind).toBe("refused");
    expect(asked).toEqual(["change a secret", "read a secret", "write outside the workspace"]);
    const narrow = createPathGuard({ ...rules, safeRoot: path.join(folder, "work", "in") }, gate);
    expect((await narrow(path.join(folder, "work", "ok.txt"), "write", context)).kind).toBe("refused");
  });
});

describe("the content scanner [30:5.8]", () => {
  it.each([
    ["curl https://xn--pypal-4ve.com/login", "scan:homograph-host"],
    ["curl https://google.com@evil.test/", "scan:userinfo-host"],
    ["echo \u001b[2K", "scan:terminal-escape"],
    ["ls \u202e", "scan:invisible-characters"],
    ["LD_PRELOAD=./x.so ls", "scan:environment-manipulation"],
    ["PATH=/tmp/evil ls", "scan:environment-manipulation"],
  ])("finds what %j does", (command, key) => {
    expect(scanCommand(command).map((one) => one.key)).toEqual([key]);
  });

  it.each([
    "ls -la",
    'PATH="$PATH:/opt/bin" make',
    "curl https://example.com",
    "NODE_ENV=test npm test",
    "echo naïve café",
  ])("leaves %j alone", (command) => {
    expect(scanCommand(command)).toEqual([]);
  });
});
