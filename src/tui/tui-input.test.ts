import { describe, expect, it } from "vitest";
import { keys, TuiDriver } from "./testing/driver.ts";

describe("input", () => {
  it("folds a long paste and sends all of it [20:A10.7] [20:R10.22]", async () => {
    await using ui = await TuiDriver.start();
    await ui.press("see ", keys.paste("1\r\n2\r\n3\r\n4\r\n5\r\n6"));
    expect(await ui.text()).toMatch(/❯ see \[Pasted text #1: 6 lines → paste_1_\d{6}\.txt\]/);
    await ui.press(keys.enter);
    expect(ui.session.submitted[0]?.text).toBe("see 1\n2\n3\n4\n5\n6");
  });

  it("completes commands after a pause, by Tab [20:R10.21] [20:R10.18]", async () => {
    await using ui = await TuiDriver.start();
    ui.session.completions = [
      { from: 0, text: "/model", label: "/model", detail: "change the model" },
      { from: 0, text: "/mode", label: "/mode", detail: "other" },
    ];
    await ui.press("/mo");
    expect(ui.session.completionLines).toEqual(["/mo"]);
    expect(await ui.row("change the model")).toContain("/model");
    await ui.press(keys.tab);
    expect(await ui.row("❯")).toBe("❯ /model");
  });

  it("suggests the rest from the history, taken by Right or Tab [20:R10.21]", async () => {
    await using ui = await TuiDriver.start();
    await ui.press("explain the code", keys.enter, "exp");
    expect(await ui.row("❯")).toBe("❯ explain the code");
    expect(ui.screen.cursor.column).toBe(5);
    await ui.press(keys.right, keys.enter);
    expect(ui.session.submitted.map((input) => input.text)).toEqual(["explain the code", "explain the code"]);
  });

  it("walks through the history [20:R10.18]", async () => {
    await using ui = await TuiDriver.start();
    await ui.press("first", keys.enter, "second", keys.enter, keys.up, keys.up);
    expect(await ui.row("❯")).toBe("❯ first");
    await ui.press(keys.down, keys.down);
    expect(await ui.row("❯")).toBe("❯");
  });

  it("continues a line that ends with a backslash [20:R10.18]", async () => {
    await using ui = await TuiDriver.start();
    await ui.press("one\\", keys.enter, "two", keys.enter);
    expect(ui.session.submitted[0]?.text).toBe("one\ntwo");
  });

  it("takes Escape, then Enter, as a new line [20:R10.18]", async () => {
    await using ui = await TuiDriver.start();
    await ui.press("one", keys.escape, keys.enter, "two", keys.enter);
    expect(ui.session.submitted[0]?.text).toBe("one\ntwo");
  });

  it("opens an editor with the draft and takes the text back [20:R10.18]", async () => {
    const given: string[] = [];
    await using ui = await TuiDriver.start({
      tui: {
        editText: async (draft) => {
          given.push(draft);
          return "from the editor";
        },
      },
    });
    await ui.press("draft", keys.ctrl("g"));
    expect(given).toEqual(["draft"]);
    expect(await ui.row("❯")).toBe("❯ from the editor");
  });

  it("runs !commands only through what it was given [20:R10.26]", async () => {
    const ran: string[] = [];
    const runShell = async (command: string) => {
      ran.push(command);
      return "OUT\n";
    };
    await using ui = await TuiDriver.start({ tui: { runShell } });
    await ui.press("!ls -l", keys.enter);
    expect(ran).toEqual(["ls -l"]);
    expect(await ui.transcript()).toContain("OUT");
    await ui.press("it says {!date} now", keys.enter);
    expect(ui.session.submitted[0]?.text).toBe("it says OUT now");
  });

  it("leaves on Ctrl-D when empty, and deletes when not [20:R10.19]", async () => {
    await using ui = await TuiDriver.start();
    await ui.press("ab", keys.home, keys.ctrl("d"));
    expect(await ui.row("❯")).toBe("❯ b");
    await ui.press(keys.ctrl("d"), keys.ctrl("d"));
    expect((await ui.ended).exitCode).toBe(0);
  });

  it("draws wide characters where they belong [20:R10.3]", async () => {
    await using ui = await TuiDriver.start({ columns: 40 });
    await ui.press("日本語👩‍👧 ok", keys.left, keys.left, "x");
    expect(await ui.row("❯")).toBe("❯ 日本語👩‍👧 xok");
  });
});
