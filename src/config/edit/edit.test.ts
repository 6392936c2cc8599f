import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, lstatSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { TempHome } from "../testing.ts";
import { changeSetting, unsetSetting } from "./change-setting.ts";
import { editConfig } from "./edit.ts";

const change = (temp: TempHome, key: string, value: string) =>
  changeSetting(key, value, { home: temp.home, env: temp.env });

describe("config set", () => {
  test("[20:A7.1] a credential goes to .env, for its owner's eyes only, and config.yaml stays", async () => {
    using temp = new TempHome({ "config.yaml": "model: x\n" });
    const before = temp.hashOf("config.yaml");
    const result = await change(temp, "OPENROUTER_API_KEY", "sk-or-1");
    expect(result).toEqual({ kind: "secret", name: "OPENROUTER_API_KEY", file: temp.home.envFile });
    expect(temp.read(".env")).toBe("OPENROUTER_API_KEY=sk-or-1\n");
    expect(temp.modeOf(".env")).toBe(0o600);
    expect(temp.hashOf("config.yaml")).toBe(before);
  });

  test.each([
    ["my_own_token", "MY_OWN_TOKEN"],
    ["terminal_ssh_host", "TERMINAL_SSH_HOST"],
    ["sudo_password", "SUDO_PASSWORD"],
    ["FAL_KEY", "FAL_KEY"],
  ])("[20:R7.27] %s is a secret's name", async (key, name) => {
    using temp = new TempHome();
    expect(await change(temp, key, "v")).toMatchObject({ kind: "secret", name });
  });

  test("[20:A7.2] off is false for a flag", async () => {
    using temp = new TempHome();
    await change(temp, "display.streaming", "off");
    expect(temp.read("config.yaml")).toBe("_config_version: 22\ndisplay:\n  streaming: false\n");
    expect(temp.modeOf("config.yaml")).toBe(0o600);
  });

  test.each([
    ["approvals.mode", "off", '"off"'],
    ["agent.max_turns", "40", "40"],
    ["compression.threshold", "0.75", "0.75"],
    ["timezone", "5", '"5"'],
    ["toolsets", "a,b", "\n  - a\n  - b"],
    ["toolsets", "[a, b]", "\n  - a\n  - b"],
    ["toolsets", '["a", "b"]', "\n  - a\n  - b"],
    ["skills.disabled", "[ 'one two' , b ]", "\n    - one two\n    - b"],
    ["skills.platform_disabled", "{cli: [a]}", "\n    cli:\n      - a"],
    ["agent.tool_use_enforcement", "false", "false"],
    ["cron.max_parallel_jobs", "3", "3"],
    ["model", "gpt-5", "gpt-5"],
  ])("[20:R7.27] %s takes %s as its own type", async (key, written, expected) => {
    using temp = new TempHome({ "config.yaml": "x_: 1\n" });
    await change(temp, key, written);
    const name = key.split(".").at(-1) ?? "";
    expect(temp.read("config.yaml")).toContain(`${name}:${expected.startsWith("\n") ? "" : " "}${expected}\n`);
    expect((await temp.load()).warnings.filter((warning) => warning.kind === "type")).toEqual([]);
  });

  test("[20:R7.27] an unknown key is refused with a suggestion, unless forced", async () => {
    using temp = new TempHome({ "config.yaml": "model: x\n" });
    const before = temp.hashOf("config.yaml");
    await expect(change(temp, "agent.max_turn", "4")).rejects.toMatchObject({
      code: "config_key_unknown",
      hint: expect.stringContaining("agent.max_turns"),
    });
    await expect(change(temp, "compresion.enabled", "off")).rejects.toMatchObject({
      hint: expect.stringContaining("compression.enabled"),
    });
    expect(temp.hashOf("config.yaml")).toBe(before);
    await changeSetting("mine.own", "off", { home: temp.home, env: temp.env, force: true });
    expect(temp.read("config.yaml")).toBe("model: x\nmine:\n  own: false\n");
  });

  test.each([
    ["agent.max_turns", "many"],
    ["agent.max_turns", "0"],
    ["display.busy_input_mode", "sometimes"],
    ["display", "fancy"],
    ["skills.disabled", "[a, b"],
    ["skills.disabled", "[a, {b: c}]"],
    ["skills.disabled", "{a: b}"],
  ])("[20:R7.27] %s does not take %s", async (key, written) => {
    using temp = new TempHome({ "config.yaml": "model: x\n" });
    const before = temp.hashOf("config.yaml");
    await expect(change(temp, key, written)).rejects.toMatchObject({ code: "config_type_error" });
    expect(temp.hashOf("config.yaml")).toBe(before);
  });

  test("[20:R7.27] unset takes the key out of the file, or the variable out of .env", async () => {
    using temp = new TempHome({ "config.yaml": "timezone: UTC\nworktree: true\n", ".env": "A_TOKEN=1\nB=2\n" });
    await unsetSetting("timezone", { home: temp.home, env: temp.env });
    await unsetSetting("A_TOKEN", { home: temp.home, env: temp.env });
    expect(temp.read("config.yaml")).toBe("worktree: true\n");
    expect(temp.read(".env")).toBe("B=2\n");
  });

  test("unset in a home without a settings file makes none and refuses a name that nobody has", async () => {
    using temp = new TempHome({});
    const options = { home: temp.home, env: temp.env };
    await expect(unsetSetting("nosuch", options)).rejects.toMatchObject({ code: "config_key_unknown" });
    expect(await unsetSetting("timezone", options)).toMatchObject({ hasChanged: false });
    expect(existsSync(temp.home.config)).toBe(false);
  });

  test("a key the file has under its old name is changed there", async () => {
    using temp = new TempHome({ "config.yaml": "max_turns: 5 # old\nmodel: a\n" });
    await change(temp, "agent.max_turns", "6");
    await change(temp, "model.default", "b");
    expect(temp.read("config.yaml")).toBe("max_turns: 6 # old\nmodel: b\n");
    expect((await temp.load()).config.agent.max_turns).toBe(6);
  });
});

describe("safety of saving", () => {
  test("[20:A7.4] a file that does not parse is not touched", async () => {
    using temp = new TempHome({ "config.yaml": "a: 1\n\tb: 2\n" });
    const before = temp.hashOf("config.yaml");
    await expect(change(temp, "timezone", "UTC")).rejects.toMatchObject({
      code: "config_parse_error",
      exitCode: 1,
      data: { line: 2 },
    });
    expect(temp.hashOf("config.yaml")).toBe(before);
  });

  test("[20:R7.24] neither is one of a newer version", async () => {
    using temp = new TempHome({ "config.yaml": "_config_version: 23\n" });
    await expect(change(temp, "timezone", "UTC")).rejects.toMatchObject({ code: "config_newer_version" });
    expect(temp.read("config.yaml")).toBe("_config_version: 23\n");
  });

  test("nor one that is not UTF-8", async () => {
    using temp = new TempHome();
    temp.write("config.yaml", Buffer.from("a: \xff\n", "latin1"));
    const before = temp.hashOf("config.yaml");
    await expect(change(temp, "timezone", "UTC")).rejects.toMatchObject({ code: "config_parse_error" });
    expect(temp.hashOf("config.yaml")).toBe(before);
  });

  test("[20:A7.12] a managed install refuses and names who owns the settings", async () => {
    using temp = new TempHome({ "config.yaml": "model: x\n" });
    const options = { home: temp.home, env: { ...temp.env, HERMES_MANAGED: "nix" } };
    await expect(changeSetting("timezone", "UTC", options)).rejects.toMatchObject({
      code: "managed_install",
      exitCode: 1,
      message: expect.stringContaining("NixOS"),
    });
    await expect(changeSetting("A_API_KEY", "1", options)).rejects.toMatchObject({ code: "managed_install" });
    expect(temp.has(".env")).toBe(false);
  });

  test("[20:R7.6] the last good file is kept, permissions and a symbolic link stay", async () => {
    using temp = new TempHome({ "config.yaml": "model: x\n" });
    const real = join(temp.folder, "dotfiles.yaml");
    renameSync(temp.home.config, real);
    symlinkSync(real, temp.home.config);
    chmodSync(real, 0o640);
    await change(temp, "timezone", "UTC");
    expect(lstatSync(temp.home.config).isSymbolicLink()).toBe(true);
    expect(temp.modeOf("config.yaml")).toBe(0o640);
    expect(temp.read("config.yaml.bak")).toBe("model: x\n");
    expect(temp.modeOf("config.yaml.bak")).toBe(0o600);
  });

  test("a change that changes nothing writes nothing", async () => {
    using temp = new TempHome({ "config.yaml": "timezone: UTC\n" });
    expect(await change(temp, "timezone", "UTC")).toMatchObject({ hasChanged: false });
    expect(temp.has("config.yaml.bak")).toBe(false);
  });

  test("[20:R7.7] changes of one process at the same time all arrive", async () => {
    using temp = new TempHome();
    const keys = ["a", "b", "c", "d", "e", "f"];
    const options = { home: temp.home, env: temp.env };
    await Promise.all(
      keys.map((key) => editConfig([{ kind: "set", path: ["skills", "config", key], value: key }], options)),
    );
    const { config } = await temp.load();
    expect(Object.keys(config.skills.config).sort()).toEqual(keys);
  });

  test("[20:A7.11] two processes that set different keys at the same time both get through", async () => {
    using temp = new TempHome({ "config.yaml": "# shared\nmodel: x\n" });
    const script = `
      import { HermesHome } from "#foundation/files/paths";
      const { editConfig } = await import(process.env.TEST_EDITOR);
      const home = new HermesHome(process.env.TEST_HOME);
      const name = process.env.TEST_NAME;
      process.stdout.write("ready\\n");
      await new Promise((go) => process.stdin.once("data", go));
      for (let n = 0; n < 8; n += 1) {
        await editConfig([{ kind: "set", path: ["skills", "config", name + n], value: n }], { home, env: {} });
      }
      process.stdin.pause();
    `;
    const root = fileURLToPath(new URL("../../..", import.meta.url));
    const editor = new URL("./edit.ts", import.meta.url).href;
    const children = ["left", "right"].map((name) =>
      spawn(process.execPath, ["--conditions=hermes-source", "--import", "tsx", "--input-type=module", "-e", script], {
        cwd: root,
        env: { PATH: process.env.PATH, TEST_EDITOR: editor, TEST_HOME: temp.home.root, TEST_NAME: name },
        stdio: ["pipe", "pipe", "inherit"],
      }),
    );
    try {
      await Promise.all(children.map((child) => once(child.stdout, "data")));
      for (const child of children) child.stdin.write("go\n");
      const codes = await Promise.all(children.map(async (child) => (await once(child, "exit"))[0]));
      expect(codes).toEqual([0, 0]);
    } finally {
      for (const child of children) child.kill("SIGKILL");
    }
    const { config } = await temp.load();
    expect(Object.keys(config.skills.config)).toHaveLength(16);
    expect(temp.read("config.yaml").startsWith("# shared\nmodel: x\n")).toBe(true);
    expect(temp.has("config.lock")).toBe(false);
  });
});
