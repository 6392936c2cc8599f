import { describe, expect, it } from "vitest";
import { keys, TuiDriver } from "./testing/driver.ts";
import { text, toolEnd, toolStart, turnDone, turnStart } from "./testing/events.ts";

describe("seeing the work", () => {
  it("shows the last lines of a running command, and opens a finished call by Ctrl-O", async () => {
    await using ui = await TuiDriver.start();
    const output = Array.from({ length: 9 }, (_, index) => `line ${index}`)
      .slice(-5)
      .join("\n");
    await ui.say(turnStart, toolStart("c1", "terminal", { command: "make all" }), {
      type: "tool-update",
      callId: "c1",
      text: `${output}\n`,
    });
    const running = await ui.text();
    expect(running).toContain("make all");
    expect(running).toMatch(/│ line 4\n.*│ line 5\n[\s\S]*│ line 8/);
    await ui.say(toolEnd("c1", "terminal", { result: JSON.stringify({ output: "all built", exit_code: 0 }) }));
    expect(await ui.text()).not.toContain("│ line 8");
    await ui.press(keys.ctrl("o"));
    expect(await ui.text()).toMatch(/Tool calls[\s\S]*❯ .*make all/);
    await ui.press(keys.enter);
    expect(await ui.transcript()).toMatch(/command: make all\n[\s\S]*result: all built/);
  });

  it("waits in one line that counts down, with the reason and the attempt", async () => {
    await using ui = await TuiDriver.start();
    const recovery = {
      type: "recovery-start" as const,
      remedy: "wait-and-retry",
      problem: "rate_limit: 429",
      waitMs: 12_000,
    };
    await ui.say(turnStart, { ...recovery, provider: "lab", attempt: { number: 2, of: 3 } });
    expect(await ui.text()).toContain("⏳ lab is limiting requests · attempt 2 of 3 in 12 s · Esc stops");
    await ui.clock.advance(5_000);
    expect(await ui.text()).toContain("in 7 s");
    await ui.say({ type: "attempt-start", provider: "lab", model: "big" });
    expect(await ui.transcript()).not.toContain("limiting requests");
  });

  it("counts down where the reason is too long for the screen", async () => {
    await using ui = await TuiDriver.start({ columns: 64 });
    const problem = "timeout: the connection was closed";
    await ui.say(turnStart, {
      ...{ type: "recovery-start" as const, remedy: "wait-and-retry", problem, waitMs: 5_000 },
      ...{ provider: "a-server-of-mine", attempt: { number: 3, of: 3 } },
    });
    expect(await ui.text()).toMatch(/⏳ a-server-of-mine could.*… · attempt 3 of 3 in 5 s · Esc stops\n/);
  });

  it.each([100, 40])("says that a model has been silent for a minute, in %d columns", async (columns) => {
    await using ui = await TuiDriver.start({ columns });
    await ui.say(turnStart, { type: "attempt-start", provider: "lab", model: "big" });
    await ui.clock.advance(61_000);
    expect(await ui.text()).toMatch(/big has been silent for/);
  });

  it("counts background processes and names them on quit", async () => {
    await using ui = await TuiDriver.start();
    ui.session.info = { ...ui.session.info, processes: ["npm run dev"] };
    await ui.say(turnStart, ...text("Started."), turnDone);
    expect(await ui.text()).toContain("⚙ 1");
  });

  it("names an answer once in a turn, without rules around every sentence", async () => {
    await using ui = await TuiDriver.start();
    await ui.say(turnStart, ...text("One."), { type: "text-end" }, toolStart("c", "read_file", { path: "a" }));
    await ui.say(toolEnd("c", "read_file"), ...text("Two."), turnDone);
    const shown = await ui.transcript();
    expect(shown.split("⚕ Hermes\n")).toHaveLength(2);
    expect(shown).not.toContain("╭─ ⚕");
  });

  it("names the window, and notifies after a long turn only", async () => {
    await using ui = await TuiDriver.start();
    await ui.say(turnStart);
    expect(ui.screen.writes.join("")).toContain("\x1b]0;⏳ Hermes · work\x07");
    await ui.say(turnDone);
    expect(ui.screen.writes.join("")).not.toContain("\x1b]9;");
    await ui.say(turnStart);
    await ui.clock.advance(30_000);
    await ui.say(turnDone);
    expect(ui.screen.writes.join("")).toContain("\x1b]9;Hermes is done");
  });
});

describe("help with keys", () => {
  it("shows all keys on one screen by ? on an empty line, and closes by any key", async () => {
    await using ui = await TuiDriver.start({ columns: 80, rows: 24 });
    await ui.press("?");
    const shown = await ui.text();
    expect(shown).toMatch(/Keys · any key closes[\s\S]*Ctrl-R[\s\S]*search/);
    expect(shown).toContain("Ctrl-O");
    await ui.press("a?");
    expect(await ui.text()).not.toContain("Keys · any key");
    expect(await ui.row("❯")).toBe("❯ a?");
  });

  it("shows what matters most in a window too low for all of them, and says how many are missing", async () => {
    await using ui = await TuiDriver.start({ columns: 40, rows: 20 });
    await ui.press("?");
    const visible = ui.screen.visible().join("\n");
    expect(visible).toMatch(/Keys · any key closes[\s\S]*\/help[\s\S]*Enter[\s\S]*Ctrl-C/);
    expect(visible).toMatch(/─ \d+ more in a larger window ─/);
  });

  it("searches the history by Ctrl-R and puts the choice into the line", async () => {
    await using ui = await TuiDriver.start();
    await ui.press("first words", keys.enter, "second thing", keys.enter);
    await ui.press(keys.ctrl("r"), "fir");
    expect(await ui.text()).toMatch(/History[\s\S]*❯ .*first words/);
    await ui.press(keys.enter);
    expect(await ui.row("❯ first")).toBe("❯ first words");
  });
});
