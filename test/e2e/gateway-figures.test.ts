import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { silentLogger } from "#foundation/files/logger";
import { Scope } from "#foundation/lifecycle/disposal";
import { systemClock } from "#foundation/time/clock";
import { openStore } from "#store";
import { hang, says, startModelServer } from "../fakes/model-server/index.ts";
import { startTelegramServer } from "../fakes/platforms/telegram-server.ts";
import { ProgramClock } from "./support/set-clock.ts";
import { Stage } from "./support/stage.ts";

const scopes: Scope[] = [];
afterEach(async () => {
  for (const scope of scopes.splice(0)) await scope[Symbol.asyncDispose]();
});

const key = "a-key-of-the-owner";

/** A gateway with its API server, whose clock can be set. */
async function gateway() {
  const scope = new Scope();
  scopes.push(scope);
  const model = scope.adopt(await startModelServer());
  const telegram = scope.adopt(await startTelegramServer());
  const config = [
    `model: { provider: custom, default: test-model, base_url: "${model.chatBaseUrl}", context_length: 128000 }`,
    "auxiliary: { title_generation: { enabled: false } }",
    `telegram: { base_url: "${telegram.url}", allowed_users: ["7"], followup_grace_seconds: 0 }`,
    "api_server: { rate_limit: 0 }",
  ].join("\n");
  const env = `TELEGRAM_BOT_TOKEN=${telegram.token}\nAPI_SERVER_KEY=${key}\nAPI_SERVER_PORT=0\n`;
  const home = scope.adopt(await Stage.open({ config, env }));
  const clock = new ProgramClock(home);
  const store = async () =>
    await openStore({ path: path.join(home.home, "state.db") }, { clock: systemClock, log: silentLogger });
  const takeOver = async (prefix: string, ttlMs: number): Promise<void> => {
    await using opened = await store();
    const [lease] = await opened.leases.held(prefix);
    if (lease === undefined) throw new Error(`nobody holds ${prefix}`);
    await opened.leases.release(lease);
    await opened.leases.acquire(lease.name, "elsewhere/1/other", ttlMs);
  };
  return { model, telegram, home, clock, store, takeOver };
}

/** The address that a program says it serves the API at. */
async function addressOf(child: ChildProcess): Promise<string> {
  return await new Promise<string>((resolve, reject) => {
    let text = "";
    const read = (chunk: Buffer): void => {
      text += chunk.toString();
      const found = /(http:\/\/[\d.]+:\d+)/u.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    };
    child.stdout?.on("data", read);
    child.stderr?.on("data", read);
    child.once("exit", () => reject(new Error(`it ended: ${text}`)));
  });
}

async function get(url: string, where: string): Promise<string> {
  return await (await fetch(`${url}${where}`, { headers: { authorization: `Bearer ${key}` } })).text();
}

/** The value of every series whose name and labels hold these words. */
async function figures(url: string, ...words: readonly string[]): Promise<readonly number[]> {
  const lines = (await get(url, "/metrics")).split("\n");
  return lines
    .filter((line) => !line.startsWith("#") && words.every((word) => line.includes(word)))
    .map((line) => Number(line.split(" ").at(-1)));
}

describe("the figures of a gateway", { timeout: 240_000 }, () => {
  it("count turns, waits, lost leases and new connections, and end with their process [40:SCL-26]", async () => {
    const { model, telegram, home, clock, takeOver } = await gateway();
    model.script(says("Hi."), hang());
    telegram.trouble("sendMessage", { kind: "status", status: 429, description: "Too Many Requests", retryAfter: 1 });
    const child = home.start(["gateway", "run"], { env: clock.env });
    const url = await addressOf(child);
    const pid = `pid="${child.pid}"`;
    telegram.text("hello");
    const poll = (...words: readonly string[]) => expect.poll(() => figures(url, ...words), { timeout: 120_000 });
    await poll("hermes_turn_duration_seconds_count{", 'platform="telegram"', pid).toEqual([1]);
    await poll("hermes_turn_duration_seconds_bucket{", 'le="+Inf"').toEqual([1]);
    await poll("hermes_rate_limit_waits_total{", 'platform="telegram"').toEqual([1]);
    await poll("hermes_rate_limit_wait_seconds_total{").toEqual([1]);
    await expect.poll(() => telegram.shown().map(({ text }) => text), { timeout: 60_000 }).toContain("Hi.");
    expect(await figures(url, "hermes_lease_losses_total{")).toEqual([]);

    telegram.text("work for a while");
    await expect.poll(() => model.requests.length, { timeout: 60_000 }).toBe(2);
    await takeOver("chat:", 600_000);
    await poll("hermes_lease_losses_total{", 'lease="chat"', pid).toEqual([1]);

    // Whoever heard nothing for a minute connects anew.
    clock.putForward(70_000);
    await poll("hermes_platform_reconnects_total{", 'platform="telegram"', pid).not.toEqual([]);
    await poll("hermes_platform_connected{", 'state="connected"').toEqual([1]);

    child.kill("SIGKILL");
    await once(child, "exit");
    const alone = await addressOf(home.start(["api", "--port", "0", "--json"]));
    expect(JSON.parse(await get(alone, "/health/detailed"))).toMatchObject({
      gateway_state: "died",
      platforms: {},
      active_agents: 0,
      event_loop_lag_ms: null,
      processes: [],
    });
    for (const gone of ["hermes_platform_connected{", "hermes_turn_duration_seconds_count{", "hermes_event_loop_lag"])
      expect(await figures(alone, gone)).toEqual([]);
    const { stdout } = await home.run(["gateway", "status"]);
    expect(stdout).toContain("The gateway is not running.");
    expect(stdout).not.toContain("connected");
  });

  it("raise an alert for messages that wait, messages given up and a platform that is away [40:SCL-26]", async () => {
    const { telegram, home, clock, store } = await gateway();
    telegram.trouble("getMe", ...Array.from({ length: 100 }, () => ({ kind: "cut" }) as const));
    const url = await addressOf(home.start(["gateway", "run"], { env: clock.env }));
    const alerts = () => figures(url, "hermes_alert{");
    await expect
      .poll(() => figures(url, "hermes_platform_connected{", 'state="retrying"'), { timeout: 60_000 })
      .toEqual([0]);
    expect(await alerts()).toEqual([0, 0, 0]);
    {
      await using opened = await store();
      const event = { platform: "telegram", account: "a", sessionKey: "k", kind: "message", event: {} } as const;
      const [, dead] = [
        await opened.inbox.admit({ ...event, dedupKey: "waits" }),
        await opened.inbox.admit({ ...event, dedupKey: "dead" }),
      ];
      await opened.inbox.bury([dead.id]);
    }
    expect(await alerts()).toEqual([0, 1, 0]);
    clock.putForward(660_000);
    await expect.poll(alerts, { timeout: 60_000 }).toEqual([1, 1, 1]);
    const [ageSeconds = 0] = await figures(url, "hermes_inbox_age_p95_seconds");
    expect(ageSeconds).toBeGreaterThanOrEqual(660);
    expect(await figures(url, "hermes_inbox_waiting{", 'platform="telegram"')).toEqual([1]);
    expect(await figures(url, "hermes_inbox_entries{", 'status="dead"')).toEqual([1]);
    expect(await figures(url, "hermes_outbox_age_p95_seconds")).toEqual([0]);
    for (const status of ["unknown", "dead"])
      expect(await figures(url, "hermes_outbox_entries{", `status="${status}"`)).toEqual([0]);
    expect(await figures(url, "hermes_event_loop_lag_seconds")).toHaveLength(1);
  });
});
