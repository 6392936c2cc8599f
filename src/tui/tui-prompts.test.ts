import { describe, expect, it } from "vitest";
import type { SessionEvent } from "#session";
import { keys, TuiDriver } from "./testing/driver.ts";
import { approval, toolStart, turnStart } from "./testing/events.ts";

describe("prompts", () => {
  it("that nobody answers deny the command after a minute [20:A10.11] [20:R10.34]", async () => {
    await using ui = await TuiDriver.start();
    await ui.say(turnStart, approval("a1"));
    expect(await ui.text()).toMatch(/terminal asks · \d\d s/);
    await ui.clock.advance(61_000);
    expect(ui.session.approvals).toEqual([{ id: "a1", choice: "deny" }]);
    expect(await ui.transcript()).toContain("No answer in 60 s: denied rm -rf build");
  });

  it.each([
    ["o", "once"],
    ["s", "session"],
    ["3", "always"],
    ["d", "deny"],
  ])("are answered by %j and, after a pause, Enter: %s [20:R10.34]", async (letter, choice) => {
    await using ui = await TuiDriver.start();
    await ui.say(turnStart, approval("a1"));
    await ui.pause();
    await ui.press(letter);
    expect(ui.session.approvals).toEqual([]);
    await ui.pause();
    await ui.press(keys.enter);
    expect(ui.session.approvals).toEqual([{ id: "a1", choice }]);
    expect(await ui.text()).not.toContain("terminal asks");
  });

  it("are answered by arrows and Enter without a second pause [20:R10.34]", async () => {
    await using ui = await TuiDriver.start();
    await ui.say(turnStart, approval("a1"));
    await ui.pause();
    await ui.press(keys.down, keys.down, keys.enter);
    expect(ui.session.approvals).toEqual([{ id: "a1", choice: "session" }]);
  });

  it.each([
    ["Esc", keys.escape],
    ["Ctrl-C", keys.ctrl("c")],
  ])("are refused by %s at any time [20:R10.34]", async (_name, key) => {
    await using ui = await TuiDriver.start();
    await ui.say(turnStart, approval("a1"));
    await ui.press(key);
    expect(ui.session.approvals).toEqual([{ id: "a1", choice: "deny" }]);
  });

  it("have no answer under Enter, and say so [20:R10.34]", async () => {
    await using ui = await TuiDriver.start();
    await ui.say(turnStart, approval("a1"));
    await ui.pause();
    await ui.press(keys.enter);
    expect(ui.session.approvals).toEqual([]);
    expect(await ui.text()).toContain("choose first: a letter, or ↑ ↓; then Enter");
  });

  it("leave a sentence that was begun before in the draft [20:R10.34]", async () => {
    await using ui = await TuiDriver.start();
    await ui.press("we g");
    await ui.say(turnStart, approval("a1"));
    for (const letter of "o to tool books on our own") await ui.press(letter);
    await ui.press(keys.enter);
    expect(ui.session.approvals).toEqual([]);
    expect(await ui.row("❯")).toBe("❯ we go to tool books on our own");
    expect(await ui.text()).toContain("typing never answers");
  });

  it("name what each answer allows [20:R10.34]", async () => {
    await using ui = await TuiDriver.start();
    const scopes = { once: "exactly this, one time", session: "any recursive delete until this session ends" };
    await ui.say(turnStart, approval("a1", { scopes }));
    expect(await ui.text()).toContain("o  Allow once: exactly this, one time");
    expect(await ui.text()).toContain("s  Allow in this session: any recursive delete until this session ends");
  });

  it("take a reason for a no, which goes to the model [20:R10.34]", async () => {
    await using ui = await TuiDriver.start();
    await ui.say(turnStart, approval("a1"));
    await ui.pause();
    await ui.press("r");
    await ui.pause();
    await ui.press(keys.enter, "only dist, please", keys.enter);
    expect(ui.session.approvals).toEqual([{ id: "a1", choice: "deny", reason: "only dist, please" }]);
  });

  it("show the line that matters of a long script [20:R10.34]", async () => {
    await using ui = await TuiDriver.start({ rows: 60 });
    const summary = [...Array.from({ length: 20 }, (_, index) => `echo ${index}`), "rm -rf build", "echo end"].join(
      "\n",
    );
    await ui.say(turnStart, approval("a1", { summary, lines: [20] }));
    expect(await ui.text()).toMatch(/ 21 rm -rf build/);
    expect(await ui.text()).toContain("… 21 more lines (v shows them)");
    await ui.pause();
    await ui.press("v");
    await ui.pause();
    await ui.press(keys.enter);
    expect(await ui.text()).toMatch(/ 1 echo 0\n[\s\S]* 21 rm -rf build\n +22 echo end\n[\s\S]* 21 rm -rf build\n/);
    expect(await ui.text()).toContain("… 21 more lines (shown above)");
  });

  it("do not count as time of the tool that waits for them", async () => {
    await using ui = await TuiDriver.start();
    await ui.say(turnStart, toolStart("c", "terminal", { command: "rm -rf build" }), approval("a1"));
    expect(await ui.row("💻")).toContain("(waiting for you)");
    await ui.clock.advance(30_000);
    await ui.press(keys.down, keys.enter);
    expect(await ui.row("💻")).toMatch(/\(0\.\ds\)/);
  });

  it("come one after the other [20:R10.34]", async () => {
    await using ui = await TuiDriver.start();
    await ui.say(turnStart, approval("a1"), approval("a2", { summary: "second command" }));
    expect(await ui.text()).toContain("1 more");
    expect(await ui.text()).not.toContain("second command");
    await ui.pause();
    await ui.press(keys.down, keys.enter);
    expect(await ui.text()).toContain("second command");
    await ui.pause();
    await ui.press(keys.up, keys.up, keys.enter);
    expect(ui.session.approvals.map((one) => one.choice)).toEqual(["once", "deny"]);
  });

  it("show a long command in part, and whole on request [20:R10.34]", async () => {
    await using ui = await TuiDriver.start();
    await ui.say(turnStart, approval("a1", { summary: `echo ${"x".repeat(280)} END` }));
    expect(await ui.text()).not.toContain("END");
    await ui.pause();
    await ui.press("v");
    await ui.pause();
    await ui.press(keys.enter);
    expect(await ui.text()).toContain("END");
    expect(ui.session.approvals).toEqual([]);
  });

  it("show choices whole, also on a narrow screen [20:R10.35] [20:R10.2]", async () => {
    await using ui = await TuiDriver.start({ columns: 50, rows: 30 });
    const choices = ["short", "a choice that is longer than the screen is wide, with an end"];
    await ui.say(turnStart, { type: "question-request", id: "q", question: "Which?", choices });
    const shown = await ui.text();
    expect(shown).toContain("  ❯ 1. short\n");
    expect(shown).toMatch(/ {4}2\. a choice that[^\n]*\n {7}[^\n]*with an end/);
    expect(shown).toContain("3. Other…");
  });

  it("ask questions with choices and own words [20:R10.35]", async () => {
    await using ui = await TuiDriver.start();
    const question: SessionEvent = { type: "question-request", id: "q", question: "Which?", choices: ["red", "blue"] };
    await ui.say(turnStart, question);
    expect(await ui.text()).toMatch(/1\. red[\s\S]*2\. blue[\s\S]*3\. Other/);
    await ui.pause();
    await ui.press("3", "green", keys.enter);
    expect(ui.session.answers).toEqual([{ id: "q", text: "green" }]);
  });

  it("leave a question to Hermes after two minutes [20:R10.35]", async () => {
    await using ui = await TuiDriver.start();
    await ui.say(turnStart, { type: "question-request", id: "q", question: "Which?", choices: [] });
    await ui.clock.advance(121_000);
    expect(ui.session.answers).toEqual([{ id: "q", text: undefined }]);
  });

  it("for passwords keep the draft, and show and keep nothing [20:A10.12] [20:R10.36]", async () => {
    await using ui = await TuiDriver.start();
    await ui.press("abc");
    await ui.say(turnStart, { type: "secret-request", id: "s", what: "sudo", prompt: "sudo wants a password" });
    await ui.pause();
    await ui.press("hunter2");
    expect(await ui.row("❯")).toBe("❯ •••••••");
    await ui.press(keys.enter);
    expect(ui.session.answers).toEqual([{ id: "s", text: "hunter2" }]);
    expect(await ui.row("❯")).toBe("❯ abc");
    expect(ui.screen.writes.join("")).not.toContain("hunter2");
    await ui.press(keys.ctrl("u"), keys.up);
    expect(await ui.text()).not.toContain("hunter2");
  });

  it("for passwords do not take the rest of a sentence [20:R10.36]", async () => {
    await using ui = await TuiDriver.start();
    await ui.press("we g");
    await ui.say(turnStart, { type: "secret-request", id: "s", what: "sudo", prompt: "sudo wants a password" });
    await ui.press("o", " on", keys.enter);
    expect(ui.session.answers).toEqual([]);
    expect(await ui.row("❯")).toBe("❯ we go on");
    await ui.pause();
    await ui.press("hunter2", keys.enter);
    expect(ui.session.answers).toEqual([{ id: "s", text: "hunter2" }]);
    expect(await ui.row("❯")).toBe("❯ we go on");
  });
});
