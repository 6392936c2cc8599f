import { describe, expect, it } from "vitest";
import type { TuiExtension } from "./extension.ts";
import { keys, TuiDriver } from "./testing/driver.ts";

describe("extensions", () => {
  const panel = () => {
    let isShown = false;
    return {
      name: "panel",
      extraWidgets: () => [{ id: "panel", visible: () => isShown, render: () => ["PANEL ROW"] }],
      registerKeybindings: (
        registry: { add(key: string, run: () => void): unknown },
        _io: unknown,
        context: { invalidate(): void },
      ) => {
        registry.add("f2", () => {
          isShown = !isShown;
          context.invalidate();
        });
      },
      processCommand: async (line: string, next: () => Promise<boolean>) => {
        if (line !== "/panel") return next();
        isShown = !isShown;
        return true;
      },
    };
  };

  it("add a row above the status bar, by key and by command, as the driver without a terminal reads it [20:R10.45] [20:A10.1] [20:A10.3] [20:R10.42]", async () => {
    await using ui = await TuiDriver.start({ tui: { extensions: [panel()] } });
    ui.session.reply = () => ({ kind: "command", view: { kind: "text", text: "HELP TEXT" } });
    expect(await ui.text()).not.toContain("PANEL ROW");
    await ui.press(keys.f2);
    const rows = await ui.frame();
    const at = rows.findIndex((row) => row.includes("PANEL ROW"));
    expect(rows[at + 1]).toContain("claude-sonnet");
    await ui.press("/panel", keys.enter);
    expect(await ui.text()).not.toContain("PANEL ROW");
    expect(ui.session.submitted).toEqual([]);
    await ui.press("/help", keys.enter);
    expect(await ui.text()).toContain("HELP TEXT");
    expect(ui.session.submitted.map((input) => input.text)).toEqual(["/help"]);
  });

  it("get every part of the screen, from top to bottom, with their own rows above the status bar [20:R10.1] [20:R10.41]", async () => {
    let order: readonly string[] = [];
    const looks = {
      name: "looks",
      buildLayout: (
        slots: Parameters<NonNullable<TuiExtension["buildLayout"]>>[0],
        next: Parameters<NonNullable<TuiExtension["buildLayout"]>>[1],
      ) => {
        const widgets = next(slots);
        order = widgets.map(({ id }) => id);
        return widgets;
      },
    };
    await using ui = await TuiDriver.start({
      tui: { extensions: [panel(), looks], readClipboardImage: async () => "/tmp/clip.png" },
    });
    expect(order).toEqual([
      ...["anchor", "sudo", "secret", "approval", "clarify", "modelPicker", "spinner", "spacer"],
      "panel",
      ...["statusBar", "inputRuleTop", "imageBar", "inputArea", "inputRuleBottom", "voiceStatus", "completions"],
    ]);
    ui.session.completions = [{ from: 0, text: "/model", label: "/model", detail: "change the model" }];
    await ui.press(keys.alt("v"), keys.f2, "/mo");
    await ui.until(async () => (await ui.text()).includes("change the model"));
    const rows = await ui.frame();
    const at = (text: string): number => rows.findIndex((row) => row.includes(text));
    const seen = ["PANEL ROW", "12.4K/200K", "Image #1", "❯ /mo", "change the model"].map(at);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect(seen[0]).toBeGreaterThan(-1);
  });

  it("may reverse the layout without losing anything [20:A10.2]", async () => {
    await using ui = await TuiDriver.start({
      tui: { extensions: [{ name: "upside-down", buildLayout: (slots, next) => [...next(slots)].reverse() }] },
    });
    await ui.press("draft");
    const rows = await ui.frame();
    const input = rows.findIndex((row) => row.includes("❯ draft"));
    const status = rows.findIndex((row) => row.includes("claude-sonnet-4-20250514 │"));
    expect(input).toBeGreaterThan(-1);
    expect(status).toBeGreaterThan(input);
  });

  it("that throw are switched off, and the rest goes on [20:R10.44]", async () => {
    const broken = {
      name: "broken",
      extraWidgets: () => [
        {
          id: "x",
          render: () => {
            throw new Error("boom");
          },
        },
      ],
    };
    await using ui = await TuiDriver.start({ tui: { extensions: [broken, panel()] } });
    await ui.press(keys.f2);
    expect(await ui.transcript()).toContain("The extension broken failed and is switched off: boom");
    expect(await ui.text()).toContain("PANEL ROW");
  });

  it("that bring a broken widget into the layout are switched off as well [20:R10.44]", async () => {
    const bad = {
      id: "bad",
      render: () => {
        throw new Error("no rows");
      },
    };
    await using ui = await TuiDriver.start({
      tui: { extensions: [{ name: "layouter", buildLayout: (slots, next) => [bad, ...next(slots)] }] },
    });
    expect(await ui.transcript()).toContain("The extension layouter failed and is switched off: no rows");
    await ui.press("on");
    expect(await ui.row("❯")).toBe("❯ on");
  });

  it.each([
    ["enter", "enter"],
    ["escape-enter", "alt+enter"],
    ["c-c", "ctrl+c"],
    ["ctrl+d", "ctrl+d"],
    ["tab", "tab"],
  ])("cannot take the reserved key %s by accident [20:R10.43]", async (wanted, key) => {
    await using ui = await TuiDriver.start({
      tui: {
        extensions: [{ name: "greedy", registerKeybindings: (registry) => void registry.add(wanted, () => undefined) }],
      },
    });
    expect((await ui.transcript()).replace(/\s+/g, " ")).toContain(`The key ${key} is reserved.`);
  });

  it("take a reserved key when they insist, and any other without [20:R10.43]", async () => {
    const pressed: string[] = [];
    await using ui = await TuiDriver.start({
      tui: {
        extensions: [
          {
            name: "bold",
            registerKeybindings: (registry) => {
              registry.add("tab", () => void pressed.push("tab"), { override: true });
              registry.add("f2", () => void pressed.push("f2"));
            },
          },
        ],
      },
    });
    await ui.press(keys.tab, keys.f2);
    expect(pressed).toEqual(["tab", "f2"]);
    expect(await ui.transcript()).not.toContain("reserved");
  });

  it("see the session and write to the transcript [20:R10.42]", async () => {
    await using ui = await TuiDriver.start({
      tui: {
        extensions: [
          {
            name: "who",
            processCommand: async (line, next, context) => {
              if (line !== "/who") return next();
              context.print([
                { text: `${context.provider}:${context.model} ${context.conversationHistory.length}`, style: "ok" },
              ]);
              return true;
            },
          },
        ],
      },
    });
    await ui.press("/who", keys.enter);
    expect(await ui.transcript()).toContain("anthropic:claude-sonnet-4-20250514 0");
  });

  it("leave the UI by answering false [20:R10.41]", async () => {
    await using ui = await TuiDriver.start({
      tui: { extensions: [{ name: "bye", processCommand: async (line, next) => (line === "/bye" ? false : next()) }] },
    });
    await ui.press("/bye", keys.enter);
    expect((await ui.ended).exitCode).toBe(0);
  });
});
