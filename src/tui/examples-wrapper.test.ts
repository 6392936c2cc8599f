import { describe, expect, it } from "vitest";
import type { RunTuiOptions, TuiExtension } from "./index.ts";
import { HermesCli } from "./index.ts";
import { keys, TuiDriver } from "./testing/driver.ts";
import { FakeSession } from "./testing/fake-session.ts";
import { TerminalScreen } from "./testing/terminal-screen.ts";

const folder = new URL("../../examples/wrapper/", import.meta.url).href;

it("the example extension adds a row above the status bar, by F2 and by /panel [20:A10.1] [20:R10.41]", async () => {
  const { panel } = (await import(`${folder}panel.mjs`)) as { panel: () => TuiExtension };
  await using ui = await TuiDriver.start({ tui: { extensions: [panel()] } });
  await ui.press(keys.f2);
  const rows = await ui.frame();
  const at = rows.findIndex((row) => row.includes("0 in this conversation, answered by claude-sonnet-4-20250514"));
  expect(rows[at + 1]).toContain("12.4K/200K");
  await ui.press("/panel", keys.enter);
  expect(await ui.transcript()).toContain("The panel is off.");
  expect(await ui.text()).not.toContain("in this conversation");
});

it("the example class wraps Hermes with the same five names [20:R10.44]", async () => {
  const { defineMyCli } = (await import(`${folder}my-cli.mjs`)) as { defineMyCli: (base: unknown) => typeof HermesCli };
  const MyCli = defineMyCli(HermesCli);
  const screen = new TerminalScreen();
  const session = new FakeSession();
  const stop = new AbortController();
  const options: RunTuiOptions = { session, terminal: screen, banner: { version: "1", cwd: "/" }, signal: stop.signal };
  const running = new MyCli().run(options);
  const shows = async (part: string): Promise<string[]> => {
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      await screen.settled();
      const rows = screen.visible();
      if (rows.some((row) => row.includes(part))) return rows;
    }
  };
  await shows("12.4K/200K");
  screen.type("/note buy milk\r");
  const rows = await shows("✎ buy milk");
  const status = rows.findIndex((row) => row.includes("12.4K/200K"));
  expect(rows.slice(status + 1).every((row) => row.trim() === "")).toBe(true);
  expect(session.submitted).toEqual([]);
  stop.abort();
  expect((await running).exitCode).toBe(130);
});

describe("the example of a plugin for the terminal", () => {
  const open = async (config: Readonly<Record<string, unknown>> = {}) => {
    const address = new URL("../../examples/plugins/tool-tally/tui.mjs", import.meta.url).href;
    const { extensions } = (await import(address)) as {
      extensions(context: { readonly config: object }): readonly TuiExtension[];
    };
    return TuiDriver.start({ tui: { extensions: extensions({ config }) } });
  };

  it("shows a row, hides it by key and by command, and may put the status bar last [20:R10.44] [20:R10.41]", async () => {
    await using ui = await open();
    expect(await ui.text()).toContain("no tool has run yet");
    await ui.press(keys.f3);
    expect(await ui.text()).not.toContain("no tool has run yet");
    await ui.press("/tally-panel", keys.enter);
    expect(await ui.transcript()).toContain("The tally is shown");
    await using below = await open({ below: true });
    const rows = await below.frame();
    const status = rows.findIndex((row) => row.includes("claude-sonnet-4-20250514 │"));
    expect(status).toBeGreaterThan(rows.findIndex((row) => row.startsWith("❯")));
  });
});
