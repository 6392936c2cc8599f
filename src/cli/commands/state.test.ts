import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SessionId } from "#conversation";
import { userMessage } from "#conversation";
import { silentLogger } from "#foundation/files/logger";
import { systemClock } from "#foundation/time/clock";
import { openStore } from "#store";
import { startModelServer } from "../../../test/fakes/model-server/index.ts";
import { FakeWebServer } from "../../../test/fakes/web-server/index.ts";
import { runCli, temporaryHome } from "../testing.ts";

let location: ReturnType<typeof temporaryHome>;
const inHome = (...parts: string[]) => path.join(location.home, ...parts);
const put = (name: string, text: string, mode = 0o600) => {
  mkdirSync(path.dirname(inHome(name)), { recursive: true });
  writeFileSync(inHome(name), text);
  chmodSync(inHome(name), mode);
};
const hermes = (...args: string[]) => runCli(args, { home: location.home });
const json = async (...args: string[]) =>
  JSON.parse((await hermes(...args, "--json")).stdout) as Record<string, unknown>;
const secret = "sk-or-v1-0123456789abcdefSECRET";
const session = "20261101_100000_aaaa1111" as SessionId;

beforeEach(() => {
  location = temporaryHome();
  mkdirSync(location.home, { recursive: true, mode: 0o700 });
});
afterEach(() => location.remove());

async function oneSession(home = location.home): Promise<void> {
  await using store = await openStore({ path: path.join(home, "state.db") }, { clock: systemClock, log: silentLogger });
  await store.sessions.create({ id: session, source: "cli" });
  await store.messages.append(session, [userMessage("about walnuts", { uid: "u1" })]);
}

describe("hermes doctor", () => {
  it("asks the server of one's own that the model is at [20:R11.6]", async () => {
    let url = "";
    const examine = async () => {
      writeFileSync(inHome("config.yaml"), `model:\n  provider: custom\n  base_url: ${url}\n  default: tiny\n`);
      const { checks } = (await json("doctor")) as { checks: { section: string; state: string; detail: string }[] };
      return checks.filter(({ section }) => section === "Connections");
    };
    {
      await using server = await startModelServer({ models: [{ id: "tiny" }] });
      url = server.chatBaseUrl;
      expect(await examine()).toMatchObject([{ state: "ok", detail: "1 model" }]);
    }
    expect(await examine()).toMatchObject([{ state: "failed", detail: expect.stringContaining("ECONNREFUSED") }]);
  });

  it("warns when stored sandboxes take more than terminal.disk_warning_gb", async () => {
    mkdirSync(inHome("sandboxes/task/home"), { recursive: true });
    writeFileSync(inHome("sandboxes/task/home/large"), Buffer.alloc(3_000_000, 1));
    const examine = async (limit: string) => {
      put("config.yaml", `terminal: {disk_warning_gb: ${limit}}\n`);
      const { checks } = (await json("doctor", "--offline")) as { checks: { name: string; state: string }[] };
      return checks.filter(({ name }) => name === "stored sandboxes").map(({ state }) => state);
    };
    expect([await examine("0.001"), await examine("1")]).toEqual([["warning"], ["ok"]]);
  });

  it("finds a list that was written as a map, names the form, and fails [20:A11.2]", async () => {
    put("config.yaml", "custom_providers:\n  local:\n    base_url: http://127.0.0.1:9/v1\n");
    const run = await hermes("doctor", "--offline");
    expect(run.code).toBe(1);
    expect(run.stdout).toMatch(/✗ .*custom_providers/);
  });

  it("closes a file of credentials that others could read [20:A11.3]", async () => {
    put(".env", "A_API_KEY=1\n", 0o644);
    expect((await hermes("doctor", "--offline", "--security")).code).toBe(1);
    const run = await hermes("doctor", "--fix", "--offline");
    expect(run.code).toBe(0);
    expect(statSync(inHome(".env")).mode & 0o777).toBe(0o600);
    expect(existsSync(inHome("skills"))).toBe(true);
  });

  it("notices keys nobody uses, hidden ones, and one that belongs to another [20:R11.7]", async () => {
    put(".env", `OPENAI_API_KEY=${secret}\nSTRANGE_API_KEY=abcdefgh12345\nANTHROPIC_API_KEY=sk-ant-1234567890\n`);
    const run = await runCli(["doctor", "--offline", "--json"], {
      home: location.home,
      env: { ANTHROPIC_API_KEY: "sk-ant-other-123" },
    });
    const { checks } = JSON.parse(run.stdout) as { checks: { name: string; state: string; detail?: string }[] };
    const of = (name: string) => checks.find((check) => check.name.startsWith(name) && check.state !== "ok");
    expect(of("OPENAI_API_KEY")?.detail).toContain("openrouter");
    expect(of("STRANGE_API_KEY")).toMatchObject({ state: "warning" });
    expect(of("ANTHROPIC_API_KEY")?.detail).toContain("exported");
    expect(run.stdout).not.toContain(secret);
  });

  it("notices a model that is not offered there, a window too small for an agent and a wrong clock [20:R11.7]", async () => {
    const headers = { date: new Date(systemClock.now() - 7_200_000).toUTCString() };
    await using server = await FakeWebServer.start({
      "/v1/models": { headers, body: { data: [{ id: "another" }] } },
      "HEAD /": { headers },
    });
    const model = `model:\n  provider: custom\n  base_url: ${server.origin}/v1\n  default: tiny\n  context_length: 8000\n`;
    put("config.yaml", model);
    const { checks } = (await json("doctor")) as { checks: { name: string; state: string; detail?: string }[] };
    const of = (name: string) => checks.find((check) => check.name === name);
    expect(of("tiny")).toMatchObject({ state: "warning", detail: expect.stringContaining("is not in the list") });
    expect(of("context window")).toMatchObject({ state: "warning", detail: expect.stringContaining("8000") });
    expect(of("clock")).toMatchObject({ state: "warning", detail: expect.stringContaining("120 minutes") });
  });

  it("removes variables that have no effect and migrates the file [20:R11.6][20:R7.15]", async () => {
    put(".env", "LLM_MODEL=old\nKEEP_API_KEY=abcdefgh12345\n");
    put("config.yaml", "_config_version: 16\ncompression:\n  summary_model: x\n");
    const { fixed } = (await json("doctor", "--fix", "--offline")) as { fixed: string[] };
    expect(fixed.join(" ")).toContain("LLM_MODEL");
    expect(readFileSync(inHome(".env"), "utf8")).not.toContain("LLM_MODEL");
    expect(readFileSync(inHome("config.yaml"), "utf8")).not.toContain("summary_model");
  });
});

describe("hermes status, dump and debug", () => {
  it("shows what is set up without a network and without a key [20:R11.8]", async () => {
    put(".env", `OPENROUTER_API_KEY=${secret}\n`);
    await oneSession();
    expect(await json("status")).toMatchObject({
      model: { usable: true, provider: "openrouter" },
      sessions: { count: 1 },
      gateway_pid: null,
    });
    const run = await hermes("status", "--all");
    expect(run).toMatchObject({ code: 0 });
    expect(run.stdout + (await hermes("status")).stdout).not.toContain(secret);
  });

  it("names platforms by their credentials, jobs, logins with their end, and the service [20:R11.8]", async () => {
    put(".env", "TELEGRAM_BOT_TOKEN=123456:AAtoken\n");
    const expiresAt = systemClock.now() + 3_600_000;
    put(".anthropic_oauth.json", JSON.stringify({ accessToken: "sk-ant-oat-1", refreshToken: "r", expiresAt }));
    expect((await hermes("cron", "create", "every day at 9:00", "Water the plants.")).code).toBe(0);
    expect(await json("status")).toMatchObject({
      platforms: ["telegram"],
      jobs: 1,
      gateway_service: null,
      providers: [{ provider: "anthropic", source: "hermes_pkce", expires_at_ms: expiresAt }],
    });
  });

  it("dumps a block that holds no part of a key, wherever it is stored [20:A11.4][20:R11.9]", async () => {
    put(".env", `OPENROUTER_API_KEY=${secret}\n`);
    put(
      "config.yaml",
      "model:\n  provider: custom\n  base_url: http://127.0.0.1:9/v1\n  api_key: own-key-abcdef123456\nagent:\n  max_turns: 12\n",
    );
    const { stdout, code } = await hermes("dump");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^--- hermes dump ---\n[\s\S]*--- end dump ---\n$/);
    expect(stdout).toContain("OPENROUTER_API_KEY: set");
    expect(stdout).toContain("agent.max_turns: 12");
    for (const part of [secret, "0123456789abcdef", "own-key-abcdef"]) expect(stdout).not.toContain(part);
    expect((await hermes("dump", "--show-keys")).stdout).toContain("sk-o...CRET");
  });

  it("uploads nothing unasked, and prints dump and logs redacted twice [20:R11.10]", async () => {
    put(".env", `OPENROUTER_API_KEY=${secret}\n`);
    put(
      "logs/agent.log",
      `${JSON.stringify({ time: "2026-11-16T02:00:00.000Z", level: "info", message: `called with ${secret}` })}\n`,
    );
    expect(await hermes("debug", "share")).toMatchObject({ code: 1, stderr: expect.stringContaining("--local") });
    const { stdout } = await hermes("debug", "share", "--local");
    expect(stdout).toContain("--- agent.log ---");
    expect(stdout).not.toContain(secret);
  });
});

describe("hermes logs", () => {
  const line = (ageMs: number, level: string, more: object) =>
    `${JSON.stringify({ time: new Date(systemClock.now() - ageMs).toISOString(), level, ...more })}\n`;

  it("joins its filters with and; lines that say neither time nor level pass those two [20:R8.15]", async () => {
    put(
      "logs/agent.log",
      line(7_200_000, "error", { message: "old", component: "agent", session: "s1" }) +
        line(60_000, "info", { message: "quiet", component: "agent", session: "s1" }) +
        line(60_000, "error", { message: "loud", component: "agent", session: "s1" }) +
        "    at some stack\n" +
        line(60_000, "error", { message: "elsewhere", component: "tools", session: "s2" }),
    );
    const recent = (await json("logs", "--since", "1h", "--level", "warning")) as { lines: string[] };
    expect(recent.lines.map((one) => one.replace(/^\S+ /, ""))).toEqual([
      "ERROR [s1] agent: loud",
      "    at some stack",
      "ERROR [s2] tools: elsewhere",
    ]);
    expect((await hermes("logs", "--session", "s2")).stdout).toMatch(/ERROR \[s2\] tools: elsewhere\n$/);
    expect(((await json("logs", "--component", "agent", "-n", "1")) as { lines: string[] }).lines).toHaveLength(1);
    expect((await hermes("logs", "--since", "yesterday")).code).toBe(2);
  });

  it("says where there is no log, and lists what there is", async () => {
    expect(await hermes("logs", "gateway")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("hermes logs list"),
    });
    put("logs/errors.log", "2026-11-16T02:00:00Z ERROR [s] agent: x\n");
    expect(await json("logs", "list")).toMatchObject({ files: [{ name: "errors.log" }] });
  });
});

describe("hermes setup", () => {
  it("without a terminal prints the commands and changes nothing [20:A11.1][20:R11.3]", async () => {
    const before = readdirSync(location.home);
    const run = await hermes("setup", "--non-interactive");
    expect(run.code).toBe(0);
    expect(run.stdout).toContain("hermes config set");
    expect(readdirSync(location.home)).toEqual(before);
  });

  it("sets up unattended from a variable that holds the key [20:R11.3]", async () => {
    const args = [
      "setup",
      "--non-interactive",
      "--provider",
      "openrouter",
      "--model",
      "openai/gpt-5.2",
      "--api-key-env",
      "MY_KEY",
      "--no-test",
    ];
    expect(await hermes(...args)).toMatchObject({ code: 3, stderr: expect.stringContaining("MY_KEY") });
    const run = await runCli(args, { home: location.home, env: { MY_KEY: secret } });
    expect(run).toMatchObject({ code: 0 });
    expect(run.stdout).not.toContain(secret);
    expect(readFileSync(inHome(".env"), "utf8")).toContain(`OPENROUTER_API_KEY=${secret}`);
    expect(await json("auth", "explain")).toMatchObject({ provider: "openrouter", model: "openai/gpt-5.2" });
  });

  it("asks the questions of one section with the present values, and begins anew with a copy [20:R11.1]", async () => {
    put("config.yaml", "terminal:\n  timeout: 99\n");
    const run = await runCli(["setup", "terminal"], { home: location.home, typed: ["docker", "", ""] });
    expect(run.code).toBe(0);
    expect(run.stdout).toContain("[99]");
    expect(readFileSync(inHome("config.yaml"), "utf8")).toMatch(/backend: docker/);
    await runCli(["setup", "terminal", "--reset"], { home: location.home, typed: ["", "", ""] });
    expect(readFileSync(inHome("config.yaml.before-setup.bak"), "utf8")).toContain("99");
    expect(existsSync(inHome("config.yaml"))).toBe(false);
  });

  it("changes nothing of a managed install [20:R7.11]", async () => {
    const run = await runCli(["setup", "--non-interactive", "--provider", "openrouter", "--model", "x"], {
      home: location.home,
      env: { HERMES_MANAGED: "brew" },
    });
    expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining("Homebrew") });
  });
});

describe("hermes uninstall and update", () => {
  it("keeps the data unless all of it is asked for and the word is typed [20:R8.18]", async () => {
    put("SOUL.md", "mine\n");
    expect((await hermes("uninstall")).code).toBe(1);
    expect((await hermes("uninstall", "-y")).code).toBe(0);
    expect(existsSync(inHome("SOUL.md"))).toBe(true);
    const no = await runCli(["uninstall", "--full"], { home: location.home, typed: ["yes"] });
    expect(no.code).toBe(1);
    expect((await runCli(["uninstall", "--full"], { home: location.home, typed: ["delete"] })).code).toBe(0);
    expect(existsSync(location.home)).toBe(false);
  });

  it("refuses to update what a package manager owns [20:R8.17]", async () => {
    expect(await runCli(["update"], { home: location.home, env: { HERMES_MANAGED: "nix" } })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("NixOS"),
    });
  });
});
