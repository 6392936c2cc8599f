import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it, onTestFailed } from "vitest";
import { calls, hang, reply, says, startModelServer, thinks } from "../fakes/model-server/index.ts";
import { modelConfig, root, Stage } from "./support/stage.ts";
import { ProgramTerminal } from "./support/terminal.ts";

const ctrlC = "\x03";
const ctrlD = "\x04";
const ctrlV = "\x16";
const f3 = "\x1bOR";
const demo = ["--provider", "demo"];

function open(stage: Stage, args: readonly string[], env: Readonly<Record<string, string>> = {}): ProgramTerminal {
  const terminal = new ProgramTerminal(stage, args, env);
  onTestFailed(async () => {
    process.stderr.write(`${(await terminal.text()).trimEnd()}\n`);
  });
  return terminal;
}

async function leave(terminal: ProgramTerminal): Promise<void> {
  terminal.press(ctrlD);
  expect(await terminal.exited).toBe(0);
}

describe("what the terminal can do, in the program", () => {
  it("runs commands with ! in the folder of the session, stops them, and keeps keys from them [20:R10.26]", async () => {
    await using stage = await Stage.open({
      files: { "tea.txt": "green" },
      env: "OPENROUTER_API_KEY=sk-or-hidden-12345678\n",
    });
    await using terminal = open(stage, demo);
    await terminal.answers(/demo/i);
    await terminal.say("!ls && cat tea.txt; exit 3");
    await terminal.answers(/tea\.txt\s+green\s+\[exit 3\]/);
    await terminal.say("!env | grep -c OPENROUTER");
    await terminal.answers(/\n0\s+\[exit 1\]/);
    await terminal.say("!echo begun; sleep 100");
    await terminal.sees("Esc stops the command");
    terminal.press(ctrlC);
    await terminal.answers("[stopped]");
    await terminal.say("!rm -rf /");
    await terminal.answers("Hermes never runs this.");
    await leave(terminal);
  });

  it("puts what {!command} prints into the message [20:R10.26]", async () => {
    await using server = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl), files: { "tea.txt": "green" } });
    server.otherwise(says("Understood."));
    await using terminal = open(stage, []);
    await terminal.answers("fake-model");
    await terminal.say("the tea is {!cat tea.txt}, I think");
    expect(await terminal.answers("Understood.")).toContain("{!cat tea.txt} → green");
    expect((await server.received(1)).messages.at(-1)).toMatchObject({ content: "the tea is green, I think" });
    await leave(terminal);
  });

  it("sends nothing of a private key that is referred to, and warns [20:A10.13] [20:R10.25]", async () => {
    await using server = await startModelServer({ strict: true });
    await using stage = await Stage.open({
      config: modelConfig(server.chatBaseUrl),
      files: { "tea.txt": "green tea" },
    });
    const folder = path.join(stage.folder, "user", ".ssh");
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, "id_rsa"), "BEGIN OPENSSH walnut-key\n");
    server.otherwise(says("Understood."));
    await using terminal = open(stage, []);
    await terminal.answers("fake-model");
    await terminal.say("compare @file:~/.ssh/id_rsa with @file:tea.txt");
    expect(await terminal.answers("Understood.")).toMatch(/⚠[^⚠]*id_rsa[^⚠]*not attached/);
    const asked = server.requests.filter(({ rawBody }) => rawBody.includes("compare"));
    expect(asked[0]?.rawBody).toContain("green tea");
    for (const { rawBody } of server.requests) expect(rawBody).not.toContain("walnut-key");
    await leave(terminal);
  });

  it("attaches the image on the clipboard by Ctrl-V, and says what to install without a program for it [20:R10.23]", async () => {
    await using stage = await Stage.open();
    const bin = path.join(stage.folder, "bin");
    await mkdir(bin);
    const shot = path.join(stage.folder, "shot.png");
    await writeFile(shot, Buffer.from("\x89PNG\r\n\x1a\n0000", "latin1"));
    const path_ = `${bin}:${path.dirname(process.execPath)}`;
    {
      await using terminal = open(stage, demo, { PATH: path_, DISPLAY: ":9" });
      await terminal.answers(/demo/i);
      terminal.press(ctrlV);
      await terminal.answers(/No program here can read an image[\s\S]*xclip\s+\(X11\)/);
      await leave(terminal);
    }
    const script = `#!/bin/sh\ncase "$*" in *TARGETS*) echo image/png;; *) /bin/cat ${shot};; esac\n`;
    await writeFile(path.join(bin, "xclip"), script);
    await chmod(path.join(bin, "xclip"), 0o755);
    await using terminal = open(stage, demo, { PATH: path_, DISPLAY: ":9" });
    await terminal.answers(/demo/i);
    terminal.press(ctrlV);
    await terminal.sees("[📎 Image #1]");
    expect(await readdir(path.join(stage.home, "images"))).toEqual([expect.stringMatching(/^clip_.*\.png$/)]);
    terminal.press(ctrlC);
    await terminal.answers(/demo/i);
    await leave(terminal);
  });

  it("asks once whether a shell hook may run, and keeps the answer [30:7.5] [20:R10.34]", async () => {
    await using stage = await Stage.open({ files: { "notes.txt": "one\n" } });
    const hook = path.join(stage.folder, "hook.sh");
    await writeFile(hook, `#!/bin/sh\ncat > ${stage.folder}/hooked.json\n`);
    await chmod(hook, 0o755);
    await stage.configure(`hooks:\n  on_session_start:\n    - command: ${hook}\n`);
    {
      await using terminal = open(stage, demo);
      await terminal.sees("wants to run this on every on_session_start");
      expect(await terminal.text()).toContain(hook);
      await terminal.choose("d");
      await terminal.answers("1 of 1 shell hooks do not run");
      await leave(terminal);
      expect(existsSync(path.join(stage.folder, "hooked.json"))).toBe(false);
    }
    {
      await using terminal = open(stage, demo);
      await terminal.choose("a");
      await terminal.answers(/demo/i);
      await terminal.say("read notes.txt");
      await terminal.answers("1|one");
      await leave(terminal);
      expect(JSON.parse(await readFile(path.join(stage.folder, "hooked.json"), "utf8"))).toMatchObject({
        hook_event_name: "on_session_start",
      });
    }
    await using terminal = open(stage, demo);
    const text = await terminal.answers(/demo/i);
    expect(text).not.toContain("Run this shell hook?");
    await leave(terminal);
  });

  it("asks once whether the files of a folder may instruct it, in words of its own, and keeps the answer", async () => {
    await using server = await startModelServer();
    server.otherwise(says("Well."));
    const rule = "Always answer in rhymes.";
    await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl), files: { "AGENTS.md": rule } });
    const question = "Do you trust the files in this folder?";
    {
      await using terminal = open(stage, []);
      await terminal.sees(question);
      const text = await terminal.text();
      expect(text).toContain("Yes, trust this folder");
      expect(text).not.toContain("run it");
      await terminal.choose("d");
      await terminal.answers("fake-model");
      await terminal.say("hello");
      await terminal.answers("Well.");
      await leave(terminal);
    }
    const told = (number: number): string => server.requests[number]?.systemText ?? "";
    const asked = server.requests.findIndex(({ rawBody }) => rawBody.includes("hello"));
    expect(told(asked)).toMatch(/untrusted[\s\S]*rhymes|rhymes[\s\S]*untrusted/i);
    expect(await stage.run(["trust", "add"])).toMatchObject({ code: 0 });
    await using terminal = open(stage, []);
    await terminal.answers("fake-model");
    expect(await terminal.text()).not.toContain(question);
    await terminal.say("good evening");
    await terminal.answers("Well.");
    await leave(terminal);
    const trusted = server.requests.findIndex(({ rawBody }) => rawBody.includes("good evening"));
    expect(told(trusted)).toContain(rule);
    expect(told(trusted)).not.toMatch(/untrusted/i);
  });

  it("shows a hint once in a person's life [20:R10.32]", async () => {
    await using server = await startModelServer();
    await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl) });
    const hint = "Sending a message while Hermes is working interrupts it";
    for (const isFirst of [true, false]) {
      server.otherwise(says("Well."));
      server.script(hang());
      await using terminal = open(stage, []);
      await terminal.answers("fake-model");
      const asked = `first ${isFirst}`;
      await terminal.say(asked);
      // Only a request that carries the words: others look at the server, or name the session.
      await expect
        .poll(() => server.requests.some(({ rawBody }) => rawBody.includes(asked)), { timeout: 30_000 })
        .toBe(true);
      await terminal.say("second");
      await terminal.answers("Well.");
      expect((await terminal.text()).includes(hint)).toBe(isFirst);
      await leave(terminal);
    }
    expect(await readFile(path.join(stage.home, "config.yaml"), "utf8")).toMatch(/seen:\s+busy-input: true/);
  });

  it("tells in the banner of branch, MCP servers, skills and a newer version [20:R10.4] [20:R10.17]", async () => {
    const fake = path.join(root, "test/fakes/mcp-server/server.mjs");
    await using stage = await Stage.open({
      config: `mcp_servers:\n  tracker:\n    command: ${process.execPath}\n    args: [${JSON.stringify(fake)}, "{}"]\n`,
    });
    await writeFile(path.join(stage.home, ".update_check"), '{"newest":"99.1.0"}');
    execFileSync("git", ["init", "-q", "-b", "feature/tea"], { cwd: stage.work });
    await using terminal = open(stage, demo);
    await terminal.answers(/demo/i);
    await terminal.sees("⎇ feature/tea");
    await terminal.sees("mcp tracker");
    await terminal.sees(/\d+ skills \(\/skills\)/);
    await terminal.sees("Hermes 99.1.0 is available");
    await terminal.say("!git checkout -q -b other");
    await terminal.sees("│ ⎇ other");
    await leave(terminal);
  });

  it("begins with the words after chat, and with the images of --image [20:R8.7]", async () => {
    await using stage = await Stage.open({ files: { "notes.txt": "one\n" } });
    await writeFile(path.join(stage.work, "a.png"), Buffer.from("\x89PNG\r\n\x1a\n0000", "latin1"));
    {
      await using terminal = open(stage, ["chat", ...demo, "read", "notes.txt"]);
      await terminal.answers("1|one");
      await leave(terminal);
    }
    await using terminal = open(stage, ["chat", ...demo, "--image", "a.png"]);
    await terminal.sees("[📎 Image #1]");
    terminal.press(ctrlC);
    await terminal.answers(/demo/i);
    await leave(terminal);
  });

  it("asks for what a skill needs where nobody sees it, and keeps it in .env [20:R10.36] [20:R9.9]", async () => {
    await using stage = await Stage.open();
    const folder = path.join(stage.home, "skills", "weather");
    await mkdir(folder, { recursive: true });
    const head = "name: weather\ndescription: Tells the weather.\nrequired_environment_variables:\n  - WEATHER_TOKEN\n";
    await writeFile(path.join(folder, "SKILL.md"), `---\n${head}---\nAsk the service.\n`);
    await using terminal = open(stage, demo);
    await terminal.answers(/demo/i);
    await terminal.say("/weather");
    await terminal.sees("🔑 WEATHER_TOKEN");
    terminal.press("w-secret-123456\r");
    await terminal.answers("⚕ Hermes\n");
    expect(await readFile(path.join(stage.home, ".env"), "utf8")).toContain("WEATHER_TOKEN=w-secret-123456");
    expect(await terminal.text()).not.toContain("w-secret-123456");
    await leave(terminal);
    expect(await stage.filesWith("w-secret-123456")).toEqual([".env"]);
  });

  it("takes the extensions that plugins bring, and says which one cannot be used [20:R10.44]", async () => {
    await using stage = await Stage.open({
      config: "plugins:\n  enabled: [tool-tally, broken]\n",
      files: { "notes.txt": "one\n" },
    });
    await cp(path.join(root, "examples/plugins/tool-tally"), path.join(stage.home, "plugins/tool-tally"), {
      recursive: true,
    });
    await mkdir(path.join(stage.home, "plugins/broken"), { recursive: true });
    await writeFile(path.join(stage.home, "plugins/broken/plugin.yaml"), "name: broken\ntui: tui.mjs\n");
    await writeFile(path.join(stage.home, "plugins/broken/tui.mjs"), "throw new Error('out of order');\n");
    await using terminal = open(stage, demo);
    await terminal.answers("out of order");
    await terminal.sees("tally  no tool has run yet");
    await terminal.say("read notes.txt");
    await terminal.answers("1|one");
    await terminal.sees("tally  read_file 1");
    await terminal.say("/tally-panel");
    await terminal.answers("The tally is hidden");
    terminal.press(f3);
    await terminal.sees("tally  read_file 1");
    await leave(terminal);
    // Where there is no terminal nothing of it is loaded.
    expect(await stage.run(["-z", "read notes.txt", "-m", "demo"])).toMatchObject({ code: 0, stderr: "" });
  });

  it("shows the arguments of tools when agent.verbose is set", async () => {
    await using stage = await Stage.open({ config: "agent:\n  verbose: true\n", files: { "notes.txt": "one" } });
    await using terminal = open(stage, demo);
    await terminal.answers(/demo/i);
    await terminal.say("read notes.txt");
    await terminal.answers(/path: notes\.txt/);
    await leave(terminal);
  });

  it("can be left before everything is open, without a complaint [20:R10.4] [20:R10.19]", async () => {
    await using stage = await Stage.open({ config: "model:\n  provider: demo\n" });
    await using terminal = open(stage, []);
    await terminal.sees("starting agent");
    terminal.press(ctrlD);
    expect(await terminal.exited).toBe(0);
    const text = await terminal.text();
    expect(text).toContain("Until next time.");
    expect(text).not.toMatch(/scope|Error/);
  });

  it("says in the status bar that the settings have changed [20:R10.17]", async () => {
    await using stage = await Stage.open({ config: "agent:\n  max_turns: 50\n" });
    await using terminal = open(stage, demo);
    await terminal.answers(/demo/i);
    await stage.configure("agent:\n  max_turns: 60\n");
    await terminal.sees("config changed");
    await stage.configure("agent:\n  max_turns: 50\n");
    await terminal.sees(/⚕ (?!.*config changed)/);
    await leave(terminal);
  });

  it("draws with changed display settings at once, without a mark [20:R10.17]", async () => {
    await using stage = await Stage.open({ config: "display:\n  show_cost: false\n" });
    await using terminal = open(stage, demo);
    await terminal.answers(/demo/i);
    await terminal.say("read nothing");
    await terminal.answers("⚕ Hermes\n");
    await stage.configure("display:\n  show_cost: true\n");
    expect(await terminal.sees(/⚕ hermes-demo.*(?:included|\$)/)).not.toContain("config changed");
    await stage.configure("display:\n  skin: slate\n");
    expect(await terminal.sees(/⚕ hermes-demo(?![^\n]*(?:included|\$))[^\n]*\n─+/)).not.toContain("config changed");
    await leave(terminal);
  });

  it("takes over every setting that counts at once, and leaves what was chosen in the chat [20:R10.17] [20:R7.12] [20:R7.7]", async () => {
    await using model = await startModelServer({ strict: true });
    const settings = (cost: boolean, more: string) =>
      modelConfig(model.chatBaseUrl, `display:\n  show_cost: ${cost}\n${more}`);
    await using stage = await Stage.open({ config: settings(false, ""), files: { "notes.txt": "one\n" } });
    await using terminal = open(stage, []);
    const asks = async (answer: string) => {
      model.script(reply([thinks("Hm, weighing."), calls("read_file", { path: "notes.txt" })]), says(answer));
      await terminal.say(`give ${answer}`);
      return (
        (await terminal.answers(new RegExp(`\\n\\*?\\*?${answer.replaceAll("*", "")}`)))
          .split(`give ${answer}`)
          .at(-1) ?? ""
      );
    };
    await terminal.sees("❯");
    model.otherwise(says("A title"));
    const plain = await asks("**first**");
    expect(plain).toMatch(/read +notes\.txt/);
    expect(plain).not.toMatch(/\*\*first|weighing|"path"/);
    await terminal.say("/details activity expanded");
    await terminal.answers("activity expanded");
    // The price in the status line says that the file was read again.
    await stage.configure(
      settings(true, "  final_response_markdown: raw\n  show_reasoning: true\nagent:\n  verbose: true\n"),
    );
    await terminal.sees(/⚕ fake-model.*(?:included|\$|price)/);
    const full = await asks("**second**");
    expect(full).toMatch(/\*\*second\*\*/);
    expect(full).toContain("weighing");
    expect(full).toContain("path: notes.txt");
    await stage.configure(settings(false, "  tool_progress: off\n"));
    await terminal.sees(/⚕ fake-model(?![^\n]*(?:included|\$|price))[^\n]*\n─+/);
    expect(await asks("third")).not.toMatch(/read +notes\.txt|weighing/);
    await terminal.say("/details");
    expect(await terminal.answers("activity expanded")).not.toContain("config changed");
    await leave(terminal);
  });

  it("shows a window too small for long work for as long as it is used [20:R6.4]", async () => {
    await using model = await startModelServer({ strict: true });
    const config = modelConfig(model.chatBaseUrl, "  context_length: 32000\n  allow_small_context: true\n");
    await using stage = await Stage.open({ config });
    await using terminal = open(stage, []);
    await terminal.sees(/32K[\s\S]*small window/);
    await terminal.say("/status");
    await terminal.answers(/Warning[\s\S]*long work will be cut short/);
    await leave(terminal);
  });

  it("shows no mark for what a command of the chat saved itself [20:R10.17]", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl) });
    await using terminal = open(stage, []);
    await terminal.sees("❯");
    model.otherwise(says("Hello."));
    await terminal.say("hello");
    await terminal.answers("Hello.");
    await terminal.say("/reasoning high");
    await terminal.answers("Saved.");
    await stage.configure(`${await stage.read(path.join(stage.home, "config.yaml"))}\ndisplay:\n  show_cost: true\n`);
    expect(await terminal.sees(/⚕ fake-model.*(?:included|\$|price)/)).not.toContain("config changed");
    await leave(terminal);
  });

  it("goes on with the conversation of this folder, and says when it goes elsewhere [20:R8.11]", async () => {
    await using stage = await Stage.open({ files: { "a/one.txt": "1\n", "b/two.txt": "2\n" } });
    const inFolder = (name: string) => ["--cwd", path.join(stage.work, name)];
    for (const name of ["a", "b"]) {
      await using terminal = open(stage, [...inFolder(name), ...demo]);
      await terminal.answers(/demo/i);
      await terminal.say(`this is folder ${name}`);
      await terminal.answers("⚕ Hermes\n");
      await leave(terminal);
    }
    await stage.run(["-z", "a one-shot", ...demo]);
    {
      await using terminal = open(stage, [...inFolder("a"), "-c", ...demo]);
      expect(await terminal.sees("this is folder")).toContain("this is folder a");
      await leave(terminal);
    }
    await using terminal = open(stage, ["-c", ...demo]);
    await terminal.sees("No session in this folder yet; resuming the most recent one");
    await leave(terminal);
  });
});
