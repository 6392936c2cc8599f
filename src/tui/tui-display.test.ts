import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { disposable } from "#foundation/lifecycle/disposal";
import type { SessionEvent } from "#session";
import type { VoiceState } from "./state/state.ts";
import { keys, TuiDriver } from "./testing/driver.ts";
import { text, toolEnd, toolStart, turnDone, turnStart } from "./testing/events.ts";
import { FakeSession } from "./testing/fake-session.ts";

const sentence = "The quick brown fox jumps over the lazy dog and writes a little more text than it should ".split(" ");

describe("streaming", () => {
  it("sends at most 60 bytes for a token, and never clears the screen, below 10,000 lines [20:R10.3]", async () => {
    await using ui = await TuiDriver.start({ columns: 100, rows: 40 });
    await ui.say(turnStart);
    for (let line = 0; line < 10_000; line += 1)
      ui.session.emit({ type: "notice", level: "info", text: `line ${line}` });
    await ui.frame();
    const [firstWrite, before] = [ui.screen.writes.length, ui.screen.bytes];
    const tokens = 300;
    for (let token = 0; token < tokens; token += 1) {
      const space = token % 60 === 59 ? "\n\n" : " ";
      ui.session.emit({ type: "text-delta", text: `${sentence[token % sentence.length]}${space}` });
      await ui.clock.advance(40);
    }
    await ui.frame();
    const written = ui.screen.writes.slice(firstWrite);
    expect(written.length).toBeGreaterThanOrEqual(tokens);
    expect((ui.screen.bytes - before) / tokens).toBeLessThanOrEqual(60);
    for (const clear of ["\x1b[2J", "\x1b[3J", "\x1b[J", "\x1bc"]) expect(written.join("")).not.toContain(clear);
    const all = ui.screen.all();
    expect(all.filter((row) => row.includes("line 9999"))).toHaveLength(1);
    expect(all.filter((row) => row.includes("line 0"))).toHaveLength(1);
  });

  it("draws less often than text arrives, and keys at once [20:R10.3]", async () => {
    await using ui = await TuiDriver.start();
    await ui.say(turnStart);
    const before = ui.screen.writes.length;
    for (let token = 0; token < 50; token += 1) ui.session.emit({ type: "text-delta", text: "x " });
    await ui.frame();
    expect(ui.screen.writes.length - before).toBeLessThan(5);
    const keyed = ui.screen.writes.length;
    ui.screen.type("q");
    expect(ui.screen.writes.length).toBe(keyed + 1);
  });

  it("shows the end of a block that is higher than the screen, and all of it when it is finished [20:R10.7]", async () => {
    await using ui = await TuiDriver.start({ columns: 60, rows: 14 });
    await ui.say(turnStart);
    const rows = Array.from({ length: 40 }, (_, index) => `row ${index} of one paragraph`);
    await ui.say(...text(...rows.map((row) => `${row}\n`)));
    expect(await ui.text()).toContain("row 39");
    await ui.say({ type: "text-end" }, turnDone);
    const shown = await ui.transcript();
    for (const row of rows) expect(shown.split(row)).toHaveLength(2);
  });

  it("keeps code in colour and in order when it is long [20:R10.7]", async () => {
    await using ui = await TuiDriver.start({ columns: 80, rows: 20 });
    const rows = Array.from({ length: 60 }, (_, index) => `const a${index} = ${index};`);
    await ui.say(turnStart, ...text("Look:\n\n```ts\n", ...rows.map((row) => `${row}\n`), "```\nDone"), {
      type: "text-end",
    });
    await ui.until(async () => (await ui.transcript()).includes("Done"));
    const shown = await ui.transcript();
    const found = shown.split("\n").filter((row) => row.includes("const a"));
    expect(found.map((row) => row.trim())).toEqual(rows);
    expect(ui.screen.writes.join("")).toContain("\x1b[38;2;232;163;61mconst");
  });

  it("has no colours with NO_COLOR [20:R10.38]", async () => {
    await using ui = await TuiDriver.start({ env: { NO_COLOR: "1", TERM: "xterm" } });
    await ui.say(turnStart, ...text("# Title\n\n**x**"), { type: "text-end" });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is looked for.
    expect(ui.screen.writes.join("")).not.toMatch(/\x1b\[[\d;]*(3[0-8]|4[0-8]|9\d)[;m]/);
  });
});

describe("what is on the screen", () => {
  it("spins while Hermes thinks, with the words of the skin [20:R10.12]", async () => {
    await using ui = await TuiDriver.start({ tui: { settings: { skin: "sisyphus" } } });
    await ui.say(turnStart);
    expect(await ui.text()).toMatch(/⟋ \([●◐◓◑]\) ⟍ (pushing|almost there|once more|uphill)… \(\d+\.\ds\)/);
  });

  it("drops rules, spacer and spinner on a narrow terminal [20:R10.2]", async () => {
    await using ui = await TuiDriver.start({ columns: 50 });
    await ui.say(turnStart);
    const rows = await ui.frame();
    expect(rows.filter((row) => /^─+$/.test(row))).toHaveLength(1);
    expect(rows.join("\n")).not.toContain("… (");
  });

  it("shows arguments and results in verbose mode [20:R10.10]", async () => {
    await using ui = await TuiDriver.start({ tui: { settings: { toolProgress: "verbose" } } });
    await ui.say(turnStart, toolStart("c", "todo", { todos: [] }), toolEnd("c", "todo", { preview: "all done" }));
    const shown = await ui.transcript();
    expect(shown).toContain("todos: []");
    expect(shown).toContain("result: all done");
  });

  it("shows the task list when it is written, and what an update changed", async () => {
    await using ui = await TuiDriver.start();
    const todos = [
      { id: "1", content: "look around", status: "completed" },
      { id: "2", content: "change it", status: "in_progress" },
      { id: "3", content: "test it", status: "pending" },
    ];
    const done = { details: { kind: "todos", todos } };
    await ui.say(turnStart, toolStart("a", "todo", { todos }), toolEnd("a", "todo", done));
    expect(await ui.transcript()).toMatch(/plan {6}3 tasks.*\n {6}☑ look around\n {6}▸ change it\n {6}☐ test it\n/);
    const update = { merge: true, todos: [{ id: "2", status: "in_progress" }] };
    await ui.say(toolStart("b", "todo", update), toolEnd("b", "todo", done));
    expect(await ui.transcript()).toMatch(/update 1 task.*\n {6}▸ change it\n(?! {6}☐)/);
    await ui.say(toolStart("c", "todo", {}), toolEnd("c", "todo", done));
    expect(await ui.transcript()).toMatch(/reading tasks.*\n(?! {6}[☑▸☐])/);
  });

  it("counts what runs in the background, and gives its result a panel of its own [20:R10.14] [20:R10.17]", async () => {
    await using ui = await TuiDriver.start({ columns: 100 });
    await ui.say({ type: "background-start", id: "b", prompt: "count" });
    expect(await ui.text()).toContain("1 in background");
    await ui.say({ type: "background-end", id: "b", prompt: "count", text: "It is **42**" });
    expect(await ui.transcript()).toMatch(/╭─ Background: count ─+╮\nIt is 42\n╰/);
  });

  it("shows the voice bar and the level [20:R10.37]", async () => {
    const listeners: ((voice: VoiceState | undefined) => void)[] = [];
    const acts: string[] = [];
    const voice = {
      subscribe: (listener: (voice: VoiceState | undefined) => void) => {
        listeners.push(listener);
        listener({ mode: "idle", level: 0, isSpeechOn: true, isContinuous: true });
        return disposable(() => undefined);
      },
      toggle: () => void acts.push("toggle"),
      cancel: () => void acts.push("cancel"),
    };
    await using ui = await TuiDriver.start({ tui: { voice } });
    expect(await ui.text()).toContain("🎤 Voice mode | TTS on | Continuous");
    await ui.press(keys.ctrl("b"));
    listeners[0]?.({ mode: "recording", level: 0.6, isSpeechOn: false, isContinuous: false });
    expect(await ui.text()).toContain("● REC");
    expect(await ui.row("● ▅")).toContain("recording…");
    await ui.press(keys.ctrl("c"));
    expect(acts).toEqual(["toggle", "cancel"]);
  });

  it("uses the skin of a user, and says when there is none of that name [20:R10.38]", async () => {
    const readUserSkin = async (name: string) => (name === "mine" ? 'branding: {prompt_symbol: "»"}' : undefined);
    await using ui = await TuiDriver.start({ tui: { settings: { skin: "mine" }, readUserSkin } });
    await ui.until(async () => (await ui.row("»")) !== undefined);
    ui.session.reply = () =>
      ({ kind: "command", view: { kind: "surface", action: { do: "set-skin", name: "nope" } } }) as never;
    await ui.press("/skin nope", keys.enter);
    expect(await ui.transcript()).toContain('There is no skin "nope"');
  });

  it("works without a terminal: lines in, finished rows out, nothing that moves [20:R10.12]", async () => {
    await using ui = await TuiDriver.start({ isTty: false, env: {} });
    ui.screen.type("hello\n");
    await ui.frame();
    expect(ui.session.submitted.map((input) => input.text)).toEqual(["hello"]);
    await ui.say(turnStart, ...text("Hi"), { type: "text-end" }, turnDone);
    const written = ui.screen.writes.join("");
    expect(written).toContain("Hi\n");
    expect(written.match(/thinking…/g)).toHaveLength(1);
    expect(written.match(/done in \d/g)).toHaveLength(1);
    expect(written).not.toContain("\x1b[");
    ui.screen.end();
    expect((await ui.ended).exitCode).toBe(0);
  });
});

describe("attachments and files", () => {
  it("attaches dragged and named images, shows badges, and sends them [20:R10.23]", async () => {
    const folder = await mkdtemp(join(tmpdir(), "hermes-images-"));
    try {
      const file = join(folder, "a pic.png");
      await writeFile(file, Buffer.from("\x89PNG\r\n\x1a\n0000", "latin1"));
      const bitmap = join(folder, "old.bmp");
      await writeFile(bitmap, "BM0000000000");
      await using ui = await TuiDriver.start();
      await ui.press(keys.paste(bitmap));
      await ui.until(async () =>
        (await ui.transcript()).replace(/\s+/g, " ").includes("not attached: it is a BMP image"),
      );
      await ui.press(keys.paste(`'${file}'`));
      await ui.until(async () => (await ui.text()).includes("[📎 Image #1]"));
      await ui.press("what is this", keys.enter);
      expect(ui.session.submitted[0]).toMatchObject({ text: "what is this", images: [file] });
      await ui.press(keys.paste("/no/such.png"));
      await ui.until(async () => (await ui.row("❯"))?.includes("/no/such.png") === true);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it("takes an image from the clipboard by key and by an empty paste [20:R10.22] [20:R10.23]", async () => {
    await using ui = await TuiDriver.start({ tui: { readClipboardImage: async () => "/tmp/clip.png" } });
    await ui.press(keys.alt("v"), keys.paste(""));
    expect(await ui.text()).toContain("[📎 Image #1] [📎 Image #2]");
    await ui.press(keys.backspace);
    expect(await ui.text()).not.toContain("Image #2");
  });

  it("keeps the history and long pastes in files, without secrets [20:R10.20] [20:R10.22]", async () => {
    const folder = await mkdtemp(join(tmpdir(), "hermes-files-"));
    try {
      const historyFile = join(folder, ".hermes_history");
      const pastesFolder = join(folder, "pastes");
      {
        await using ui = await TuiDriver.start({
          tui: { historyFile, pastesFolder, isSecret: (line) => line.includes("sk-") },
        });
        await ui.press("remember me", keys.enter, "sk-secret", keys.enter, keys.paste("1\n2\n3\n4\n5\n6\n7"));
        await ui.press(keys.ctrl("u"), keys.ctrl("d"));
        await ui.ended;
        await ui.until(async () => (await readdir(pastesFolder).catch(() => [])).length === 1);
      }
      const kept = await readFile(historyFile, "utf8");
      expect(kept).toContain("+remember me\n");
      expect(kept).not.toContain("sk-secret");
      await using again = await TuiDriver.start({ tui: { historyFile } });
      await again.until(async () => {
        await again.press(keys.up);
        return (await again.row("❯")) === "❯ remember me";
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe("a long paste", () => {
  it("that is brought back from the history is sent whole again [20:R10.20] [20:R10.22]", async () => {
    const pastesFolder = await mkdtemp(join(tmpdir(), "hermes-pastes-"));
    try {
      await using ui = await TuiDriver.start({ tui: { pastesFolder } });
      const pasted = "1\n2\n3\n4\n5\n6\n7";
      await ui.press("look: ", keys.paste(pasted), keys.enter);
      await ui.until(async () => (await readdir(pastesFolder)).length === 1 && ui.session.submitted.length === 1);
      await ui.say(turnDone);
      await ui.press(keys.up, keys.enter);
      await ui.until(() => ui.session.submitted.length === 2);
      expect(ui.session.submitted.map(({ text }) => text)).toEqual([`look: ${pasted}`, `look: ${pasted}`]);
    } finally {
      await rm(pastesFolder, { recursive: true, force: true });
    }
  });
});

describe("sessions", () => {
  it("can be changed, and those opened here are closed here [20:R10.39]", async () => {
    const other = new FakeSession({ id: "other" as never, model: "other-model" });
    other.history = [{ role: "user", content: "Earlier words" }];
    await using ui = await TuiDriver.start({ tui: { openSession: async () => other } });
    ui.session.reply = () =>
      ({ kind: "command", view: { kind: "surface", action: { do: "switch-session", id: "other" } } }) as never;
    await ui.press("/resume other", keys.enter);
    expect(await ui.transcript()).toContain("Earlier words");
    expect(await ui.row("⚕ other-model")).toBeDefined();
    expect(ui.session.listenerCount).toBe(0);
    await ui.press("hi", keys.enter);
    expect(other.submitted.map((input) => input.text)).toEqual(["hi"]);
    await ui.press(keys.ctrl("d"));
    await ui.ended;
    expect(other.isDisposed).toBe(true);
    expect(ui.session.isDisposed).toBe(false);
  });

  it("a slow command locks the input and spins", async () => {
    await using ui = await TuiDriver.start();
    let finish: () => void = () => undefined;
    ui.session.reply = () =>
      new Promise((resolve) => {
        finish = () => resolve({ kind: "command", view: { kind: "text", text: "compressed" } });
      });
    await ui.press("/compress", keys.enter);
    await ui.clock.advance(400);
    await ui.press("typed meanwhile");
    expect(await ui.row("❯")).toBe("❯ please wait…");
    finish();
    expect(await ui.transcript()).toContain("compressed");
    await ui.press("x");
    expect(await ui.row("❯")).toBe("❯ x");
  });

  it("clears the screen when asked, and goes on below [20:R10.18]", async () => {
    await using ui = await TuiDriver.start();
    await ui.press("keep", keys.ctrl("l"));
    const rows = await ui.frame();
    expect(rows.join("\n")).not.toContain("Hermes 0.0.0");
    expect(rows.filter((row) => row.includes("❯ keep"))).toHaveLength(1);
  });

  it("gives the terminal away while suspended [20:R10.18]", async () => {
    await using ui = await TuiDriver.start();
    await ui.press("draft", keys.ctrl("z"));
    expect(ui.screen.suspensions).toBe(1);
    expect(ui.screen.starts).toBe(2);
    expect((await ui.frame()).filter((row) => row.includes("❯ draft"))).toHaveLength(1);
  });

  it("reports what fails and stays alive", async () => {
    await using ui = await TuiDriver.start();
    ui.session.reply = () => {
      throw new Error("store is gone");
    };
    await ui.press("hi", keys.enter);
    expect(await ui.transcript()).toContain("✗ store is gone");
    const failing: SessionEvent = { type: "notice", level: "error", text: "still here" };
    await ui.say(failing);
    expect(await ui.transcript()).toContain("still here");
  });
});
