import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HermesHome } from "#foundation/files/paths";
import { systemClock } from "#foundation/time/clock";
import { tokenLockFile, withTokenLock } from "../rights/token-lock.ts";
import { asOnlyInstance, runningInstance } from "./instance.ts";
import { StatusFile } from "./status-file.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "hermes-process-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));
const { signal } = new AbortController();

describe("the gateway of a home", () => {
  const instance = () => ({ home: new HermesHome(folder), clock: systemClock, signal });

  it("has a file with its process while it runs; one that a dead process left counts for nothing [40:PRC-11] [40:PRC-13] [40:A-PRC-4]", async () => {
    const { home } = instance();
    await writeFile(home.gatewayPid, JSON.stringify({ pid: 2 ** 22 + 1, kind: "hermes-gateway" }));
    expect(await runningInstance(home)).toBeUndefined();
    const seen = await asOnlyInstance(instance(), { replaces: false }, () => runningInstance(home));
    expect(seen?.pid).toBe(process.pid);
    expect(await runningInstance(home)).toBeUndefined();
  });

  it("leaves a file that names another process alone when it ends [40:PRC-12]", async () => {
    const { home } = instance();
    const other = JSON.stringify({ pid: process.ppid, kind: "hermes-gateway" });
    await asOnlyInstance(instance(), { replaces: false }, async () => {
      expect(await readFile(home.gatewayPid, "utf8")).toContain(`"pid":${process.pid}`);
      await writeFile(home.gatewayPid, other);
    });
    expect(await readFile(home.gatewayPid, "utf8")).toBe(other);
  });

  it("is one: a second is refused with the process of the first [40:PRC-14]", async () => {
    const { home } = instance();
    await writeFile(home.gatewayPid, JSON.stringify({ pid: process.ppid, kind: "hermes-gateway" }));
    const second = asOnlyInstance(instance(), { replaces: false }, () => Promise.resolve("ran"));
    await expect(second).rejects.toThrow(String(process.ppid));
  });
});

describe("a credential", () => {
  const lock = { scope: "telegram-bot-token", identity: "123456:ABC-token" };
  const env = () => ({ HERMES_GATEWAY_LOCK_DIR: folder });

  it("is locked by a file that does not name it [40:PRC-17] [40:A-PRC-3]", async () => {
    const file = tokenLockFile(lock, env());
    expect(path.basename(file)).toBe("telegram-bot-token-1da66bad037a7c6a.lock");
    const text = await withTokenLock(lock, { env: env(), signal }, () => readFile(file, "utf8"));
    expect(text).not.toContain("ABC-token");
    expect(text).toContain(String(process.pid));
  });

  it("is used by one process: another is told which, and does not try again [40:PRC-16] [40:PRC-18] [40:A-PRC-2]", async () => {
    const refused = withTokenLock(lock, { env: env(), signal }, () =>
      withTokenLock(lock, { env: env(), signal }, () => Promise.resolve("both")),
    );
    await expect(refused).rejects.toMatchObject({ code: "telegram-bot-token_lock", isRetryable: false });
  });
});

describe("the status file", () => {
  it("says how the gateway and its platforms are [40:PRC-41]", async () => {
    const status = new StatusFile(path.join(folder, "state.json"), { clock: systemClock, roles: ["worker"] });
    status.gateway("running", 2);
    status.platform("telegram", { state: "fatal", errorCode: "auth", errorMessage: "no" });
    await status.settled();
    expect(JSON.parse(await readFile(path.join(folder, "state.json"), "utf8"))).toMatchObject({
      pid: process.pid,
      gateway_state: "running",
      roles: ["worker"],
      active_agents: 2,
      platforms: { telegram: { state: "fatal", error_code: "auth", error_message: "no" } },
    });
  });
});
