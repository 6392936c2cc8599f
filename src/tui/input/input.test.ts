import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { silentLogger } from "#foundation/files/logger";
import { never } from "#foundation/lifecycle/abort";
import { FakeClock } from "#foundation/testing/fake-clock";
import { memoryLogger } from "#foundation/testing/memory-logger";
import type { Completion } from "#session";
import { actionFor, canonicalKey, keymap } from "../state/keymap.ts";
import { createDecoder } from "../terminal/decode-input.ts";
import { Completer } from "./completion.ts";
import { droppedPath, looksDropped } from "./dropped-path.ts";
import { editOutside } from "./external-editor.ts";
import { substituteCommands } from "./inline-shell.ts";
import type { TerminalInput } from "./key-event.ts";

async function decode(...chunks: readonly string[]): Promise<TerminalInput[]> {
  const inputs: TerminalInput[] = [];
  using decoder = await createDecoder((input) => inputs.push(input));
  for (const chunk of chunks) decoder.feed(chunk);
  return inputs;
}
const namesOf = (inputs: readonly TerminalInput[]): string[] =>
  inputs.map((input) => {
    if (input.kind === "key") return input.event.key;
    return input.kind === "paste" ? `paste:${input.text}` : `background:${input.background}`;
  });

describe("keys", () => {
  it.each([
    ["\r", "enter"],
    ["\n", "ctrl+j"],
    ["\x1b\r", "alt+enter"],
    ["\x1bOP", "f1"],
    ["\x1bx", "alt+x"],
    ["\x1b]11;rgb:ffff/fafa/f0f0\x07", "background:light"],
    ["\x1b]11;rgb:1e/1e/2e\x1b\\", "background:dark"],
    ["\x1b[13;2u", "shift+enter"],
    ["\x03", "ctrl+c"],
    ["\x1b[99;5u", "ctrl+c"],
    ["\x1b[27;5;99~", "ctrl+c"],
    ["\x1b[A", "up"],
    ["\x1bOQ", "f2"],
    ["\x1b[1;5C", "ctrl+right"],
    ["\x7f", "backspace"],
    ["\x1bb", "alt+b"],
    ["\x1bf", "alt+f"],
    ["\x1bv", "alt+v"],
    ["\x1b[Z", "shift+tab"],
    ["é", "é"],
    ["😀", "😀"],
  ])("%j is %s [20:R10.18]", async (bytes, name) => expect(namesOf(await decode(bytes))).toEqual([name]));

  it("come one by one out of one read, also when it ends in mid-sequence [20:R10.18]", async () => {
    expect(namesOf(await decode("ab\x1b[", "A"))).toEqual(["a", "b", "up"]);
  });

  it("in brackets are a paste, and so is a burst without them [20:R10.22]", async () => {
    expect(namesOf(await decode("\x1b[200~x\ny\x1b[201~z"))).toEqual(["paste:x\ny", "z"]);
    expect(namesOf(await decode("1\r2\r3\r4\r5"))).toEqual(["paste:1\r2\r3\r4\r5"]);
  });

  it("of a paste that takes many reads are one paste, in their order, wherever the reads end [20:R10.22]", async () => {
    const lines = Array.from({ length: 2_000 }, (_, index) => `${index} pasted`).join("\r");
    const sent = `a\x1b[200~${lines}\x1b[201~1\r`;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 5_000 })), { maxLength: 30 }),
        async (sizes) => {
          const chunks: string[] = [];
          let at = 0;
          for (const size of sizes) {
            chunks.push(sent.slice(at, at + size));
            at += size;
          }
          chunks.push(sent.slice(at));
          const got = namesOf(await decode(...chunks.filter((chunk) => chunk !== "")));
          expect(got).toEqual(["a", `paste:${lines}`, "1", "enter"]);
        },
      ),
      { numRuns: 200 },
    );
    expect(namesOf(await decode("\x1b", "[200~1\r2\r3\r4\r5\r", "6\x1b[201~"))).toEqual(["paste:1\r2\r3\r4\r5\r6"]);
    expect(namesOf(await decode("\x1b[20", "0~1\r2\r3\r4\r5\r", "6\r7\r8\r9\r\x1b[2", "01~"))).toEqual([
      "paste:1\r2\r3\r4\r5\r6\r7\r8\r9\r",
    ]);
  });

  it("are bound once each, and say what they do [20:R10.18]", () => {
    const all = keymap.flatMap((binding) => binding.keys);
    expect(new Set(all).size).toBe(all.length);
    expect(keymap.every((binding) => binding.about !== "")).toBe(true);
    expect(actionFor({ key: "ctrl+b", text: undefined }, "ctrl+b")).toEqual({ type: "record" });
    expect(actionFor({ key: "x", text: "x" }, "ctrl+b")).toEqual({ type: "insert", text: "x" });
    expect(["Escape-Enter", "C-x", "Ctrl-B", "Return"].map(canonicalKey)).toEqual([
      "alt+enter",
      "ctrl+x",
      "ctrl+b",
      "enter",
    ]);
  });
});

describe("completion", () => {
  const item: Completion = { from: 0, text: "/x", label: "/x", detail: "" };

  it("asks once, after a pause of 60 ms, for the last line [20:R10.21]", async () => {
    const clock = new FakeClock();
    const asked: string[] = [];
    const got: string[] = [];
    using completer = new Completer({
      clock,
      log: silentLogger,
      complete: async (line) => {
        asked.push(line);
        return [item];
      },
      onItems: (line) => got.push(line),
    });
    completer.update("/m");
    await clock.advance(59);
    completer.update("/mo");
    await clock.advance(59);
    expect(asked).toEqual([]);
    await clock.advance(1);
    expect(asked).toEqual(["/mo"]);
    expect(got).toEqual(["/mo"]);
  });

  it("drops answers to an old question, and reports a failure to the log only [20:R10.21]", async () => {
    const clock = new FakeClock();
    const log = memoryLogger();
    const got: string[] = [];
    using completer = new Completer({
      clock,
      log,
      complete: async () => {
        throw new Error("no list");
      },
      onItems: (line) => got.push(line),
    });
    completer.update("/m");
    await clock.advance(60);
    completer.update(undefined);
    await clock.advance(60);
    expect(got).toEqual([]);
    expect(log.lines).toHaveLength(1);
  });
});

describe("dragged files", () => {
  it.each([
    ["'/a b/c.png'", "/a b/c.png"],
    ["/a\\ b/c.PNG", "/a b/c.PNG"],
    ["file:///a%20b/c.jpg", "/a b/c.jpg"],
    ["~/c.webp", "~/c.webp"],
    ["C:\\pics\\c.gif", "C:\\pics\\c.gif"],
    ["file:///C:/pics/c.gif", "C:/pics/c.gif"],
  ])("%s is the image %s [20:R10.23]", (text, path) => {
    expect(droppedPath(text)).toBe(path);
    expect(looksDropped(text)).toBe(true);
  });

  it.each(["hello", "look at /a.png please", "/etc/passwd", "a.png\nb.png", "file://%E0%A4%A"])(
    "%j is text [20:R10.23]",
    (text) => expect(looksDropped(text)).toBe(false),
  );
});

describe("inline commands", () => {
  it("are replaced by what they print, in order [20:R10.26]", async () => {
    const run = async (command: string) => ({ kind: "ended", output: `<${command}>\n`, exitCode: 0 }) as const;
    expect(await substituteCommands("a {!x} b {!y z} {c}", run)).toBe("a <x> b <y z> {c}");
  });

  it("say in the message when they failed, and keep it back when they did not end [20:R10.26]", async () => {
    const failed = async () => ({ kind: "ended", output: "half\n", exitCode: 2 }) as const;
    expect(await substituteCommands("a {!x} b", failed)).toBe("a half\n[exit 2] b");
    const refused = async () => ({ kind: "refused", why: "it never runs here" }) as const;
    await expect(substituteCommands("a {!x} b", refused)).rejects.toThrow(
      "Not sent, because of {!x}: it never runs here",
    );
  });
});

describe("the external editor", () => {
  it("gets the draft as a markdown file and gives the text back [20:R10.18]", async () => {
    const folder = await mkdtemp(join(tmpdir(), "hermes-editor-"));
    try {
      const script = join(folder, "edit.mjs");
      await writeFile(
        script,
        'import fs from "node:fs"; const f = process.argv[2]; if (!f.endsWith(".md")) process.exit(3); fs.appendFileSync(f, " edited\\n");',
      );
      const env = { EDITOR: `${process.execPath} ${script}`, PATH: process.env["PATH"] };
      expect(await editOutside("draft", env, never)).toBe("draft edited");
      await expect(editOutside("x", { EDITOR: "/no/such/editor" }, never)).rejects.toThrow("could not be started");
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
