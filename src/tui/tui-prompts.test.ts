import { describe, expect, it } from "vitest";
import type { SessionEvent } from "#session";
import { keys, TuiDriver } from "./testing/driver.ts";
import { approval, turnStart } from "./testing/events.ts";

describe("prompts", () => {
  it("that nobody answers deny the command after a minute [20:A10.11] [20:R10.34]", async () => {
    await using ui = await TuiDriver.start();
    await ui.say(turnStart, approval("a1"));
    expect(await ui.text()).toMatch(/Approval: terminal · \d\d s/);
    await ui.clock.advance(61_000);
    expect(ui.session.approvals).toEqual([{ id: "a1", choice: "deny" }]);
    expect(await ui.transcript()).toContain("No answer in 60 s: denied rm -rf build");
  });

  it.each([
    [["o"], "once"],
    [["s"], "session"],
    [["3"], "always"],
    [[keys.down, keys.down, keys.enter], "always"],
    [[keys.enter], "once"],
    [[keys.escape], "deny"],
    [[keys.ctrl("c")], "deny"],
  ])("are answered by %j: %s [20:R10.34]", async (pressed, choice) => {
    await using ui = await TuiDriver.start();
    await ui.say(turnStart, approval("a1"));
    await ui.press(...pressed);
    expect(ui.session.approvals).toEqual([{ id: "a1", choice }]);
    expect(await ui.text()).not.toContain("Approval:");
  });

  it("for destructive commands have no answer under Enter [20:R10.34]", async () => {
    await using ui = await TuiDriver.start();
    await ui.say(turnStart, approval("a1", { isDestructive: true }));
    await ui.press(keys.enter);
    expect(ui.session.approvals).toEqual([]);
    await ui.press("d");
    expect(ui.session.approvals).toEqual([{ id: "a1", choice: "deny" }]);
  });

  it("do not take what a person was just typing for an answer [20:R10.34]", async () => {
    await using ui = await TuiDriver.start();
    await ui.press("do");
    ui.session.emit(turnStart, approval("a1"));
    ui.screen.type("o");
    expect(ui.session.approvals).toEqual([]);
  });

  it("come one after the other [20:R10.34]", async () => {
    await using ui = await TuiDriver.start();
    await ui.say(turnStart, approval("a1"), approval("a2", { summary: "second command" }));
    expect(await ui.text()).toContain("1 more");
    expect(await ui.text()).not.toContain("second command");
    await ui.press("o");
    expect(await ui.text()).toContain("second command");
    await ui.press("d");
    expect(ui.session.approvals.map((one) => one.choice)).toEqual(["once", "deny"]);
  });

  it("show a long command in part, and whole on request [20:R10.34]", async () => {
    await using ui = await TuiDriver.start();
    await ui.say(turnStart, approval("a1", { summary: `echo ${"x".repeat(80)} END` }));
    expect(await ui.text()).not.toContain("END");
    await ui.press("v");
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
    await ui.press("hunter2");
    expect(await ui.row("❯")).toBe("❯ •••••••");
    await ui.press(keys.enter);
    expect(ui.session.answers).toEqual([{ id: "s", text: "hunter2" }]);
    expect(await ui.row("❯")).toBe("❯ abc");
    expect(ui.screen.writes.join("")).not.toContain("hunter2");
    await ui.press(keys.ctrl("u"), keys.up);
    expect(await ui.text()).not.toContain("hunter2");
  });
});
