import { describe, expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import type { OpenSession } from "#session";
import type { TuiHandle } from "./handle.ts";
import { keys, TuiDriver } from "./testing/driver.ts";
import { FakeSession } from "./testing/fake-session.ts";

async function open(options: Parameters<typeof TuiDriver.start>[0] = {}) {
  let handle: TuiHandle | undefined;
  const onOpen = (input: TuiHandle): void => {
    handle = input;
  };
  const ui = await TuiDriver.start({ ...options, tui: { ...options.tui, onOpen } });
  if (handle === undefined) throw new Error("the terminal was opened without a handle");
  return { ui, handle };
}

const hook = {
  tool: "shell hook",
  summary: "/usr/bin/notify done",
  reasons: ["runs at every on_session_end"],
  choices: ["always", "deny"] as const,
};

describe("what the terminal is told while it runs", () => {
  it("asks for a permission before there is a session, and hands the answer back [20:R10.34]", async () => {
    const { ui, handle } = await open({ opening: new Promise<OpenSession>(() => undefined) });
    await using _ui = ui;
    const answer = handle.approve(hook, never);
    const text = await ui.text();
    expect(text).toContain("shell hook");
    expect(text).toContain("/usr/bin/notify done");
    expect(text).toContain("runs at every on_session_end");
    await ui.pause();
    await ui.press("a");
    await ui.pause();
    await ui.press(keys.enter);
    expect(await answer).toBe("always");
    expect(await ui.text()).not.toContain("Always allow");
  });

  it("takes Esc, silence and the end of the question for a no [20:R10.34]", async () => {
    const { ui, handle } = await open({ session: new FakeSession() });
    await using _ui = ui;
    const refused = handle.approve(hook, never);
    await ui.frame();
    await ui.press(keys.escape);
    expect(await refused).toBe("deny");
    const unanswered = handle.approve(hook, never);
    await ui.frame();
    await ui.clock.advance(61_000);
    await ui.frame();
    expect(await unanswered).toBe("deny");
    const stop = new AbortController();
    const dropped = handle.approve(hook, stop.signal);
    await ui.frame();
    stop.abort();
    expect(await dropped).toBe("deny");
    expect(await ui.text()).not.toContain("Always allow");
    expect(ui.session.approvals).toEqual([]);
  });

  it("shows what became known before the session was there in the banner [20:R10.4]", async () => {
    let ready: (session: OpenSession) => void = () => undefined;
    const opening = new Promise<OpenSession>((resolve) => {
      ready = resolve;
    });
    const { ui, handle } = await open({ opening, columns: 110, rows: 50 });
    await using _ui = ui;
    handle.tell({
      branch: "feature/tea",
      banner: {
        mcpServers: [
          { name: "files", state: "ready" },
          { name: "tracker", state: "failed" },
        ],
        skillCategories: [{ name: "research", count: 2 }],
        updateNotice: "Hermes 9.9.9 is out.",
      },
    });
    ready(ui.session);
    await ui.until(() => ui.session.listenerCount > 0);
    const text = await ui.transcript();
    expect(text).toContain("mcp files, tracker");
    expect(text).toContain("research (2)");
    expect(text).toContain("Hermes 9.9.9 is out.");
    expect(text).toContain("⎇ feature/tea");
  });

  it("draws tools with the emojis they were registered with; the skin decides first [20:R10.10]", async () => {
    const { ui, handle } = await open();
    await using _ui = ui;
    handle.tell({ toolEmojis: { count_words: "🧮" } });
    const call = { callId: "c1", name: "count_words", args: { text: "a b" }, preview: "a b" } as const;
    await ui.say(
      { type: "tool-start", ...call } as never,
      {
        type: "tool-end",
        callId: "c1",
        name: "count_words",
        ok: true,
        isError: false,
        durationMs: 5,
        result: "2",
      } as never,
    );
    expect(await ui.transcript()).toContain("🧮");
  });

  it("takes extensions that were found later, with all their powers [20:R10.44]", async () => {
    const { ui, handle } = await open();
    await using _ui = ui;
    let isShown = false;
    handle.extend([
      {
        name: "late",
        extraWidgets: () => [
          { id: "late", visible: () => isShown, render: () => [[{ text: "LATE ROW", style: "late" }]] },
        ],
        registerKeybindings: (registry, _io, context) => {
          registry.add("f2", () => {
            isShown = true;
            context.invalidate();
          });
        },
        processCommand: async (line, next) => (line === "/late" ? true : next()),
        styles: (base) => ({ ...base, late: { isBold: true } }),
      },
    ]);
    await ui.press(keys.f2);
    const rows = await ui.frame();
    const at = rows.findIndex((row) => row.includes("LATE ROW"));
    expect(rows[at + 1]).toContain("claude-sonnet");
    await ui.press("/late", keys.enter);
    expect(ui.session.submitted).toEqual([]);
  });

  it("says lines that come from around the session [20:R10.5]", async () => {
    const { ui, handle } = await open();
    await using _ui = ui;
    handle.say("warn", "The sandbox is not available.");
    expect(await ui.transcript()).toContain("⚠ The sandbox is not available.");
  });
});
