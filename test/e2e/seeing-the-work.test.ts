import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { calls, rateLimited, says, startModelServer } from "../fakes/model-server/index.ts";
import { modelConfig, Stage } from "./support/stage.ts";
import { ProgramTerminal } from "./support/terminal.ts";

const ctrlD = "\x04";
const ctrlO = "\x0f";
const ctrlR = "\x12";
const untitled = "auxiliary: { title_generation: { enabled: false } }\n";

describe("the built program while it works", () => {
  it("shows the last five lines of a running command, names the window, and Ctrl-O opens the finished call", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl, untitled) });
    await using terminal = new ProgramTerminal(stage, []);
    await terminal.sees("❯");
    const command = "for n in 1 2 3 4 5 6 7; do echo line $n; done; until test -e go; do sleep 0.05; done; echo ended";
    model.script(calls("terminal", { command }), says("All built."));
    await terminal.say("build it");
    const running = await terminal.sees("│ line 7");
    expect(running).toMatch(/│ line 3\n[\s\S]*│ line 4\n[\s\S]*│ line 7/);
    expect(running).not.toContain("│ line 2");
    expect(terminal.written).toContain("\x1b]0;⏳ Hermes · work\x07");
    await writeFile(path.join(stage.work, "go"), "");
    await terminal.answers("All built.");
    expect(await terminal.text()).not.toContain("│ line 7");
    terminal.press(ctrlO);
    await terminal.sees(/Tool calls[\s\S]*❯ +.*for n in 1 2 3/);
    terminal.press("\r");
    await terminal.answers(/result:\s+line 1\s[\s\S]*ended/);
  });

  it("shows long output by Ctrl-O as it was printed, with its end", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl, untitled) });
    await using terminal = new ProgramTerminal(stage, []);
    await terminal.sees("❯");
    model.script(calls("terminal", { command: "seq -f 'entry %g' 1 3000" }), says("Counted."));
    await terminal.say("count");
    await terminal.answers("Counted.");
    terminal.press(ctrlO);
    await terminal.sees(/Tool calls[\s\S]*❯ +.*seq -f/);
    terminal.press("\r");
    const shown = await terminal.answers(/entry 2999\s+entry 3000/);
    expect(shown).not.toContain(String.raw`\nentry`);
  });

  it("counts what runs in the background and names it on the way out", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl, untitled) });
    await using terminal = new ProgramTerminal(stage, []);
    await terminal.sees("❯");
    model.script(calls("terminal", { command: "sleep 300", background: true }), says("Started."));
    await terminal.say("serve it");
    await terminal.answers(/Started\.[\s\S]*⚙ 1/);
    terminal.press(ctrlD);
    expect(await terminal.exited).toBe(0);
    expect(await terminal.text()).toMatch(/Stopped +sleep 300/);
  });

  it("waits in one line with the reason, the attempt and a countdown, and Esc stops the wait", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl, untitled) });
    await using terminal = new ProgramTerminal(stage, []);
    await terminal.sees("❯");
    model.script(rateLimited({ retryAfterMs: 60_000 }));
    await terminal.say("hello");
    const waiting = await terminal.sees(/is limiting requests · attempt 2 of \d+ in \d+ s/);
    expect(waiting.match(/limiting requests/g)).toHaveLength(1);
    terminal.press("\x1b");
    await terminal.answers("Stopped. What should Hermes do instead?");
    expect(await terminal.text()).not.toContain("limiting requests");
  });

  it("finds earlier lines by Ctrl-R, and /export writes the conversation as Markdown and as a page", async () => {
    await using model = await startModelServer({ strict: true });
    model.otherwise(says("The **door** is blue."));
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl, untitled) });
    await using terminal = new ProgramTerminal(stage, []);
    await terminal.sees("❯");
    await terminal.say("paint the door");
    await terminal.answers("is blue.");
    await terminal.say("and the gate");
    await terminal.answers(/the gate[\s\S]*is blue\./);
    terminal.press(ctrlR);
    await terminal.sees(/─ History ─/);
    terminal.press("paint");
    await terminal.sees(/❯ +paint the door/);
    terminal.press("\r");
    await terminal.sees(/\n❯ paint the door\s*\n─+/);
    terminal.press("\x15");
    await terminal.say("/export talk.md");
    await terminal.sees(/talk\.md/);
    await terminal.say("/export talk.html");
    await terminal.answers(/talk\.html[\s\S]*talk\.html/);
    expect(await readFile(path.join(stage.work, "talk.md"), "utf8")).toContain("The **door** is blue.");
    const page = await readFile(path.join(stage.work, "talk.html"), "utf8");
    expect(page).toMatch(/The <(?:b|strong)>door<\/(?:b|strong)> is blue\./);
    expect(page).not.toContain("<script");
  });
});

describe("what the built program says where it was started by npm start", () => {
  const env = { npm_lifecycle_event: "start" };

  it("names commands that exist there, in the shell and on leaving the chat", async () => {
    await using stage = await Stage.open();
    const refused = await stage.run(["model", "set", "nosuch:x"], { env });
    expect(refused.stderr).toContain("npm start -- model");
    expect(refused.stderr).not.toMatch(/(?:^|[:`(] ?)hermes [a-z]/m);
    await using terminal = new ProgramTerminal(stage, ["--provider", "demo"], env);
    await terminal.answers(/demo/i);
    await terminal.say("hello");
    await terminal.answers("/connect");
    terminal.press(ctrlD);
    await terminal.exited;
    expect(await terminal.text()).toContain("npm start -- --resume");
  });
});
