import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";

const main = path.join(import.meta.dirname, "..", "..", "dist", "cli", "main.js");
const folder = mkdtempSync(path.join(tmpdir(), "hermes-cli-e2e-"));
const home = path.join(folder, "home");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const env = { ...process.env, HERMES_HOME: home, HOME: folder };
const hermes = (args: readonly string[], input = "") =>
  spawnSync(process.execPath, [main, ...args], { cwd: folder, encoding: "utf8", input, env });

describe("the built program on the command line", () => {
  it("prints help, a path and a completion script without a line on standard error [20:R0.8]", () => {
    for (const args of [["--help"], ["config", "path"], ["completion", "bash"], ["sessions", "--help"]]) {
      expect(hermes(args)).toMatchObject({ status: 0, stderr: "" });
    }
  });

  it("loads no package that stands outside the program for help [20:R0.8]", () => {
    const hook = path.join(folder, "hook.cjs");
    writeFileSync(
      hook,
      `const Module = require("node:module"); const load = Module._load; const seen = [];
       Module._load = (request, ...rest) => { seen.push(request); return load(request, ...rest); };
       process.on("exit", () => process.stderr.write(JSON.stringify(seen)));`,
    );
    const run = spawnSync(process.execPath, ["--require", hook, main, "--help"], { encoding: "utf8", env });
    const seen = JSON.parse(run.stderr) as string[];
    expect(seen.filter((name) => /sqlite|playwright|node-pty|^pg$|undici/.test(name))).toEqual([]);
  });

  it("refuses a misspelt command with 2 and says what was meant [20:R8.2]", () => {
    expect(hermes(["sesions"])).toMatchObject({ status: 2, stderr: expect.stringContaining("Did you mean sessions?") });
  });

  it("changes and reads a setting, and keeps a piped key out of the line [20:A7.1][20:A7.2]", () => {
    expect(hermes(["config", "set", "display.streaming", "off"])).toMatchObject({ status: 0, stderr: "" });
    expect(hermes(["config", "get", "display.streaming"])).toMatchObject({ stdout: "false\n" });
    expect(hermes(["config", "set", "OPENROUTER_API_KEY", "-"], "sk-or-v1-abcdefgh\n")).toMatchObject({ status: 0 });
    expect(hermes(["dump"]).stdout).toContain("OPENROUTER_API_KEY: set");
    expect(hermes(["config", "unset", "OPENROUTER_API_KEY"])).toMatchObject({ status: 0 });
  });

  it("lists sessions as one document with a version [20:A8.8]", () => {
    expect(JSON.parse(hermes(["sessions", "list", "--json"]).stdout)).toEqual({ schema_version: 1, sessions: [] });
  });

  it("needs a terminal for the picker and names the other ways [20:A8.3]", () => {
    expect(hermes(["model"])).toMatchObject({ status: 1, stderr: expect.stringContaining("hermes model set") });
  });

  it("prints the Slack app that the setup asks for, or writes it [40:CMD-8]", () => {
    const run = hermes(["slack", "manifest", "--name", "Iris"]);
    expect(run).toMatchObject({ status: 0, stderr: "" });
    const manifest = JSON.parse(run.stdout) as {
      readonly features: { readonly slash_commands: readonly { readonly command: string }[] };
    };
    expect(manifest).toMatchObject({
      display_information: { name: "Iris" },
      oauth_config: { scopes: { bot: expect.arrayContaining(["chat:write", "files:write", "commands"]) } },
      settings: { socket_mode_enabled: true, interactivity: { is_enabled: true } },
    });
    const names = manifest.features.slash_commands.map(({ command }) => command);
    expect(names.length).toBeLessThanOrEqual(50);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(expect.arrayContaining(["/hermes", "/new", "/model", "/sethome"]));
    // Slack keeps this one for itself.
    expect(names).not.toContain("/status");
    const only = hermes(["slack", "manifest", "--slashes-only", "--write", path.join(folder, "slack.json")]);
    expect(only.status).toBe(0);
    expect(JSON.parse(readFileSync(path.join(folder, "slack.json"), "utf8"))).toEqual({
      slash_commands: manifest.features.slash_commands,
    });
  });

  it("prints the Slack app that calls an address instead", () => {
    const url = "https://example.com/slack/events";
    const run = hermes(["slack", "manifest", "--url", url]);
    expect(JSON.parse(run.stdout)).toMatchObject({
      features: { slash_commands: expect.arrayContaining([expect.objectContaining({ command: "/hermes", url })]) },
      settings: {
        socket_mode_enabled: false,
        event_subscriptions: { request_url: url },
        interactivity: { is_enabled: true, request_url: url },
      },
    });
  });

  it("completes profiles in a real bash [20:A8.13]", () => {
    mkdirSync(path.join(home, "profiles", "coder"), { recursive: true });
    mkdirSync(path.join(folder, "bin"), { recursive: true });
    writeFileSync(path.join(folder, "bin", "hermes"), `#!/bin/sh\nexec ${process.execPath} ${main} "$@"\n`, {
      mode: 0o755,
    });
    const script = `eval "$(hermes completion bash)"; COMP_WORDS=(hermes profile use c); COMP_CWORD=3; _hermes_complete; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const run = spawnSync("bash", ["-c", script], {
      encoding: "utf8",
      env: { ...env, PATH: `${path.join(folder, "bin")}:${process.env["PATH"]}` },
    });
    expect(run.stdout).toBe("coder\n");
  });

  it("runs the commands of an enabled plugin written as a module [20:R8.19]", () => {
    const plugin = path.join(home, "plugins", "greeter");
    mkdirSync(plugin, { recursive: true });
    writeFileSync(path.join(plugin, "plugin.yaml"), "name: greeter\n");
    writeFileSync(
      path.join(plugin, "index.mjs"),
      'export function register(context) { context.registerCliCommand({ name: "greet", help: "Greets", handler: (args) => { process.stdout.write("hello " + args + "\\n"); return 0; } }); }\n',
    );
    expect(hermes(["greet", "you"])).toMatchObject({ status: 2 });
    expect(hermes(["plugins", "enable", "greeter"])).toMatchObject({ status: 0 });
    expect(hermes(["greet", "you"])).toMatchObject({ status: 0, stdout: "hello you\n" });
    expect(hermes(["--help"]).stdout).toContain("greet");
  });

  it("follows a log until it is told to stop [20:R8.2]", async () => {
    mkdirSync(path.join(home, "logs"), { recursive: true });
    writeFileSync(path.join(home, "logs", "agent.log"), "2026-11-16T02:00:00Z INFO [s] agent: first\n");
    const child = spawn(process.execPath, [main, "logs", "-f"], { env, stdio: ["ignore", "pipe", "pipe"] });
    try {
      const [chunk] = (await once(child.stdout, "data")) as [Buffer];
      expect(chunk.toString()).toContain("first");
      child.kill("SIGINT");
      const [code] = (await once(child, "exit")) as [number];
      expect(code).toBe(130);
    } finally {
      child.kill("SIGKILL");
    }
  });

  it("ends quietly when its reader stops reading", () => {
    const pipeline = `${process.execPath} ${main} config schema | head -n 1`;
    expect(spawnSync("sh", ["-c", pipeline], { encoding: "utf8", env })).toMatchObject({ stdout: "{\n", stderr: "" });
  });
});
