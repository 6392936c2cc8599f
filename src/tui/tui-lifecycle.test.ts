import { describe, expect, it } from "vitest";
import { keys, TuiDriver } from "./testing/driver.ts";
import { text, turnDone, turnStart } from "./testing/events.ts";
import { FakeSession } from "./testing/fake-session.ts";

describe("starting and leaving", () => {
  it("draws a frame before there is a session, and keeps what is typed for it [20:R10.4]", async () => {
    const session = new FakeSession();
    let open: (session: FakeSession) => void = () => undefined;
    const opening = new Promise<FakeSession>((resolve) => {
      open = resolve;
    });
    await using ui = await TuiDriver.start({ opening });
    expect(await ui.text()).toContain("starting agent…");
    await ui.until(async () => {
      await ui.press("early", keys.enter);
      return (await ui.text()).includes("● early");
    });
    expect(session.submitted).toEqual([]);
    open(session);
    await ui.until(() => session.submitted.length > 0);
    expect(session.submitted[0]?.text).toContain("early");
    expect(await ui.text()).not.toContain("starting agent…");
  });

  it("puts what a session says while it opens below the banner [20:R10.4] [20:R10.5]", async () => {
    const session = new FakeSession();
    const subscribe = session.subscribe.bind(session);
    session.subscribe = (listener) => {
      const subscription = subscribe(listener);
      session.emit({ type: "notice", level: "warn", text: "the scanner is missing" });
      return subscription;
    };
    await using ui = await TuiDriver.start({ session });
    expect(await ui.transcript()).toMatch(/Hermes 0\.0\.0[\s\S]*⚠ the scanner is missing/);
  });

  it("shows the profile in the banner and before the prompt [20:R7.21]", async () => {
    const banner = { version: "0.0.0", cwd: "/work", profile: "coder" };
    await using named = await TuiDriver.start({ tui: { banner } });
    expect(await named.text()).toContain("coder ❯");
    expect(await named.transcript()).toMatch(/Hermes 0\.0\.0 · coder/);
    await using usual = await TuiDriver.start();
    expect(await usual.text()).toMatch(/^❯/m);
  });

  it("says why when the session cannot be opened [20:R10.4]", async () => {
    await using ui = await TuiDriver.start({ opening: Promise.reject(new Error("no model configured")) });
    expect((await ui.ended).exitCode).toBe(1);
    expect(await ui.transcript()).toContain("no model configured");
  });

  it("shows what was said before [20:R10.39]", async () => {
    const session = new FakeSession();
    session.history = [
      { role: "user", content: "What is it?" },
      { role: "assistant", content: "A **boat**." },
    ];
    await using ui = await TuiDriver.start({ session });
    const shown = await ui.transcript();
    expect(shown).toContain("Previous Conversation");
    expect(shown).toContain("● What is it?");
    expect(shown).toContain("◆ A boat.");
  });

  it("says how to come back [20:R10.40]", async () => {
    const session = new FakeSession({ title: "Boats" });
    session.history = [{ role: "user", content: "Hi" }];
    await using ui = await TuiDriver.start({ session });
    await ui.press(keys.ctrl("d"));
    await ui.ended;
    const shown = await ui.transcript();
    expect(shown).toContain("hermes --resume 20260101_000000_abc");
    expect(shown).toContain('hermes --continue "Boats"');
    expect(shown).toContain("1 (1 from you, 0 tool calls)");
    expect(shown).toContain("Until next time.");
  });

  it("says how to come back to a first turn that was left while it ran [20:R10.40]", async () => {
    await using ui = await TuiDriver.start();
    await ui.say(turnStart);
    await ui.press(keys.ctrl("c"), keys.ctrl("c"));
    await ui.ended;
    const shown = await ui.transcript();
    expect(shown).toContain(`hermes --resume ${ui.session.info.id}`);
    expect(shown).not.toContain("Messages");
  });

  it("says only goodbye when nothing was said [20:R10.40]", async () => {
    await using ui = await TuiDriver.start();
    await ui.press(keys.ctrl("d"));
    await ui.ended;
    const shown = await ui.transcript();
    expect(shown).toContain("Until next time.");
    expect(shown).not.toContain("Resume");
  });

  it("shows pickers and sends what is chosen as a command [20:R10.1]", async () => {
    await using ui = await TuiDriver.start();
    const item = (value: string) => ({ value, label: value, detail: "", isCurrent: false });
    ui.session.reply = () => ({
      kind: "command",
      view: { kind: "picker", title: "Models", items: [item("alpha"), item("beta")], command: "/model" },
    });
    await ui.press("/model", keys.enter);
    expect(await ui.text()).toContain("Models");
    expect(await ui.text()).not.toContain("12.4K/200K");
    ui.session.reply = () => ({ kind: "command", view: { kind: "text", text: "ok" } });
    await ui.press("bet", keys.enter);
    expect(ui.session.submitted.at(-1)?.text).toBe("/model beta");
  });

  it("does what commands ask of the surface [20:R10.38]", async () => {
    await using ui = await TuiDriver.start();
    const act = (action: object) => () => ({ kind: "command", view: { kind: "surface", action } }) as never;
    ui.session.reply = act({ do: "cycle-verbose" });
    await ui.press("/verbose", keys.enter);
    expect(await ui.transcript()).toContain("Tool lines: every call with arguments and results");
    ui.session.reply = act({ do: "toggle-statusbar" });
    await ui.press("/statusbar", keys.enter);
    expect(await ui.text()).not.toContain("12.4K/200K");
    ui.session.reply = act({ do: "set-skin", name: "ares" });
    await ui.press("/skin ares", keys.enter);
    expect(await ui.row("❯")).toBe("⚔ ❯");
    ui.session.reply = act({ do: "quit" });
    await ui.press("/quit", keys.enter);
    expect((await ui.ended).exitCode).toBe(0);
  });

  it("survives a change of size [20:R10.3]", async () => {
    await using ui = await TuiDriver.start();
    await ui.press("draft");
    for (const columns of [50, 100, 30, 80]) {
      ui.screen.resize(columns, 30);
      const rows = await ui.frame();
      expect(rows.filter((row) => row.includes("❯ draft"))).toHaveLength(1);
      expect(
        rows.filter((row) => /⚕? ?claude-sonnet-4-2025/.test(row) && row.includes("0s")).length,
      ).toBeLessThanOrEqual(1);
    }
  });

  it("shows what the session warns about, such as a reference that was not sent", async () => {
    await using ui = await TuiDriver.start();
    await ui.press("see @file:~/.ssh/id_rsa", keys.enter);
    await ui.say({
      type: "notice",
      level: "warn",
      text: "@file:~/.ssh/id_rsa was not attached: it holds credentials.",
    });
    expect(await ui.transcript()).toContain("⚠ @file:~/.ssh/id_rsa was not attached");
  });

  it("never lets a model steer the terminal", async () => {
    await using ui = await TuiDriver.start();
    await ui.say(turnStart, ...text("a\x1b[2Jb\x1b]0;evil\x07c\u202ed"), { type: "text-end" }, turnDone);
    expect(await ui.transcript()).toContain("a[2Jb]0;evilcd");
    expect(ui.screen.writes.join("")).not.toContain("\x1b[2J");
  });
});
