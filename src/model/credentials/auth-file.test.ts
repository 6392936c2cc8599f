import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { runProcess } from "#foundation/process/run";
import { FakeClock } from "#foundation/testing/fake-clock";
import { AuthFile } from "./auth-file.ts";
import {
  activeProvider,
  loginOf,
  probedBaseUrl,
  withActiveProvider,
  withLogin,
  withoutProvider,
  withProbedBaseUrl,
} from "./auth-state.ts";
import { keychainBackend, openKeychain } from "./keychain.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-auth-"));
  path = join(folder, "auth.json");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("the store", () => {
  test("[20:R3.46] is written whole, for its owner only, with the fields of other versions kept", async () => {
    writeFileSync(path, JSON.stringify({ version: 1, from_elsewhere: [1], providers: { nous: { a: 1 } } }));
    chmodSync(path, 0o644);
    const file = new AuthFile({ path, clock: new FakeClock(0) });
    await file.update((state) => withActiveProvider(withLogin(state, "x", { token: "t" }), "x"), never);
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({
      version: 1,
      from_elsewhere: [1],
      providers: { nous: { a: 1 }, x: { token: "t" } },
      active_provider: "x",
      updated_at: "1970-01-01T00:00:00.000Z",
    });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(existsSync(join(folder, "auth.lock"))).toBe(false);
  });

  test("a change that changes nothing writes nothing", async () => {
    const file = new AuthFile({ path });
    await file.update((state) => state, never);
    expect(existsSync(path)).toBe(false);
  });

  test("[20:A3.14] an unreadable store counts as empty, is kept aside, and is told once", async () => {
    writeFileSync(path, '{"providers": {"nous": ');
    const warnings: string[] = [];
    const file = new AuthFile({ path, warn: (message) => warnings.push(message) });
    expect(activeProvider(await file.read(never))).toBeUndefined();
    await file.read(never);
    expect(readFileSync(`${path}.corrupt`, "utf8")).toBe('{"providers": {"nous": ');
    expect(statSync(`${path}.corrupt`).mode & 0o777).toBe(0o600);
    expect(warnings).toHaveLength(1);
    await file.update((state) => withActiveProvider(state, "x"), never);
    expect(activeProvider(await file.read(never))).toBe("x");
  });

  test("[20:R3.46] changes of two processes at once are all there in the end", async () => {
    const program = `
      import { AuthFile } from ${JSON.stringify(pathToFileURL(join(import.meta.dirname, "auth-file.ts")).href)};
      import { withLogin } from ${JSON.stringify(pathToFileURL(join(import.meta.dirname, "auth-state.ts")).href)};
      const file = new AuthFile({ path: ${JSON.stringify(path)} });
      const signal = new AbortController().signal;
      for (let i = 0; i < 10; i += 1) await file.update((state) => withLogin(state, process.argv[2] + i, { i }), signal);`;
    const script = join(folder, "child.mts");
    writeFileSync(script, program);
    const run = (name: string) =>
      runProcess(process.execPath, ["--conditions=hermes-source", "--import", "tsx", script, name], {
        signal: never,
        cwd: process.cwd(),
      });
    const results = await Promise.all([run("a"), run("b")]);
    expect(results.map((result) => [result.exitCode, result.stderr.toString()])).toEqual([
      [0, ""],
      [0, ""],
    ]);
    const { providers } = JSON.parse(readFileSync(path, "utf8")) as { providers: object };
    expect(Object.keys(providers)).toHaveLength(20);
  });

  test("[20:R3.47] logging out forgets login and pool and says whether it was the active one", async () => {
    const file = new AuthFile({ path });
    const before = await file.update((state) => withActiveProvider(withLogin(state, "nous", { a: 1 }), "nous"), never);
    const { state, wasActive } = withoutProvider(before, "nous");
    expect([loginOf(state, "nous"), activeProvider(state), wasActive]).toEqual([undefined, undefined, true]);
  });

  test("[20:R2.5] the address a key works at is kept under its fingerprint", () => {
    const state = withProbedBaseUrl({ raw: {} }, "zai", {
      fingerprint: "abc",
      baseUrl: "https://open.bigmodel.cn/api/paas/v4",
    });
    expect([probedBaseUrl(state, "zai", "abc"), probedBaseUrl(state, "zai", "other")]).toEqual([
      "https://open.bigmodel.cn/api/paas/v4",
      undefined,
    ]);
  });

  test("[20:R3.49] a test never opens the real one", () => {
    expect(() => new AuthFile({ path: join(userInfo().homedir, ".hermes", "auth.json") })).toThrow(
      "real credential store",
    );
    expect(() => new AuthFile({ path: join(userInfo().homedir, ".hermes", "auth.json"), env: {} })).not.toThrow();
  });
});

describe("[20:R3.48] the system keychain", () => {
  /** A stand-in for the system's program: keeps items as files, and shows that no secret is among its arguments. */
  const program = (name: string, body: string): void => {
    writeFileSync(join(folder, name), `#!/bin/sh\necho "$@" >> "${folder}/args"\n${body}\n`);
    chmodSync(join(folder, name), 0o755);
  };
  const env = (): Record<string, string> => ({ PATH: `${folder}:${process.env.PATH ?? ""}`, USER: "me" });

  test("on Linux through secret-tool", async () => {
    program(
      "secret-tool",
      `case "$1" in store) cat > "${folder}/item-$4";; lookup) cat "${folder}/item-$3" 2>/dev/null;; esac`,
    );
    const keychain = openKeychain({ platform: "linux", env: env() });
    if (keychain === undefined) throw new Error("no keychain");
    const file = new AuthFile({ path, backend: keychainBackend(keychain, path) });
    expect(activeProvider(await file.read(never))).toBeUndefined();
    await file.update((state) => withLogin(state, "x", { token: "very-secret" }), never);
    expect(loginOf(await file.read(never), "x")).toEqual({ token: "very-secret" });
    expect(existsSync(path)).toBe(false);
    expect(readFileSync(join(folder, "args"), "utf8")).not.toContain("very-secret");
  });

  test("on a Mac through security, with the value on standard input", async () => {
    program(
      "security",
      `case "$1" in -i) read line; echo "$line" | sed 's/.*-X //' > "${folder}/item";; find-generic-password) cat "${folder}/item" 2>/dev/null || exit 44;; esac`,
    );
    const keychain = openKeychain({ platform: "darwin", env: env() });
    if (keychain === undefined) throw new Error("no keychain");
    expect(await keychain.read("hermes", never)).toBeUndefined();
    await keychain.write("hermes", '{"token":"very-secret"}', never);
    expect(await keychain.read("hermes", never)).toBe('{"token":"very-secret"}');
    expect(readFileSync(join(folder, "args"), "utf8")).not.toContain("very-secret");
  });

  test("a missing program is nothing to read from and an error to write to", async () => {
    const keychain = openKeychain({ platform: "linux", env: { PATH: folder } });
    expect(await keychain?.read("x", never)).toBeUndefined();
    await expect(keychain?.write("x", "y", never)).rejects.toMatchObject({ code: "keychain_unavailable" });
    expect(openKeychain({ platform: "win32", env: {} })).toBeUndefined();
  });
});
