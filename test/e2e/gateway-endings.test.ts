import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { Scope } from "#foundation/lifecycle/disposal";
import { calls, hang, says, startModelServer } from "../fakes/model-server/index.ts";
import { startTelegramServer } from "../fakes/platforms/telegram-server.ts";
import { Stage } from "./support/stage.ts";

const scopes: Scope[] = [];
const pids: number[] = [];
afterEach(async () => {
  // What a restart has started is nobody's child.
  for (const pid of pids.splice(0)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended.
    }
  }
  for (const scope of scopes.splice(0)) await scope[Symbol.asyncDispose]();
});

interface State {
  readonly pid?: number;
  readonly gateway_state?: string;
  readonly active_agents?: number;
  readonly platforms?: Readonly<Record<string, { readonly state: string; readonly error_code?: string }>>;
}

async function stage(more = "") {
  const scope = new Scope();
  scopes.push(scope);
  const model = scope.adopt(await startModelServer());
  const telegram = scope.adopt(await startTelegramServer());
  const config = [
    `model: { provider: custom, default: test-model, base_url: "${model.chatBaseUrl}", context_length: 128000 }`,
    `telegram: { base_url: "${telegram.url}", allowed_users: ["7"] }`,
    "auxiliary: { title_generation: { enabled: false } }",
    more,
  ].join("\n");
  const home = scope.adopt(await Stage.open({ config, env: `TELEGRAM_BOT_TOKEN=${telegram.token}\n` }));
  const stateOf = async (root = home.home): Promise<State> =>
    JSON.parse(await readFile(path.join(root, "gateway_state.json"), "utf8").catch(() => "{}")) as State;
  const is = (name: string) => expect.poll(async () => (await stateOf()).gateway_state, { timeout: 60_000 }).toBe(name);
  const connected = () =>
    expect.poll(async () => (await stateOf()).platforms?.["telegram"]?.state, { timeout: 60_000 }).toBe("connected");
  const shown = () => telegram.shown().map(({ text }) => text);
  return { model, telegram, home, stateOf, is, connected, shown };
}

async function codeOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  return child.exitCode;
}

describe("a gateway that ends in the middle of a turn", () => {
  it("tells the chat, leaves the turn to be gone on with in the same session, and the model knows what it had done [40:A-PRC-8] [40:PRC-23] [40:PRC-24] [40:PRC-2]", async () => {
    const { model, telegram, home, is, shown, stateOf } = await stage("agent: { restart_drain_timeout: 3 }");
    model.script(calls("terminal", { command: "echo step one" }), hang());
    const first = home.start(["gateway", "run"]);
    telegram.text("do it in two steps");
    await model.received(2);
    first.kill("SIGTERM");
    await is("draining");
    expect((await stateOf()).active_agents).toBe(1);
    expect(await codeOf(first)).toBe(1);
    expect(shown().some((text) => text.includes("restarting"))).toBe(true);
    expect((await stateOf()).gateway_state).toBe("stopped");
    // Neither its process file nor its lock is left.
    await expect(readFile(path.join(home.home, "gateway.pid"), "utf8")).rejects.toThrow();
    model.script(says("Both steps are done."));
    const second = home.start(["gateway", "run"]);
    await expect.poll(shown, { timeout: 60_000 }).toContain("Both steps are done.");
    const request = model.requests.at(-1);
    const said = JSON.stringify(request?.messages);
    expect(said).toContain("do it in two steps");
    expect(said).toContain("step one");
    expect(said.match(/do it in two steps/gu)).toHaveLength(1);
    const { stdout } = await home.run(["sessions", "list", "--json", "--source", "telegram"]);
    expect((JSON.parse(stdout) as { sessions: readonly unknown[] }).sessions).toHaveLength(1);
    second.kill("SIGTERM");
    await codeOf(second);
  }, 180_000);

  it("comes back by hermes gateway restart, and by /restart tells who asked for it [40:PRC-25] [40:PRC-27] [40:PRC-21] [40:PRC-28]", async () => {
    const { model, telegram, home, connected, shown, stateOf } = await stage();
    model.script(says("Hello."));
    const first = home.start(["gateway", "run"]);
    await connected();
    telegram.text("hi");
    await expect.poll(shown, { timeout: 60_000 }).toEqual(["Hello."]);
    const restarted = await home.run(["gateway", "restart"]);
    expect(restarted.stdout).toContain("restarting");
    expect(await codeOf(first)).toBe(75);
    const another = (before: number | undefined) =>
      expect
        .poll(
          async () => {
            const { pid, platforms } = await stateOf();
            return pid !== before && platforms?.["telegram"]?.state === "connected";
          },
          { timeout: 60_000 },
        )
        .toBe(true);
    await another(first.pid);
    const { pid } = await stateOf();
    if (pid !== undefined) pids.push(pid);
    const update = telegram.text("/restart");
    await expect.poll(shown, { timeout: 60_000 }).toContain("I am back.");
    await another(pid);
    const last = (await stateOf()).pid;
    if (last !== undefined) pids.push(last);
    const person = { id: 7, is_bot: false, first_name: "Ann" };
    const again = { message_id: 900, date: 0, chat: { id: 7, type: "private" }, from: person, text: "/restart" };
    telegram.update({ message: again }, update);
    model.script(says("Still here."));
    telegram.text("are you there?");
    await expect.poll(shown, { timeout: 60_000 }).toContain("Still here.");
    expect(shown().filter((text) => text === "I am back.")).toHaveLength(1);
    expect((await stateOf()).pid).toBe(last);
  }, 180_000);
});

describe("a second gateway", () => {
  it("touches no platform before it knows that it is the only one [40:PRC-4]", async () => {
    const { home, telegram, connected } = await stage();
    const first = home.start(["gateway", "run"]);
    await connected();
    const asked = () => telegram.calls.filter(({ method }) => method === "getMe").length;
    const before = asked();
    expect((await home.run(["gateway", "run"])).code).toBe(1);
    expect(asked()).toBe(before);
    first.kill("SIGTERM");
    await codeOf(first);
  }, 120_000);

  it("of any profile ends with start --all and restart --all, and this profile's is started", async () => {
    const { home, connected, stateOf } = await stage();
    await home.run(["profile", "create", "other"]);
    const other = await startTelegramServer("123459:AAtoken-of-profile-other-0000000");
    scopes.at(-1)?.adopt(other);
    const root = path.join(home.home, "profiles", "other");
    await writeFile(path.join(root, "config.yaml"), `telegram: { base_url: "${other.url}", allow_all_users: true }\n`);
    await home.run(["--profile", "other", "gateway", "setup", "telegram", "--token", other.token]);
    const there = home.start(["--profile", "other", "gateway", "run"]);
    await expect
      .poll(async () => (await stateOf(root)).platforms?.["telegram"]?.state, { timeout: 60_000 })
      .toBe("connected");
    const here = home.start(["gateway", "start", "--all"]);
    expect(await codeOf(there)).toBe(1);
    await connected();
    expect((await stateOf()).pid).toBe(here.pid);
    const restarted = await home.run(["gateway", "restart", "--all"]);
    expect(restarted.stdout).toContain(`process ${here.pid}, profile default) has stopped`);
    expect(restarted.stdout).toContain("has been started");
    await codeOf(here);
    await expect
      .poll(async () => (await stateOf()).pid !== here.pid && (await stateOf()).gateway_state, { timeout: 60_000 })
      .toBe("running");
    const { pid } = await stateOf();
    if (pid !== undefined) pids.push(pid);
    await home.run(["gateway", "stop"]);
  }, 180_000);
});
