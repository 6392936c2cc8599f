import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { Scope } from "#foundation/lifecycle/disposal";
import { says, startModelServer } from "../fakes/model-server/index.ts";
import { startTelegramServer } from "../fakes/platforms/telegram-server.ts";
import { Stage } from "./support/stage.ts";

const scopes: Scope[] = [];
afterEach(async () => {
  for (const scope of scopes.splice(0)) await scope[Symbol.asyncDispose]();
});

async function stage(more = "") {
  const scope = new Scope();
  scopes.push(scope);
  const model = scope.adopt(await startModelServer());
  const telegram = scope.adopt(await startTelegramServer());
  const config = [
    `model: { provider: custom, default: test-model, base_url: "${model.chatBaseUrl}", context_length: 128000 }`,
    `telegram: { base_url: "${telegram.url}"${more} }`,
  ].join("\n");
  const home = scope.adopt(await Stage.open({ config }));
  const shown = () => telegram.shown().map(({ text }) => text);
  const state = async () =>
    JSON.parse(await readFile(path.join(home.home, "gateway_state.json"), "utf8").catch(() => "{}")) as {
      gateway_state?: string;
      platforms?: Record<string, { state: string; error_code?: string }>;
    };
  const connected = () =>
    expect.poll(async () => (await state()).platforms?.["telegram"]?.state, { timeout: 30_000 }).toBe("connected");
  return { model, telegram, home, shown, state, connected };
}

async function codeOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  return child.exitCode;
}

describe("the gateway process", () => {
  it("is one per home, can be replaced, and tells its end by its exit code [40:A-PRC-1] [40:A-PRC-6] [40:PRC-15]", async () => {
    const { home, telegram, connected, state } = await stage(', allowed_users: ["7"]');
    await home.run(["gateway", "setup", "telegram", "--token", telegram.token]);
    const first = home.start(["gateway", "run"]);
    await connected();
    const second = await home.run(["gateway", "run"]);
    expect(second.code).toBe(1);
    expect(second.stderr).toContain(String(first.pid));
    const status = await home.run(["gateway", "status"]);
    expect(status.stdout).toContain("telegram  connected");
    const third = home.start(["gateway", "run", "--replace"]);
    expect(await codeOf(first)).toBe(0);
    await connected();
    third.kill("SIGTERM");
    expect(await codeOf(third)).toBe(1);
    expect((await state()).gateway_state).toBe("stopped");
    const fourth = home.start(["gateway", "run"], { env: { INVOCATION_ID: "x" } });
    await expect.poll(async () => (await state()).gateway_state, { timeout: 30_000 }).toBe("running");
    fourth.kill("SIGUSR1");
    expect(await codeOf(fourth)).toBe(75);
    expect((await home.run(["gateway", "stop"])).stdout).toContain("No gateway is running");
  });

  it("is stopped in its own profile, and with --all in every one [40:A-PRC-5] [40:PRC-9] [40:PRC-10] [20:R8.14]", async () => {
    const { home } = await stage();
    const gateways = await Promise.all(
      ["a", "b"].map(async (profile, index) => {
        const server = await startTelegramServer(`12345${index}:AAtoken-of-profile-${profile}-0000000`);
        scopes.at(-1)?.adopt(server);
        await home.run(["profile", "create", profile]);
        const of = (...args: readonly string[]) => ["--profile", profile, "gateway", ...args];
        const root = path.join(home.home, "profiles", profile);
        await writeFile(
          path.join(root, "config.yaml"),
          `telegram: { base_url: "${server.url}", allow_all_users: true }\n`,
        );
        await home.run(of("setup", "telegram", "--token", server.token));
        const child = home.start(of("run"));
        const state = async () => await readFile(path.join(root, "gateway_state.json"), "utf8").catch(() => "");
        await expect.poll(state, { timeout: 60_000 }).toContain('"connected"');
        return { child, of };
      }),
    );
    const [a, b] = gateways;
    if (a === undefined || b === undefined) throw new Error("no gateways");
    expect((await home.run(a.of("stop"))).stdout).toContain(`process ${a.child.pid}) has stopped`);
    expect(await codeOf(a.child)).toBe(1);
    expect((await home.run(b.of("status"))).stdout).toContain(`is running (process ${b.child.pid})`);
    const again = home.start(a.of("run"));
    const running = async () => (await home.run(a.of("status"))).stdout;
    await expect.poll(running, { timeout: 60_000 }).toContain("telegram  connected");
    const all = await home.run(["gateway", "stop", "--all"]);
    expect(all.stdout).toContain(`process ${again.pid}, profile a) has stopped`);
    expect(all.stdout).toContain(`process ${b.child.pid}, profile b) has stopped`);
    expect([await codeOf(again), await codeOf(b.child)]).toEqual([1, 1]);
    expect((await home.run(["gateway", "stop", "--all"])).stdout).toContain("No gateway is running for any profile");
  });

  it("cannot be divided on the file of one process, and says what is needed [40:SCL-1] [40:SCL-2]", async () => {
    const { home, telegram } = await stage();
    await home.run(["gateway", "setup", "telegram", "--token", telegram.token]);
    const { code, stderr } = await home.run(["gateway", "run", "--role", "worker"]);
    expect(code).not.toBe(0);
    expect(stderr).toContain("store.url");
    const unknown = await home.run(["gateway", "run", "--role", "cook"]);
    expect(unknown.stderr).toContain("ingress, worker, scheduler, api");
  });

  it("ends where no platform can ever be connected [40:PRC-6]", async () => {
    const { home, state } = await stage();
    await home.run(["gateway", "setup", "telegram", "--token", "999999:AAwrong-token"]);
    const { code, stderr } = await home.run(["gateway", "run"]);
    expect(code).toBe(0);
    expect(stderr).toContain("telegram: fatal");
    expect((await state()).gateway_state).toBe("startup_failed");
  });

  it("lets a stranger in by the code they were given [40:AUT-11] [40:AUT-15] [40:A-AUT-7]", async () => {
    const { home, telegram, model, shown } = await stage();
    model.script(says("Welcome."));
    await home.run(["gateway", "setup", "telegram", "--token", telegram.token]);
    const gateway = home.start(["gateway", "run"]);
    telegram.text("let me in");
    await expect.poll(() => shown()[0], { timeout: 30_000 }).toMatch(/hermes pairing approve telegram \S{8}/u);
    const [, code = ""] = /telegram (\S{8})/u.exec(shown()[0] ?? "") ?? [];
    const isWarned = async () =>
      (await home.run(["gateway", "doctor", "--offline"])).stdout.includes(
        "nobody is listed in TELEGRAM_ALLOWED_USERS",
      );
    expect(await isWarned()).toBe(true);
    const approved = await home.run(["pairing", "approve", "telegram", code]);
    expect(await isWarned()).toBe(false);
    expect(approved.code).toBe(0);
    telegram.text("and now?");
    await expect.poll(() => shown().slice(1), { timeout: 30_000 }).toEqual(["You may write to me now.", "Welcome."]);
    expect((await home.run(["gateway", "queue"])).stdout).toContain("0 given up");
    gateway.kill("SIGTERM");
    await codeOf(gateway);
  });
});
