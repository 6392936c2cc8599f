import { existsSync } from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { calls, says, startModelServer } from "../fakes/model-server/index.ts";
import { modelConfig, Stage } from "./support/stage.ts";
import { ProgramTerminal } from "./support/terminal.ts";

const quiet = "auxiliary: { title_generation: { enabled: false } }\n";
/** Longer than the pause after which a line may be an answer. */
const pauseMs = 800;

describe("a terminal that cannot be drawn on (TERM=dumb)", () => {
  it("asks before a command: a letter, a pause, an empty line; other lines wait and answer nothing [20:R10.34]", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({
      config: modelConfig(model.chatBaseUrl, quiet),
      files: { "d1/kept.txt": "x", "d2/kept.txt": "x" },
    });
    await using terminal = new ProgramTerminal(stage, [], { TERM: "dumb" });
    await terminal.sees(/\n>\s*$/);
    model.script(calls("terminal", { command: "rm -rf d1" }), says("Left alone."));
    terminal.press("clean up d1\r");
    await terminal.sees("Type a letter and Enter, then Enter again. Or: no");
    expect(await terminal.text()).toMatch(/terminal asks[\s\S]*rm -rf d1[\s\S]*o {2}Allow once: exactly this/);
    // Lines that arrive together are no answer, whatever they say.
    terminal.press("o\r\r");
    await terminal.sees(/choose, pause a moment|a letter and Enter[\s\S]*a letter and Enter/);
    terminal.press("on our own then\r");
    await terminal.sees("it will be sent once the question is answered");
    expect(existsSync(path.join(stage.work, "d1/kept.txt"))).toBe(true);
    model.otherwise(says("I heard the rest."));
    terminal.press("no\r");
    await terminal.sees("Left alone.");
    await terminal.sees("I heard the rest.");
    expect(existsSync(path.join(stage.work, "d1/kept.txt"))).toBe(true);
    expect(JSON.stringify(model.requests.at(-1)?.body)).toContain("on our own then");

    model.script(calls("terminal", { command: "rm -rf d2" }), says("Gone."));
    await wait(pauseMs);
    terminal.press("clean up d2\r");
    await terminal.sees(/rm -rf d2[\s\S]*Type a letter and Enter/);
    await wait(pauseMs);
    terminal.press("o\r");
    await terminal.sees("Allow once? An empty line says yes");
    await wait(pauseMs);
    terminal.press("\r");
    await terminal.sees("Gone.");
    expect(existsSync(path.join(stage.work, "d2"))).toBe(false);
    expect(await terminal.text()).not.toContain("\x1b");
  });

  it("takes a number or own words for a question, and a number for a list", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl, quiet) });
    await using terminal = new ProgramTerminal(stage, [], { TERM: "dumb" });
    await terminal.sees(/\n>\s*$/);
    const ask = { question: "Which tea?", choices: ["Green", "Black"] };
    model.script(calls("clarify", ask), says("Black it is."), calls("clarify", ask), says("Mint, then."));
    terminal.press("make tea\r");
    await terminal.sees("Type a number, or your own answer.");
    await wait(pauseMs);
    terminal.press("2\r");
    await terminal.sees("Black it is.");
    await wait(pauseMs);
    terminal.press("more tea\r");
    await terminal.sees(/more tea[\s\S]*Type a number, or your own answer\./);
    await wait(pauseMs);
    terminal.press("Mint please\r");
    await terminal.sees("Mint, then.");
    const answers = model.requests.map(({ body }) => JSON.stringify(body));
    expect(answers[1]).toContain("Black");
    expect(answers[3]).toContain("Mint please");
    terminal.press("/skin\r");
    await terminal.sees("words to search for, or nothing to cancel");
    terminal.press("mono\r");
    await terminal.sees(/: mono\s+1\. mono/);
    terminal.press("1\r");
    await terminal.sees(/[Ss]kin[^\n]*mono/);
  });
});
