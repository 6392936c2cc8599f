import { describe, expect, it } from "vitest";
import { keys, TuiDriver } from "./testing/driver.ts";
import { text, toolEnd, toolStart, turnDone, turnStart } from "./testing/events.ts";
import { FakeSession } from "./testing/fake-session.ts";

describe("the conversation on the screen", () => {
  it("takes a message and streams the answer in a box, once [20:R10.6] [20:R10.7]", async () => {
    await using ui = await TuiDriver.start();
    await ui.press("Hello there", keys.enter);
    expect(ui.session.submitted.map((input) => input.text)).toEqual(["Hello there"]);
    await ui.say(turnStart, { type: "input-admitted", messageId: "m" as never, text: "Hello there" });
    await ui.say(...text("Hi ", "**you**\n\n", "Second"));
    expect(await ui.text()).toContain("● Hello there\n\n⚕ Hermes\n");
    await ui.say(
      { type: "text-end" },
      {
        type: "message-end",
        message: { role: "assistant", content: "Hi **you**\n\nSecond" },
        wasStreamed: true,
      },
      turnDone,
    );
    const shown = await ui.transcript();
    expect(shown).toMatch(/⚕ Hermes\nHi you\n\nSecond\n/);
    expect(shown.match(/Hi you/g)).toHaveLength(1);
    expect(shown.match(/● Hello there/g)).toHaveLength(1);
  });

  it("shows an answer that was not streamed [20:R10.7]", async () => {
    await using ui = await TuiDriver.start();
    await ui.say(turnStart, {
      type: "message-end",
      message: { role: "assistant", content: "Whole answer" },
      wasStreamed: false,
    });
    expect((await ui.transcript()).match(/Whole answer/g)).toHaveLength(1);
  });

  it("hides inline reasoning split over chunks [20:A10.5]", async () => {
    await using ui = await TuiDriver.start();
    await ui.say(turnStart, ...text("<thi", "nk>secret</th", "ink>Hi"), { type: "text-end" }, turnDone);
    const shown = await ui.transcript();
    expect(shown).toMatch(/⚕ Hermes\nHi\n/);
    expect(shown).not.toContain("secret");
    expect(shown).not.toContain("think");
  });

  it("leaves a tag in mid-sentence alone [20:A10.6]", async () => {
    await using ui = await TuiDriver.start();
    await ui.say(turnStart, ...text("use the <think> tag"), { type: "text-end" });
    expect(await ui.transcript()).toContain("use the <think> tag");
  });

  it("shows reasoning in its own box, closed before the answer [20:R10.8]", async () => {
    await using ui = await TuiDriver.start({ tui: { settings: { showReasoning: true } } });
    await ui.say(turnStart, { type: "reasoning-delta", text: "first\nsec" }, { type: "reasoning-delta", text: "ond" });
    await ui.say(...text("Answer"), { type: "text-end" });
    expect(await ui.transcript()).toMatch(/┌─ Reasoning ─+┐\nfirst\nsecond\n└─+┘\n⚕ Hermes\nAnswer\n/);
  });

  it("leaves one empty row between two lines of the person, also when the first had no answer", async () => {
    await using ui = await TuiDriver.start();
    ui.session.reply = () => ({ kind: "command", view: { kind: "nothing" } });
    await ui.press("/settings", keys.enter);
    await ui.press("/resume", keys.enter);
    expect(await ui.transcript()).toContain("● /settings\n\n● /resume\n");
  });

  it("folds a long message to its first and last lines [20:R10.6]", async () => {
    await using ui = await TuiDriver.start();
    await ui.press(
      "a",
      keys.escapeEnter,
      "b",
      keys.escapeEnter,
      "c",
      keys.escapeEnter,
      "d",
      keys.escapeEnter,
      "e",
      keys.enter,
    );
    expect(ui.session.submitted[0]?.text).toBe("a\nb\nc\nd\ne");
    expect(await ui.transcript()).toContain("● a\n  b\n  … +1 more line\n  d\n  e");
  });
});

describe("tools on the screen", () => {
  it("spin while they run and leave one line [20:R10.9] [20:A10.15]", async () => {
    await using ui = await TuiDriver.start();
    await ui.say(turnStart, { type: "tool-input-start", callId: "c1", name: "terminal" });
    expect(await ui.text()).toContain("┊ 💻 preparing terminal…");
    await ui.say(toolStart("c1", "terminal", { command: "make test" }));
    expect(await ui.row("make test")).toMatch(/💻 make test\s+\(\d+\.\ds\)/);
    await ui.say(toolEnd("c1", "terminal", { isError: true, details: { kind: "command", exitCode: 2 } }), turnDone);
    const line = (await ui.transcript()).split("\n").find((row) => row.includes("make test"));
    expect(line).toBe("  ┊ 💻 $         make test  1.2s [exit 2]");
  });

  it("show what changed in files [20:R10.11]", async () => {
    await using ui = await TuiDriver.start();
    const diff = "--- a/x.ts\n+++ b/x.ts\n@@ -1 +1 @@\n-old\n+new\n";
    await ui.say(turnStart, toolStart("c", "patch", { path: "x.ts" }), toolEnd("c", "patch", { diff }));
    expect(await ui.transcript()).toMatch(/x\.ts\n {2}@@ -1 \+1 @@\n {2}-old\n {2}\+new/);
  });

  it("close the answer first [20:R10.7]", async () => {
    await using ui = await TuiDriver.start();
    await ui.say(
      turnStart,
      ...text("Let me look"),
      toolStart("c", "read_file", { path: "a" }),
      toolEnd("c", "read_file"),
    );
    expect(await ui.transcript()).toMatch(/Let me look\n {2}┊ 📖 read +a {2}1\.2s/);
  });
});

describe("the status bar", () => {
  it.each([
    [80, ["12.4K/200K", "6%", "[█░░░░░░░░░]", "claude-sonnet-4-20250514"], []],
    [60, ["6%", "claude-sonnet-4-20250514"], ["░", "12.4K"]],
    [40, ["claude-sonnet-4-20250514", "0s"], ["6%", "░"]],
  ])("fits %i columns [20:A10.4] [20:R10.15]", async (columns, present, absent) => {
    await using ui = await TuiDriver.start({ columns });
    const row = (await ui.frame()).find((one) => one.includes("claude-sonnet-4-20250514") && one.includes("0s")) ?? "";
    for (const part of present) expect(row).toContain(part);
    for (const part of absent) expect(row).not.toContain(part);
  });

  it("names the model that really answers, and what is unusual [20:R10.16] [20:R10.17]", async () => {
    await using ui = await TuiDriver.start({ columns: 120, session: new FakeSession({ isYolo: true }) });
    await ui.say({ type: "target-change", provider: "openai", model: "gpt-x", reason: "overloaded" });
    const row = await ui.row("⚕ gpt-x");
    expect(row).toContain("fallback");
    expect(row).toContain("YOLO");
  });
});
