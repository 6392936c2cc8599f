import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { Stage } from "./support/stage.ts";
import { ProgramTerminal } from "./support/terminal.ts";

const demo = ["--provider", "demo"];
const configOf = (stage: Stage): Promise<string> => readFile(path.join(stage.home, "config.yaml"), "utf8");

describe("/settings in the built program", () => {
  it("searches the settings with their help, changes one by arrows, and it counts at once", async () => {
    await using stage = await Stage.open();
    await using terminal = new ProgramTerminal(stage, demo);
    await terminal.answers(/demo/i);
    await terminal.say("/settings");
    await terminal.sees(/─ Settings ─[\s\S]*search:/);
    await terminal.sees(/❯ +model\.default/);
    // Nothing is typed below a list: there is no line for it.
    expect(await terminal.text()).not.toMatch(/╯\s*\n─{20,}/);
    terminal.press("show_cost");
    await terminal.sees(/❯ +display\.show_cost +false[\s\S]*Show the cost of the session/);
    terminal.press("\r");
    await terminal.sees(/─ display\.show_cost ─[\s\S]*true[\s\S]*● false +default/);
    terminal.press("\x1b[A");
    await terminal.sees(/❯ +true/);
    expect(await terminal.text()).not.toContain("$0.00");
    terminal.press("\r");
    await terminal.sees("display.show_cost = true (it was false). Saved. It applies at once.");
    expect(await configOf(stage)).toMatch(/show_cost: true/);
    await terminal.say("hello");
    await terminal.sees(/⚕ hermes-demo[^\n]*(?:\$0\.00|included)/);
  });

  it("puts a value that is typed into the line, and refuses one that does not fit", async () => {
    await using stage = await Stage.open();
    await using terminal = new ProgramTerminal(stage, demo);
    await terminal.answers(/demo/i);
    await terminal.say("/settings agent.max_turns");
    await terminal.sees(/agent\.max_turns: [\s\S]*Takes a whole number \(1 or more\)/);
    await terminal.sees(/❯ \/settings agent\.max_turns \d+/);
    terminal.press("x\r");
    await terminal.sees(/agent\.max_turns takes a whole number \(1 or more\), not "\d+x"/);
    await terminal.say("/settings agent.max_turns 7");
    await terminal.sees("agent.max_turns = 7 (it was ");
    expect(await configOf(stage)).toMatch(/max_turns: 7/);
    await terminal.say("/settings agent.max_turn 8");
    await terminal.sees("Did you mean agent.max_turns?");
    await terminal.say("/settings model.default x");
    await terminal.sees("/model changes model.default.");
    expect(await configOf(stage)).not.toMatch(/default: x/);
  });
});
