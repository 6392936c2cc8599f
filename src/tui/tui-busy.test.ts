import { describe, expect, it } from "vitest";
import { keys, TuiDriver } from "./testing/driver.ts";
import { text, turnDone, turnStart } from "./testing/events.ts";

describe("while Hermes works", () => {
  it("a message goes to the session at once, which stops the turn [20:A10.8] [20:R10.28]", async () => {
    await using ui = await TuiDriver.start();
    await ui.press("start", keys.enter);
    await ui.say(turnStart, ...text("partial"));
    await ui.press("stop, do X", keys.enter);
    expect(ui.session.submitted.map((input) => input.text)).toEqual(["start", "stop, do X"]);
    expect((await ui.transcript()).match(/● stop, do X/g)).toHaveLength(1);
  });

  it("a message that waits is listed, can be taken back, and is sent after the turn [20:A10.9] [20:R10.29] [20:R10.31]", async () => {
    await using ui = await TuiDriver.start();
    await ui.say(turnStart);
    ui.session.reply = (input, session) => {
      session.queue(input.text);
      return { kind: "queued", position: 1 };
    };
    await ui.press("stop, do X", keys.enter);
    expect(await ui.text()).toContain("⏳ 1. stop, do X");
    expect(await ui.transcript()).toContain("Queued (1 ahead)");
    await ui.press(keys.up);
    expect(await ui.row("❯")).toBe("❯ stop, do X");
    expect(await ui.text()).not.toContain("⏳");
  });

  it("guidance is confirmed in one line [20:A10.10]", async () => {
    await using ui = await TuiDriver.start();
    await ui.say(turnStart);
    ui.session.reply = () => ({ kind: "steered" });
    await ui.press("use tabs", keys.enter);
    expect(await ui.transcript()).toContain("Sent to the running turn: use tabs");
  });

  it("two empty Enters stop the turn for what waits [20:R10.31]", async () => {
    await using ui = await TuiDriver.start();
    await ui.say(turnStart, { type: "queue-changed", queued: ["next"] });
    await ui.press(keys.enter);
    expect(ui.session.interrupts).toBe(0);
    await ui.press(keys.enter);
    expect(ui.session.interrupts).toBe(1);
  });

  it("Ctrl-C stops, twice within two seconds leaves with 130 [20:A10.14] [20:R10.19]", async () => {
    await using ui = await TuiDriver.start();
    await ui.say(turnStart);
    await ui.press(keys.ctrl("c"));
    expect(ui.session.interrupts).toBe(1);
    await ui.press(keys.ctrl("c"));
    expect((await ui.ended).exitCode).toBe(130);
    expect(ui.screen.isStarted).toBe(false);
  });

  it("Ctrl-C right behind the end of a turn never leaves, however often; after that, two do [20:R10.19]", async () => {
    await using ui = await TuiDriver.start();
    await ui.say(turnStart, ...text("Done."), turnDone);
    await ui.press(keys.ctrl("c"));
    await ui.press(keys.ctrl("c"));
    await ui.press(keys.ctrl("c"));
    expect(ui.screen.isStarted).toBe(true);
    await ui.clock.advance(2_500);
    await ui.press(keys.ctrl("c"));
    expect(ui.screen.isStarted).toBe(true);
    expect(await ui.text()).toContain("press Ctrl-C again to quit");
    await ui.press(keys.ctrl("c"));
    expect((await ui.ended).exitCode).toBe(0);
  });

  it("Ctrl-C twice with time between does not leave [20:R10.19]", async () => {
    await using ui = await TuiDriver.start();
    await ui.say(turnStart);
    await ui.press(keys.ctrl("c"));
    await ui.clock.advance(2_500);
    await ui.press(keys.ctrl("c"));
    expect(ui.session.interrupts).toBe(2);
    expect(ui.screen.isStarted).toBe(true);
  });
});
