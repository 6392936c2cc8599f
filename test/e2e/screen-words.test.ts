import { mkdir, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import {
  badKey,
  calls,
  hang,
  modelNotFound,
  says,
  startModelServer,
  withHeaders,
} from "../fakes/model-server/index.ts";
import { modelConfig, Stage } from "./support/stage.ts";
import { ProgramTerminal } from "./support/terminal.ts";

const fakeServer = fileURLToPath(new URL("../fakes/mcp-server/server.mjs", import.meta.url));
const open = { type: "object", properties: { message: { type: "string" }, times: { type: "number" } } };
const plan = JSON.stringify({ tools: [{ name: "repeat_words", description: "Repeats", inputSchema: open }] });
const servers = `mcp_servers:\n  everything:\n    command: ${JSON.stringify(process.execPath)}\n    args: ${JSON.stringify([fakeServer, plan])}\n`;

/** A title is a request of its own, which would take the next reply of the script. */
const untitled = "auxiliary: { title_generation: { enabled: false } }\n";

describe("what the screen of the built program says", () => {
  it("commands show what is set and what is remembered", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({
      config: modelConfig(model.chatBaseUrl, "agent:\n  reasoning_effort: high\n"),
    });
    await mkdir(path.join(stage.home, "memories"));
    await writeFile(path.join(stage.home, "memories", "USER.md"), "Likes short answers");
    await using terminal = new ProgramTerminal(stage, []);
    await terminal.sees("❯");
    await terminal.say("/memory");
    await terminal.answers(/About you \(.*USER\.md, 1% full\)\s+• Likes short answers/);
    await terminal.say("/reasoning");
    await terminal.answers("Reasoning: high. Change:");
    await terminal.say("/reasoning hide");
    await terminal.answers("Thinking is now hidden.");
    await terminal.say("/details");
    await terminal.answers("thinking expanded, tools expanded, subagents collapsed, activity hidden");
    await terminal.say("/logs");
    const shown = await terminal.answers(/T[\d:.]+Z INFO .*shipped skills copied added=\d+/);
    expect(shown).not.toContain('{"time"');
    await terminal.say("/toolsets");
    expect(await terminal.answers("web_extract")).not.toMatch(/unavailable\s+│ 0 tools/);
  });

  it("/details hides and brings back the lines of tools [20:R10.13]", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl), files: { "a.txt": "words" } });
    await using terminal = new ProgramTerminal(stage, []);
    await terminal.sees("❯");
    const toolLine = /read\b.*a\.txt|read_file.*a\.txt/;
    const answered = async (answer: string) => {
      model.script(calls("read_file", { path: "a.txt" }), says(answer));
      await terminal.say("look");
      return await terminal.answers(answer);
    };
    await terminal.say("/details tools hidden");
    await terminal.answers("tools hidden");
    expect(await answered("Seen once.")).not.toMatch(toolLine);
    await terminal.say("/details tools expanded");
    await terminal.answers("tools expanded");
    expect(await answered("Seen twice.")).toMatch(toolLine);
  });

  it("/usage shows the limits that the answers' headers told [20:R6.14] [10:ERR-14]", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl) });
    await using terminal = new ProgramTerminal(stage, []);
    await terminal.sees("❯");
    const limits = {
      "x-ratelimit-limit-requests": "60",
      "x-ratelimit-remaining-requests": "41",
      "x-ratelimit-reset-requests": "6m0s",
    };
    model.otherwise(withHeaders(says("Hi."), limits));
    await terminal.say("hello");
    await terminal.answers("Hi.");
    await terminal.say("/usage");
    await terminal.answers(/41 of 60 requests per minute left, full again in [56]m/);
  });

  it("the empty line says what it is for: a turn, a question, a command, nothing [20:R10.27]", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl, untitled) });
    await using terminal = new ProgramTerminal(stage, []);
    await terminal.sees("❯");
    model.script(hang());
    await terminal.say("Go.");
    await terminal.sees("❯ type to interrupt · /queue to wait · Esc to stop");
    terminal.press("\x1b");
    await terminal.sees(/\n❯\s*\n─+\s*$/);
    model.script(calls("clarify", { question: "Which colour?" }), says("Fine."));
    await terminal.say("Ask me.");
    await terminal.sees("❯ your answer · Esc lets Hermes decide");
    await terminal.say("blue");
    await terminal.answers("Fine.");
    await terminal.say("!sleep 600");
    await terminal.sees("❯ Esc stops the command");
    terminal.press("\x1b");
    await terminal.sees(/\n❯\s*\n─+\s*$/);
  });

  it("/new names the commands it stops, and the status line counts them no more", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl) });
    await using terminal = new ProgramTerminal(stage, []);
    await terminal.sees("❯");
    model.script(calls("terminal", { command: "sleep 300", background: true }), says("It runs."));
    await terminal.say("start it");
    await terminal.answers("It runs.");
    await terminal.sees("⚙ 1");
    await terminal.say("/new");
    await terminal.sees("Stopped with it: sleep 300");
    await terminal.sees(/0\/128K(?![^\n]*⚙)[^\n]*\n─/);
  });

  it("what is attached waits for its words: commands in between do not take it", async () => {
    const seeing = { id: "fake-model", extra: { input_modalities: ["text", "image"] } };
    await using model = await startModelServer({ strict: true, models: [seeing] });
    model.otherwise(says("A picture."));
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl) });
    const dot = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEUlEQVR4nGP4z8AARGDiPwMAHfAD/aAzCYkAAAAASUVORK5CYII=";
    await writeFile(path.join(stage.work, "p.png"), Buffer.from(dot, "base64"));
    await using terminal = new ProgramTerminal(stage, []);
    await terminal.sees("❯");
    await terminal.say("/image p.png");
    await terminal.sees("[📎 Image #1]");
    await terminal.say("/status");
    await terminal.sees(/\/status[\s\S]*Image #1/);
    await terminal.say("what is this");
    await terminal.answers("A picture.");
    const asked = model.requests.find(({ messages }) => JSON.stringify(messages).includes("what is this"));
    expect(JSON.stringify(asked?.messages.at(-1))).toContain("image_url");
  });

  it("what @ attaches is named, and no title, list or /undo shows its text", async () => {
    await using model = await startModelServer({ strict: true });
    model.otherwise(says("A note."));
    await using stage = await Stage.open({
      config: modelConfig(model.chatBaseUrl),
      files: { "n.txt": "secret sauce\n" },
    });
    await using terminal = new ProgramTerminal(stage, []);
    await terminal.sees("❯");
    await terminal.say("explain @file:n.txt");
    await terminal.answers("A note.");
    const [asked] = model.requests.filter(({ messages }) => JSON.stringify(messages).includes("secret sauce"));
    expect(JSON.stringify(asked?.messages.at(-1))).toContain("explain @file:n.txt");
    await terminal.say("/undo");
    const text = await terminal.answers("Undone: explain @file:n.txt");
    expect(text).toMatch(/Attached: @file:n\.txt \(about \d+ tokens\)/);
    expect(text).not.toContain("secret sauce");
    expect(text).not.toContain("Attached context");
  });

  it("? shows the keys with every word of them, at 80 columns too", async () => {
    await using stage = await Stage.open();
    await using terminal = new ProgramTerminal(stage, ["--provider", "demo"]);
    await terminal.answers(/\? shows the keys/);
    terminal.press("?");
    const shown = await terminal.sees(/Keys · any key closes[\s\S]*╰/);
    expect(shown.split("Keys · any key closes")[1]).not.toContain("…");
    expect(shown).toMatch(/Ctrl-R +search your history/);
  });

  it("on the demo model, /model refuses a name nobody has", async () => {
    await using stage = await Stage.open();
    await using terminal = new ProgramTerminal(stage, ["--provider", "demo"]);
    await terminal.answers(/\? shows the keys/);
    await terminal.say("/model nosuch");
    const text = await terminal.answers(/No model provider is set up[\s\S]*with:\s+\/connect/);
    expect(text).not.toContain("Now using");
  });

  it("/skin marks the skin in use, shows each while it is pointed at, and saves the chosen one", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl) });
    await using terminal = new ProgramTerminal(stage, []);
    await terminal.sees("❯");
    await terminal.say("/skin");
    await terminal.sees(/❯ ● default/);
    terminal.press("\x1b[B");
    await terminal.sees(/❯ +ares/);
    terminal.press("\x1b");
    await terminal.answers("/skin");
    await terminal.say("/skin");
    await terminal.sees(/❯ ● default/);
    terminal.press("slate\r");
    await terminal.sees(/\n❯\s*\n/);
    await terminal.say("/skin");
    await terminal.sees(/❯ ● slate/);
    expect((await stage.run(["config", "get", "display.skin"])).stdout).toContain("slate");
  });

  it("tool lines name a foreign tool and what it was asked, and what goes on in the background [20:R10.9]", async () => {
    await using model = await startModelServer({ strict: true });
    model.otherwise(says("A title"));
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl, servers) });
    await using terminal = new ProgramTerminal(stage, []);
    await terminal.sees("❯");
    model.script(
      calls("mcp_everything_repeat_words", { message: "hello", times: 2 }),
      calls("terminal", { command: "sleep 600", background: true }),
      says("Both are done."),
    );
    await terminal.say("Go.");
    const text = await terminal.answers("Both are done.");
    expect(text).toMatch(/mcp_everything_repeat_words +message: hello, times: 2/);
    expect(text).not.toContain("untrusted-data");
    expect(text).toMatch(/sleep 600 .*\[in the background\]/);
  });

  it("the answer to a question stands beside it; /copy hands the answer to tmux", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl) });
    const bin = path.join(stage.folder, "bin");
    await mkdir(bin);
    await writeFile(
      path.join(bin, "tmux"),
      `#!/bin/sh\necho "$@" > ${stage.folder}/asked\ncat > ${stage.folder}/copied\n`,
      { mode: 0o755 },
    );
    const env = { TMUX: "/tmp/none,1,0", PATH: `${bin}:${process.env["PATH"] ?? ""}` };
    await using terminal = new ProgramTerminal(stage, [], env);
    await terminal.sees("❯");
    model.script(calls("clarify", { question: "Which colour?", choices: ["red", "blue"] }), says("Blue it is."));
    model.otherwise(says("A title"));
    await terminal.say("Paint it.");
    await terminal.sees(/Hermes asks[\s\S]*2\. blue[\s\S]*a digit/);
    terminal.press("2");
    expect(await terminal.answers("Blue it is.")).toMatch(/Which colour\? → blue/);
    await terminal.say("/copy");
    await terminal.answers("Copied 11 characters. In tmux, prefix ] pastes it too.");
    expect(await stage.read(path.join(stage.folder, "copied"))).toBe("Blue it is.");
    expect(await stage.read(path.join(stage.folder, "asked"))).toBe("load-buffer -w -\n");
  });

  it("a failure names the provider, where the key in use comes from, and what can be typed here", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({
      config: modelConfig(model.chatBaseUrl, "  api_key: sk-wrong-0123456789\n"),
    });
    await using terminal = new ProgramTerminal(stage, []);
    await terminal.sees("❯");
    model.otherwise(badKey());
    await terminal.say("Hello.");
    const refused = (await terminal.answers("rejected the credentials")).replace(/\s+/g, " ");
    expect(refused).toMatch(
      /Custom endpoint rejected the credentials: HTTP 401.*The key in use is model\.api_key of config\.yaml.*\/connect/,
    );
    model.otherwise(modelNotFound());
    await terminal.say("/new");
    await terminal.say("Hello again.");
    const missing = (await terminal.answers("this account may not use it")).replace(/\s+/g, " ");
    expect(missing).toMatch(
      /Custom endpoint does not have the model fake-model.*Choose a model from the list with: \/model/,
    );
  });

  it("formulas, character references and code in lists look as they were meant [20:R10.7]", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl) });
    await using terminal = new ProgramTerminal(stage, []);
    await terminal.sees("❯");
    model.script(
      says(
        "So \\(x\\,dx\\) &copy; 2026\n\n1. First\n   ```js\n   a();\n   ```\n2. Second\n\nabove\n\n```\ncode\n```\nEnd",
      ),
    );
    model.otherwise(says("A title"));
    await terminal.say("Show.");
    const rows = (await terminal.answers(/\nEnd/)).split("\n").map((row) => row.trimEnd());
    const from = rows.findIndex((row) => row.startsWith("So "));
    expect(rows.slice(from, rows.indexOf("End") + 1)).toEqual([
      "So \\(x\\,dx\\) © 2026",
      "",
      "1. First",
      "     a();",
      "2. Second",
      "",
      "above",
      "",
      "  code",
      "",
      "End",
    ]);
  });

  it("/debug shows a report without the keys, and writes it when asked", async () => {
    await using model = await startModelServer({ apiKey: "sk-live-0123456789abcdef" });
    await using stage = await Stage.open({
      config: modelConfig(model.chatBaseUrl, "logging: {level: debug}\n").replace(
        "default:",
        "api_key: sk-live-0123456789abcdef\n  default:",
      ),
    });
    model.script(says("Hi."));
    await using terminal = new ProgramTerminal(stage, []);
    await terminal.sees("❯");
    await terminal.say("hello");
    await terminal.answers("Hi.");
    await terminal.say("/debug");
    const shown = await terminal.answers("Nothing was sent anywhere.");
    expect(shown).toMatch(/Hermes \d+\.\d+[\s\S]*fake-model/);
    await terminal.say("/debug save");
    await terminal.answers(/Written to .*hermes-debug-/);
    const [name = ""] = (await readdir(stage.work)).filter((one) => one.startsWith("hermes-debug-"));
    const report = await stage.read(name);
    expect(report).toContain("fake-model");
    expect(shown + report).not.toContain("0123456789abcdef");
  });
});
