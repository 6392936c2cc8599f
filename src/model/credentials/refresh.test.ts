import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { httpRequest } from "#foundation/http/request";
import { never } from "#foundation/lifecycle/abort";
import { Deferred } from "#foundation/lifecycle/deferred";
import { runProcess, spawnProcess } from "#foundation/process/run";
import { FakeClock } from "#foundation/testing/fake-clock";
import { systemClock } from "#foundation/time/clock";
import { badKey, says, startModelServer } from "../../../test/fakes/model-server/index.ts";
import { rotatingIssuer, startOAuthServer } from "../../../test/fakes/oauth-server.ts";
import { classify } from "../failures/classify.ts";
import { fileSlot, type LoginSlot, type StoredLogin } from "./login-slot.ts";
import { NousGuard } from "./nous-guard.ts";
import { qwenCodec } from "./oauth/qwen.ts";
import { CredentialRecovery } from "./recovery.ts";
import { RenewingTokens } from "./refresh.ts";
import { tokenCredential } from "./scoped.ts";
import { openTlsConnections } from "./tls.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-refresh-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const module = (path: string): string => JSON.stringify(pathToFileURL(join(import.meta.dirname, path)).href);

/** A process that renews the login in `creds.json` at the given server, and prints the token it then has. */
function child(name: string, tokenUrl: string, before = ""): readonly string[] {
  const script = join(folder, `${name}.mts`);
  writeFileSync(
    script,
    `
    import { createQwenFlow } from ${module("oauth/qwen.ts")};
    import { AuthFile } from ${module("auth-file.ts")};
    const folder = ${JSON.stringify(folder)};
    const clock = { now: () => Date.now(), sleep: async () => undefined };
    const authFile = new AuthFile({ path: folder + "/auth.json" });
    const context = { authFile, clock, env: {}, userHome: folder, hermesHome: folder };
    ${before}
    const token = await createQwenFlow(context, { token: ${JSON.stringify(tokenUrl)} }).tokens().current(new AbortController().signal);
    console.log(token.secret.reveal());`,
  );
  return ["--conditions=hermes-source", "--import", "tsx", script];
}

async function writeCreds(): Promise<string> {
  const { mkdirSync } = await import("node:fs");
  mkdirSync(join(folder, ".qwen"));
  const path = join(folder, ".qwen", "oauth_creds.json");
  writeFileSync(
    path,
    JSON.stringify({ access_token: "old", refresh_token: "refresh-0", expiry_date: Date.now() - 1000 }),
  );
  return path;
}

/** A login that is only in memory. */
function memorySlot(login: StoredLogin): LoginSlot {
  let held = login;
  const read = () => Promise.resolve(held);
  const write = (next: StoredLogin) => {
    held = next;
    return Promise.resolve();
  };
  return { read, exclusively: (work) => work({ read, write }) };
}

describe("[20:R3.31] one renewal at a time", () => {
  test("two processes at once make one call and both have the new token", async () => {
    await using server = await startOAuthServer();
    await writeCreds();
    server.on("/token", rotatingIssuer({ firstRefreshToken: "refresh-0" }));
    const run = (name: string) =>
      runProcess(process.execPath, [...child(name, `${server.url}/token`)], { signal: never, cwd: process.cwd() });
    const results = await Promise.all([run("one"), run("two")]);
    expect(
      results.map((result) => [result.exitCode, result.stdout.toString().trim(), result.stderr.toString()]),
    ).toEqual([
      [0, "access-1", ""],
      [0, "access-1", ""],
    ]);
    expect(server.calls).toHaveLength(1);
  });

  test("a process killed in the middle of a renewal leaves the login readable and the lock free", async () => {
    await using server = await startOAuthServer();
    const path = await writeCreds();
    const asked = new Deferred<void>();
    const release = new Deferred<void>();
    const issue = rotatingIssuer({ firstRefreshToken: "refresh-0" });
    server.on("/token", async () => {
      asked.resolve();
      await release.promise;
      return { status: 500 };
    });
    const doomed = await spawnProcess(process.execPath, child("doomed", `${server.url}/token`), {
      signal: never,
      cwd: process.cwd(),
    });
    doomed.stdout.resume();
    doomed.stderr.resume();
    await asked.promise;
    await doomed.kill({ graceMs: 0 });
    release.resolve();
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ refresh_token: "refresh-0" });
    server.on("/token", issue);
    const next = await runProcess(process.execPath, [...child("next", `${server.url}/token`)], {
      signal: never,
      cwd: process.cwd(),
    });
    expect([next.exitCode, next.stdout.toString().trim()]).toEqual([0, "access-1"]);
  });

  test("one caller giving up does not take the token from the others", async () => {
    const clock = new FakeClock(1_800_000_000_000);
    const answer = new Deferred<void>();
    let calls = 0;
    const tokens = new RenewingTokens({
      slot: memorySlot({ accessToken: "old", refreshToken: "r", expiresAtMs: clock.now(), extra: {} }),
      earlyMs: 0,
      clock,
      renew: async () => {
        calls += 1;
        await answer.promise;
        return { kind: "renewed", login: { accessToken: "new", expiresAtMs: clock.now() + 1000, extra: {} } };
      },
      missing: { code: "x", message: "x", hint: "x" },
    });
    const impatient = new AbortController();
    const first = tokens.current(impatient.signal);
    const second = tokens.current(never);
    impatient.abort(new Error("enough"));
    await expect(first).rejects.toThrow("enough");
    answer.resolve();
    expect((await second).secret.reveal()).toBe("new");
    expect(calls).toBe(1);
  });

  test("a login that cannot be written is not handed out", async () => {
    const slot = fileSlot("/proc/nowhere/creds.json", qwenCodec);
    const tokens = new RenewingTokens({
      slot,
      earlyMs: 0,
      clock: systemClock,
      renew: async () => ({ kind: "failure", code: "x", message: "x", hint: "x" }),
      missing: { code: "missing", message: "nobody", hint: "log in" },
    });
    await expect(tokens.current(never)).rejects.toMatchObject({ code: "missing" });
  });
});

describe("[20:A3.8][20:R3.30] a refused token", () => {
  test("401, then 200: one renewal, two calls, success", async () => {
    await using server = await startModelServer({});
    server.script(badKey(), says("hello"));
    const clock = new FakeClock(1_800_000_000_000);
    let renewals = 0;
    const handle = tokenCredential({
      id: "1",
      source: "claude_code",
      scheme: { kind: "bearer" },
      allowedHosts: [new URL(server.url).host],
      tokens: new RenewingTokens({
        slot: memorySlot({ accessToken: "sk-ant-oat-old", refreshToken: "r", extra: {} }),
        earlyMs: 0,
        clock,
        renew: async () => {
          renewals += 1;
          return { kind: "renewed", login: { accessToken: "sk-ant-oat-new", extra: {} } };
        },
        missing: { code: "x", message: "x", hint: "x" },
      }),
    });
    const call = async () => {
      const url = new URL(`${server.anthropicBaseUrl}/v1/messages`);
      const body = JSON.stringify({ model: "claude-x", max_tokens: 10, messages: [{ role: "user", content: "hi" }] });
      const headers = { "content-type": "application/json", "anthropic-version": "2023-06-01" };
      const authorized = await handle.authorize({ method: "POST", url, headers, body }, never);
      const response = await httpRequest(url, {
        method: "POST",
        headers: { ...headers, ...authorized },
        body,
        signal: never,
        timeoutMs: 5000,
        maxBodyBytes: 100_000,
      });
      if (response.kind === "failure") throw new Error(response.failure.message);
      const text = await response.text();
      return {
        status: response.status,
        headers: response.headers,
        body: text.kind === "text" ? text.text : "",
      };
    };
    const recovery = new CredentialRecovery({ handle });
    const first = await call();
    const failure = classify(
      { kind: "http", ...first },
      { provider: "anthropic", model: "claude-x", tokens: 1, window: 1000, messageCount: 1, nowMs: clock.now() },
    );
    expect(await recovery.next(failure, never)).toEqual({ kind: "retry", why: "refreshed" });
    expect((await call()).status).toBe(200);
    expect(renewals).toBe(1);
    expect(server.requests.map((request) => request.headers.authorization)).toEqual([
      "Bearer sk-ant-oat-old",
      "Bearer sk-ant-oat-new",
    ]);
  });
});

describe("[20:R3.42] the guard of the Nous account", () => {
  test("an empty bucket is remembered for everybody until it fills; a busy upstream is not", async () => {
    const clock = new FakeClock(1_800_000_000_000);
    const path = join(folder, "rate_limits", "nous.json");
    const guard = new NousGuard(path, clock);
    expect(await guard.blockedUntilMs()).toBeUndefined();
    expect(await guard.noteRefusal({ "retry-after": "30" })).toBe(false);
    expect(await guard.noteRefusal({ "x-ratelimit-remaining-requests": "5", "retry-after": "30" })).toBe(false);
    expect(await guard.blockedUntilMs()).toBeUndefined();
    expect(await guard.noteRefusal({ "X-RateLimit-Remaining-Requests": "0", "x-ratelimit-reset-requests": "60" })).toBe(
      true,
    );
    const other = new NousGuard(path, clock);
    expect(await other.blockedUntilMs()).toBe(clock.now() + 60_000);
    await clock.advance(60_000);
    expect(await other.blockedUntilMs()).toBeUndefined();
  });

  test("[10:ERR-11] [10:A11.13] an hourly bucket closes the door for every process, a good answer opens it", async () => {
    const clock = new FakeClock(1_800_000_000_000);
    const path = join(folder, "rate_limits", "nous-hour.json");
    const guard = new NousGuard(path, clock);
    const empty = { "X-RateLimit-Remaining-Requests-1H": "0", "X-RateLimit-Reset-Requests-1H": "1800" };
    expect(await guard.noteRefusal(empty)).toBe(true);
    expect(await new NousGuard(path, clock).blockedUntilMs()).toBe(clock.now() + 1_800_000);
    await guard.noteAnswer({});
    expect(await new NousGuard(path, clock).blockedUntilMs()).toBeUndefined();
    const throttled = { "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "20" };
    expect(await guard.noteRefusal(throttled)).toBe(false);
  });

  test("[10:ERR-11] a refusal without figures is read by the last good answer", async () => {
    const clock = new FakeClock(1_800_000_000_000);
    const guard = new NousGuard(join(folder, "rate_limits", "nous-last.json"), clock);
    await guard.noteAnswer({ "x-ratelimit-remaining-tokens-1h": "0", "x-ratelimit-reset-tokens-1h": "900" });
    expect(await guard.noteRefusal({})).toBe(true);
    expect(await guard.blockedUntilMs()).toBe(clock.now() + 900_000);
  });
});

describe("[20:R3.43] certificates", () => {
  test("the first that is named counts; one that is missing warns and changes nothing", async () => {
    await using missing = await openTlsConnections({
      env: { HERMES_CA_BUNDLE: join(folder, "none.pem"), SSL_CERT_FILE: "/x" },
    });
    expect([missing.client, missing.warnings]).toEqual([
      undefined,
      [expect.stringMatching(/HERMES_CA_BUNDLE names .*none\.pem/)],
    ]);
    writeFileSync(join(folder, "ca.pem"), "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n");
    await using own = await openTlsConnections({
      caBundle: join(folder, "ca.pem"),
      env: { HERMES_CA_BUNDLE: "/none" },
    });
    expect([typeof own.client, own.warnings]).toEqual(["object", []]);
    await using insecure = await openTlsConnections({ isInsecure: true, env: {} });
    expect(insecure.warnings).toHaveLength(1);
    await using usual = await openTlsConnections({ env: {} });
    expect([usual.client, usual.warnings]).toEqual([undefined, []]);
  });
});
