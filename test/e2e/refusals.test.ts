import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { Stage } from "./support/stage.ts";
import { ProgramTerminal } from "./support/terminal.ts";

const demo = ["--provider", "demo"];

describe("what cannot be done is said plainly", () => {
  it("a home where no folder can be made", async () => {
    await using stage = await Stage.open();
    const ran = await stage.run(["chat", "-q", "hi", ...demo], { env: { HERMES_HOME: "/proc/no-folder/here" } });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain("/proc/no-folder");
    expect(ran.stderr).not.toContain("Unexpected error");
    await using terminal = new ProgramTerminal(stage, demo, { HERMES_HOME: "/proc/no-folder/here" });
    expect(await terminal.exited).toBe(1);
    const shown = await terminal.text();
    expect(shown).toMatch(/Cannot create the folder \/proc\/no-folder[\s\S]*Check the path; HERMES_HOME/);
    expect(shown).not.toContain("ENOENT");
  });

  it("a toolset or a skill that does not exist gets no answer made without it [20:R8.7]", async () => {
    await using stage = await Stage.open();
    const toolset = await stage.run(["chat", "-q", "hi", ...demo, "-t", "file,nosuch"]);
    expect(toolset).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining('There is no toolset "nosuch"'),
    });
    const skill = await stage.run(["chat", "-q", "hi", ...demo, "-s", "nosuch"]);
    expect(skill).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("The skill nosuch could not be"),
    });
  });

  it("a skin, a setting and a source nobody has", async () => {
    await using stage = await Stage.open();
    const skin = await stage.run(["config", "set", "display.skin", "nosuch"]);
    expect(skin).toMatchObject({ code: 1, stderr: expect.stringMatching(/no skin "nosuch"[\s\S]*mono/) });
    await mkdir(path.join(stage.home, "skins"), { recursive: true });
    await writeFile(path.join(stage.home, "skins", "mine.yaml"), "name: mine\n");
    expect(await stage.run(["config", "set", "display.skin", "mine"])).toMatchObject({ code: 0 });
    const unset = await stage.run(["config", "unset", "nosuch"]);
    expect(unset).toMatchObject({ code: 1, stderr: expect.stringContaining("There is no setting nosuch") });
    const list = await stage.run(["sessions", "list", "--source", "nosuch"]);
    expect(list.stdout).toContain('No session has the source "nosuch"');
  });

  it("a platform, a log, a value and a folder that do not exist", async () => {
    await using stage = await Stage.open();
    const platform = await stage.run(["tools", "list", "--platform", "telegramm"]);
    expect(platform).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no platform "telegramm". Did you mean telegram?'),
    });
    const log = await stage.run(["logs", "mcp-x"]);
    expect(log).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no log "mcp-x".') });
    const level = await stage.run(["logs", "--level", "loud"]);
    expect(level).toMatchObject({ code: 2, stderr: expect.stringContaining('Invalid --level: "loud".') });
    const unset = await stage.run(["config", "unset", "nosuch"]);
    expect(unset.stderr).not.toContain("--force");
    await stage.run(["chat", "-q", "one", ...demo]);
    const target = path.join(stage.work, "not-there", "all.jsonl");
    const written = await stage.run(["sessions", "export", target]);
    expect(written).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`There is no folder ${path.dirname(target)}.`),
    });
  });

  it("a log of an MCP server is shown by its name", async () => {
    await using stage = await Stage.open();
    await mkdir(path.join(stage.home, "logs"), { recursive: true });
    await writeFile(path.join(stage.home, "logs", "mcp-shop.log"), "the shop opened\n");
    expect(await stage.run(["logs", "mcp-shop"])).toMatchObject({ code: 0, stdout: "the shop opened\n" });
  });

  it("a backup that would replace files names the flag that lets it", async () => {
    await using stage = await Stage.open({ config: "display: { skin: mono }\n" });
    const archive = path.join(stage.folder, "copy.tar.gz");
    expect(await stage.run(["backup", "-q", "-o", archive])).toMatchObject({ code: 0 });
    await stage.configure("display: { skin: slate }\n");
    const refused = await stage.run(["import", archive]);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("Add -f to confirm.") });
    expect(await stage.run(["import", "-f", archive])).toMatchObject({ code: 0 });
    expect((await stage.run(["config", "get", "display.skin"])).stdout).toContain("mono");
  });

  it("an id that several sessions begin with", async () => {
    await using stage = await Stage.open();
    for (const question of ["one", "two"]) await stage.run(["chat", "-q", question, ...demo]);
    const ran = await stage.run(["sessions", "show", "20"]);
    expect(ran).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/2 sessions begin with "20"[\s\S]*Type more of the id: 20/),
    });
    expect((await stage.run(["sessions", "show", "nosuch"])).stderr).toContain('There is no session "nosuch"');
  });

  it("a provider nobody knows, and where all of them are listed; no option stands twice in the help", async () => {
    await using stage = await Stage.open({ env: "OPENROUTER_API_KEY=sk-or-v1-0123456789abcdef\n" });
    const unknown = await stage.run(["auth", "add", "nosuch"]);
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining("hermes model providers") });
    const listed = await stage.run(["model", "providers", "--json"]);
    const { providers } = JSON.parse(listed.stdout) as { providers: { id: string; source: string | null }[] };
    expect(providers.find(({ id }) => id === "openrouter")?.source).toContain("OPENROUTER_API_KEY");
    expect(providers.find(({ id }) => id === "anthropic")).toMatchObject({ source: null });
    const { stdout: help } = await stage.run(["--help"]);
    const options = help.match(/^ .{5}--[a-z-]+/gm)?.map((line) => line.trim()) ?? [];
    expect(options.length).toBeGreaterThan(20);
    expect(new Set(options).size).toBe(options.length);
  });
});
