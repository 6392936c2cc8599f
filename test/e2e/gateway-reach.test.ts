import type { ChildProcess } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { Scope } from "#foundation/lifecycle/disposal";
import { startTelegramServer } from "../fakes/platforms/telegram-server.ts";
import { ProgramClock } from "./support/set-clock.ts";
import { ended, Stage } from "./support/stage.ts";

const scopes: Scope[] = [];
afterEach(async () => {
  for (const scope of scopes.splice(0)) await scope[Symbol.asyncDispose]();
});

interface State {
  readonly gateway_state?: string;
  readonly exit_reason?: string | null;
  readonly platforms?: Readonly<Record<string, { readonly state: string; readonly error_code?: string }>>;
}

const unresolvable = "http://nowhere.invalid";

async function stage({ more = "", url }: { readonly more?: string; readonly url?: string } = {}) {
  const scope = new Scope();
  scopes.push(scope);
  const telegram = scope.adopt(await startTelegramServer());
  const config = [
    `telegram: { base_url: "${url ?? telegram.url}", allowed_users: ["7"] }`,
    "gateway: { unreachable_exit_seconds: 0 }",
    more,
  ].join("\n");
  const home = scope.adopt(await Stage.open({ config, env: `TELEGRAM_BOT_TOKEN=${telegram.token}\n` }));
  const state = async () =>
    JSON.parse(await readFile(path.join(home.home, "gateway_state.json"), "utf8").catch(() => "{}")) as State;
  const platform = async () => (await state()).platforms?.["telegram"]?.state;
  const isIn = (name: string) => expect.poll(platform, { timeout: 60_000 }).toBe(name);
  return { telegram, home, state, isIn };
}

const isRunning = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode === null && signalCode === null;

describe("a gateway that reaches no platform", () => {
  it("ends with code 1 when a name cannot be resolved, so that it is started again [40:PRC-35] [40:PRC-6] [40:A-PRC-9]", async () => {
    const { home, state } = await stage({ url: unresolvable });
    const { code, stderr } = await home.run(["gateway", "run"]);
    expect(code).toBe(1);
    expect(stderr).toContain("telegram: retrying");
    expect(stderr).toContain("No chat platform can be reached");
    expect(await state()).toMatchObject({ gateway_state: "startup_failed", exit_reason: "unreachable" });
  }, 120_000);

  it("ends with code 1 when its last connection is lost [40:PRC-35]", async () => {
    const { home, state, isIn } = await stage();
    const clock = new ProgramClock(home);
    const gateway = home.start(["gateway", "run"], { env: clock.env });
    const over = ended(gateway);
    await isIn("connected");
    // The socket is open and nothing is heard on it any more.
    clock.putForward(120_000);
    expect(await over).toMatchObject({ code: 1, stderr: expect.stringContaining("nothing was heard") });
    expect(await state()).toMatchObject({ gateway_state: "stopped", exit_reason: "unreachable" });
  }, 120_000);

  it("ends cleanly when its last platform refuses it for good [40:PRC-35]", async () => {
    const { home, telegram, state, isIn } = await stage();
    const gateway = home.start(["gateway", "run"]);
    const over = ended(gateway);
    await isIn("connected");
    telegram.trouble("getUpdates", { kind: "status", status: 401, description: "Unauthorized" });
    // What waits for updates is answered, and asks again.
    telegram.text("hello", { chatId: 9, from: 9 });
    expect(await over).toMatchObject({ code: 0 });
    expect(await state()).toMatchObject({
      gateway_state: "stopped",
      exit_reason: "hopeless",
      platforms: { telegram: { state: "fatal", error_code: "telegram_auth" } },
    });
  }, 120_000);

  it("goes on for its jobs and for whoever asked it to keep trying [40:PRC-35]", async () => {
    const { home, isIn } = await stage({ url: unresolvable });
    const trying = home.start(["gateway", "run", "--keep-trying"]);
    const over = ended(trying);
    await isIn("retrying");
    await home.run(["gateway", "status"]);
    expect(isRunning(trying)).toBe(true);
    trying.kill("SIGTERM");
    expect(await over).toMatchObject({ stderr: expect.not.stringContaining("No chat platform can be reached") });
    const made = await home.run(["cron", "create", "every 2h", "Look at the weather"]);
    expect(made).toMatchObject({ code: 0 });
    const working = home.start(["gateway", "run"]);
    let said = "";
    working.stderr?.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    await expect.poll(() => said, { timeout: 60_000 }).toContain("telegram: retrying");
    await home.run(["gateway", "status"]);
    expect(isRunning(working)).toBe(true);
    working.kill("SIGTERM");
    expect(await ended(working)).toMatchObject({ code: 1 });
    expect(said).not.toContain("No chat platform can be reached");
  }, 180_000);

  it("runs jobs where no platform is set up at all [40:PRC-6]", async () => {
    await using home = await Stage.open();
    expect(await home.run(["cron", "create", "every 2h", "Look at the weather"])).toMatchObject({ code: 0 });
    const gateway = home.start(["gateway", "run"]);
    const file = path.join(home.home, "gateway_state.json");
    await expect.poll(() => readFile(file, "utf8").catch(() => ""), { timeout: 60_000 }).toContain('"running"');
    gateway.kill("SIGTERM");
    expect(await ended(gateway)).toMatchObject({ code: 1 });
  }, 120_000);
});
