import { describe, expect, it } from "vitest";
import type { ShellRun } from "./input/inline-shell.ts";
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
    const supplied: string[] = [];
    await using ui = await TuiDriver.start({
      tui: {
        editText: async (draft) => {
          supplied.push(draft);
          return "from the editor";
        },
      },
    });
    await ui.press("draft", keys.ctrl("g"));
    expect(supplied).toEqual(["draft"]);
    expect(await ui.row("❯")).toBe("❯ from the editor");
  });

  it("runs !commands only through what it was given [20:R10.26]", async () => {
    const ran: string[] = [];
    const runShell = async (command: string) => {
      ran.push(command);
      return { kind: "ended", output: "OUT\n", exitCode: 0 } as const;
    };
    await using ui = await TuiDriver.start({ tui: { runShell } });
    await ui.press("!ls -l", keys.enter);
    expect(ran).toEqual(["ls -l"]);
    expect(await ui.transcript()).toContain("OUT");
    await ui.press("it says {!date} now", keys.enter);
    expect(ui.session.submitted[0]?.text).toBe("it says OUT now");
  });

  it("says how a !command ended when it did not end well [20:R10.26]", async () => {
    const runs: readonly ShellRun[] = [
      { kind: "ended", output: "no such file\n", exitCode: 2 },
      { kind: "ended", output: "", exitCode: 0 },
      { kind: "refused", why: "That never runs here." },
    ];
    let at = 0;
    const runShell = async () => runs[at++] ?? { kind: "refused" as const, why: "no more" };
    await using ui = await TuiDriver.start({ tui: { runShell } });
    for (const command of ["!ls nothing", "!true", "!rm -rf /"]) await ui.press(command, keys.enter);
    const text = await ui.transcript();
    expect(text).toMatch(/no such file\s*\n\[exit 2\]/);
    expect(text).toContain("(no output)");
    expect(text).toContain("That never runs here.");
  });

  it("stops a !command on Ctrl-C and leaves the turn beside it alone [20:R10.26] [20:R10.19]", async () => {
    const runShell = (_command: string, signal: AbortSignal) =>
      new Promise<ShellRun>((resolve) => {
        signal.addEventListener("abort", () => resolve({ kind: "stopped", output: "partly", why: "stopped" }));
      });
    await using ui = await TuiDriver.start({ tui: { runShell } });
    await ui.say({ type: "turn-start", sessionId: ui.session.info.id, turnId: "t" as never });
    await ui.press("!sleep 100", keys.enter);
    expect(await ui.text()).toContain("! sleep 100");
    await ui.press(keys.ctrl("c"));
    const text = await ui.transcript();
    expect(text).toMatch(/partly\s*\n\[stopped\]/);
    expect(ui.session.interrupts).toBe(0);
    await ui.press("free again");
    expect(await ui.row("❯")).toBe("❯ free again");
  });

  it("does not send a message whose {!command} was stopped, and gives the draft back [20:R10.26]", async () => {
    const runShell = (_command: string, signal: AbortSignal) =>
      new Promise<ShellRun>((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(new DOMException("stopped", "AbortError")));
      });
    await using ui = await TuiDriver.start({ tui: { runShell } });
    await ui.press("see {!sleep 9}", keys.enter, keys.ctrl("c"));
    expect(ui.session.submitted).toEqual([]);
    expect(await ui.transcript()).toContain("Not sent, because of {!sleep 9}: stopped");
    expect(await ui.row("❯")).toBe("❯ see {!sleep 9}");
  });

  it("attaches the images it was started with, and sends the first message [20:R8.7] [20:R10.23]", async () => {
    await using ui = await TuiDriver.start({ tui: { draftImages: ["/tmp/a.png"] } });
    expect(await ui.text()).toContain("[📎 Image #1]");
    await using other = await TuiDriver.start({ tui: { firstMessage: { text: "hello there", images: ["/b.png"] } } });
    expect(other.session.submitted.map(({ text, images }) => ({ text, images }))).toEqual([
      { text: "hello there", images: ["/b.png"] },
    ]);
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
