import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runCli, temporaryHome } from "../../testing.ts";

let location: ReturnType<typeof temporaryHome>;
const inHome = (...parts: string[]) => path.join(location.home, ...parts);
const read = (name: string) => readFileSync(inHome(name), "utf8");
const put = (name: string, text: string) => {
  mkdirSync(path.dirname(inHome(name)), { recursive: true });
  writeFileSync(inHome(name), text, { mode: 0o600 });
};
const hermes = (...args: string[]) => runCli(args, { home: location.home });

beforeEach(() => {
  location = temporaryHome();
});
afterEach(() => location.remove());

describe("hermes config", () => {
  it("writes a key to .env for its owner only and leaves the settings alone [20:A7.1]", async () => {
    const run = await hermes("config", "set", "OPENROUTER_API_KEY", "sk-or-1");
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(run.stdout).not.toContain("sk-or-1");
    expect(read(".env")).toContain("OPENROUTER_API_KEY=sk-or-1");
    expect(statSync(inHome(".env")).mode & 0o777).toBe(0o600);
    expect(existsSync(inHome("config.yaml"))).toBe(false);
  });

  it("reads a key from standard input, so that it is in no history [20:R7.27]", async () => {
    await runCli(["config", "set", "OPENROUTER_API_KEY", "-"], { home: location.home, stdin: "sk-or-secret\n" });
    expect(read(".env")).toContain("OPENROUTER_API_KEY=sk-or-secret");
    expect(await runCli(["config", "set", "OPENROUTER_API_KEY", "-"], { home: location.home })).toMatchObject({
      code: 1,
    });
  });

  it("types words that mean yes and no [20:A7.2]", async () => {
    await hermes("config", "set", "display.streaming", "off");
    expect(read("config.yaml")).toMatch(/streaming: false/);
    expect(await hermes("config", "get", "display.streaming")).toMatchObject({ code: 0, stdout: "false\n" });
  });

  it("says of a key that does nothing so far that it does nothing, when it is set, explained and examined", async () => {
    const set = await hermes("config", "set", "display.mouse_tracking", "false");
    expect(set).toMatchObject({ code: 0 });
    expect(set.stdout).toMatch(/no effect: The mouse/);
    await hermes("config", "set", "qqbot.stt_base_url", "https://stt.example");
    await hermes("config", "set", "qqbot.stt_model", "words");
    expect((await hermes("config", "explain", "qqbot.stt_model")).stdout).toContain("no effect: QQ does not use it");
    expect((await hermes("config", "explain", "display.compact")).stdout).not.toContain("no effect");
    const { stdout } = await hermes("doctor", "--offline");
    expect(stdout).toMatch(/without effect: display\.mouse_tracking: The mouse/);
    expect(stdout).toMatch(/without effect: qqbot\.stt_base_url, qqbot\.stt_model: QQ/);
    expect((await hermes("config", "set", "display.compact", "true")).stdout).not.toContain("no effect");
  });

  it("keeps references to variables when another key changes [20:A7.3]", async () => {
    const reference = ["$", "{MY_KEY}"].join("");
    put("config.yaml", `model:\n  api_key: ${reference} # mine\n`);
    await hermes("config", "set", "timezone", "UTC");
    expect(read("config.yaml")).toContain(`${reference} # mine`);
  });

  it("refuses to write to a file that does not parse, and says where [20:A7.4]", async () => {
    const broken = `${"# line\n".repeat(11)}model:\n\tdefault: x\n`;
    put("config.yaml", broken);
    const run = await hermes("config", "set", "timezone", "UTC");
    expect(run.code).toBe(1);
    expect(read("config.yaml")).toBe(broken);
    const check = await hermes("config", "check");
    expect(check.code).toBe(4);
    expect(check.stdout).toMatch(/config\.yaml:1[23]/);
  });

  it("refuses a key it does not know unless forced, with what was meant [20:R7.27][20:A7.13]", async () => {
    const run = await hermes("config", "set", "display.streming", "on");
    expect(run.code).not.toBe(0);
    expect(run.stderr).toContain("display.streaming");
    expect((await hermes("config", "set", "own.key", "1", "--force")).code).toBe(0);
    expect(await hermes("config", "get", "display.streming")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("streaming"),
    });
  });

  it("removes a setting and explains where a value comes from [20:R7.26]", async () => {
    await hermes("config", "set", "agent.max_turns", "12");
    const explained = await hermes("config", "explain", "agent.max_turns");
    expect(explained.stdout).toMatch(/agent\.max_turns = 12\n {2}from .*config\.yaml, line \d/);
    expect(explained.stdout).toContain("not used: 90 from default");
    await hermes("config", "unset", "agent.max_turns");
    expect((await hermes("config", "get", "agent.max_turns")).stdout).toBe("90\n");
  });

  it("prints one document with snake_case names and a version [20:R8.5]", async () => {
    await hermes("config", "set", "OPENAI_API_KEY", "sk-verysecret-value");
    const { stdout } = await hermes("config", "show", "--json");
    const document = JSON.parse(stdout) as Record<string, unknown>;
    expect(document).toMatchObject({ schema_version: 1, read_from: "defaults", credentials: ["OPENAI_API_KEY"] });
    expect(stdout).not.toContain("verysecret");
    expect(JSON.parse((await hermes("config", "explain", "timezone", "--json")).stdout)).toMatchObject({
      key: "timezone",
      source: { kind: "default" },
    });
  });

  it("shows what was changed, in groups, and nothing else [20:R7.26]", async () => {
    await hermes("config", "set", "display.compact", "on");
    const { stdout } = await hermes("config");
    expect(stdout).toContain("display.compact = true");
    expect(stdout).not.toContain("display.streaming");
    expect((await hermes("config", "show", "--all")).stdout).toContain("display.streaming = true");
  });

  it("prints paths, of a profile too, and refuses one that is not there [20:A7.8]", async () => {
    expect((await hermes("config", "path")).stdout).toBe(`${inHome("config.yaml")}\n`);
    expect((await hermes("config", "env-path")).stdout).toBe(`${inHome(".env")}\n`);
    await hermes("profile", "create", "coder", "--no-alias");
    expect((await hermes("-p", "coder", "config", "path")).stdout).toBe(
      `${inHome("profiles", "coder", "config.yaml")}\n`,
    );
    expect(await hermes("config", "path", "-p", "nosuch")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("nosuch"),
    });
  });

  it("reads settings from the file named in the line [20:R8.1]", async () => {
    put("other.yaml", "timezone: Asia/Tokyo\n");
    expect((await hermes("config", "get", "timezone", "--config", inHome("other.yaml"))).stdout).toBe("Asia/Tokyo\n");
    expect(
      (await hermes("config", "get", "timezone", "--config", inHome("other.yaml"), "--ignore-user-config")).stdout,
    ).not.toContain("Tokyo");
  });

  it("changes the layout only on request and keeps the old file [20:A7.9]", async () => {
    put("config.yaml", "_config_version: 16\ncompression:\n  summary_model: x\n");
    expect((await hermes("config", "get", "auxiliary.compression.model")).stdout).toBe("x\n");
    expect(read("config.yaml")).toContain("summary_model");
    const run = await hermes("config", "migrate", "--json");
    const { backup, from } = JSON.parse(run.stdout) as { backup: string; from: number };
    expect(from).toBe(16);
    expect(readFileSync(backup, "utf8")).toContain("summary_model");
    expect(read("config.yaml")).not.toContain("summary_model");
  });

  it("warns about a value of the wrong type and uses the default [20:A7.10]", async () => {
    put("config.yaml", 'agent:\n  max_turns: "many"\n');
    const run = await hermes("config", "get", "agent.max_turns");
    expect(run).toMatchObject({ code: 0, stdout: "90\n", stderr: expect.stringContaining("agent.max_turns") });
  });

  it("keeps both keys when two set them at once [20:A7.11]", async () => {
    await Promise.all([hermes("config", "set", "timezone", "UTC"), hermes("config", "set", "display.compact", "on")]);
    expect(read("config.yaml")).toContain("timezone: UTC");
    expect(read("config.yaml")).toContain("compact: true");
  });

  it("names who owns managed settings and changes nothing [20:A7.12][20:R7.11]", async () => {
    const run = await runCli(["config", "set", "timezone", "UTC"], {
      home: location.home,
      env: { HERMES_MANAGED: "nix" },
    });
    expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining("NixOS") });
    const asJson = await runCli(["config", "set", "timezone", "UTC", "--json"], {
      home: location.home,
      env: { HERMES_MANAGED: "nix" },
    });
    expect(JSON.parse(asJson.stdout)).toMatchObject({ error: { code: "managed_install" } });
  });

  it("prints the schema as JSON Schema [20:R7.26]", async () => {
    expect(JSON.parse((await hermes("config", "schema")).stdout)).toMatchObject({ type: "object" });
  });

  it("refuses to edit without a terminal and names the other way [20:R8.3]", async () => {
    expect(await hermes("config", "edit")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("hermes config set"),
    });
  });
});
