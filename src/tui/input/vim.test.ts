import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { graphemes } from "#foundation/text/text";
import { bufferOf } from "./buffer.ts";
import { toNormal, type VimStep, vimKey } from "./vim.ts";

/** `|` is the cursor, which stands on the character behind it. */
function start(text: string, register = ""): VimStep {
  return {
    buffer: bufferOf(text.replace("|", ""), text.indexOf("|")),
    register,
    vim: { isNormal: true, pending: "" },
  };
}

function shown({ buffer: { text, cursor }, vim }: VimStep): string {
  return `${text.slice(0, cursor)}|${text.slice(cursor)}${vim.isNormal ? "" : " (insert)"}`;
}

const typing = (text: string, keys: string, register = ""): VimStep => [...keys].reduce(vimKey, start(text, register));

describe("normal mode", () => {
  it.each([
    ["one |two", "h", "one| two"],
    ["|one two", "l", "o|ne two"],
    ["|one two", "w", "one |two"],
    ["|one two three", "2w", "one two |three"],
    ["|f(x) y", "w", "f|(x) y"],
    ["one tw|o", "b", "one |two"],
    ["|one two", "e", "on|e two"],
    ["on|e two", "e", "one tw|o"],
    ["  one |two", "0", "|  one two"],
    ["  one |two", "^", "  |one two"],
    ["|one two", "$", "one tw|o"],
    ["one\nt|wo\nthree", "gg", "|one\ntwo\nthree"],
    ["|one\ntwo\nthree", "G", "one\ntwo\n|three"],
    ["|👩‍👩‍👧 é", "l", "👩‍👩‍👧| é"],
  ])("moves: %j %s gives %j", (text, keys, expected) => {
    expect(shown(typing(text, keys))).toBe(expected);
  });

  it.each([
    ["o|ne", "x", "o|e", "n"],
    ["o|ne two", "3x", "o|two", "ne "],
    ["on|e", "X", "o|e", "n"],
    ["|one two three", "dw", "|two three", "one "],
    ["|one two three", "d2w", "|three", "one two "],
    ["|one two three", "2dw", "|three", "one two "],
    ["one |two three", "de", "one | three", "two"],
    ["one |two", "db", "|two", "one "],
    ["one |two", "d$", "one| ", "two"],
    ["one |two", "D", "one| ", "two"],
    ["one |two", "d0", "|two", "one "],
    ["one t|wo three", "diw", "one | three", "two"],
    ["one\nt|wo\nthree", "dd", "one\n|three", "two\n"],
    ["one\nt|wo", "dd", "|one", "two\n"],
    ["o|ne", "dd", "|", "one\n"],
    ["|one\ntwo\nthree", "2dd", "|three", "one\ntwo\n"],
    ["|one\ntwo\nthree", "dj", "|three", "one\ntwo\n"],
    ["one\n|two\nthree", "dG", "|one", "two\nthree\n"],
  ])("deletes and keeps: %j %s gives %j", (text, keys, expected, register) => {
    const step = typing(text, keys);
    expect(shown(step)).toBe(expected);
    expect(step.register).toBe(register);
  });

  it.each([
    ["one |two three", "cw", "one | three (insert)"],
    ["one t|wo three", "ciw", "one | three (insert)"],
    ["one |two", "C", "one | (insert)"],
    ["one\nt|wo\nthree", "cc", "one\n|\nthree (insert)"],
    ["o|ne", "s", "o|e (insert)"],
    ["o|ne", "S", "| (insert)"],
    ["on|e", "i", "on|e (insert)"],
    ["on|e", "a", "one| (insert)"],
    ["  on|e", "I", "  |one (insert)"],
    ["o|ne", "A", "one| (insert)"],
    ["o|ne\ntwo", "o", "one\n|\ntwo (insert)"],
    ["one\nt|wo", "O", "one\n|\ntwo (insert)"],
  ])("goes on typing: %j %s gives %j", (text, keys, expected) => {
    expect(shown(typing(text, keys))).toBe(expected);
  });

  it.each([
    ["|ab", "xp", "b|a"],
    ["o|ne\ntwo", "yyp", "one\n|one\ntwo"],
    ["|one two", "yw2P", "one one| one two"],
    ["|one\ntwo", "ddp", "two\n|one"],
    ["one\n|two", "ddP", "|two\none"],
    ["|one", "rx", "|xne"],
    ["|one", "3rx", "xx|x"],
    ["|one", "9rx", "|one"],
    ["|one", "2~", "ON|e"],
  ])("puts, replaces and turns: %j %s gives %j", (text, keys, expected) => {
    expect(shown(typing(text, keys))).toBe(expected);
  });

  it("waits for the rest of a command, and forgets what is none", () => {
    expect(typing("|one two", "2d").vim.pending).toBe("2d");
    expect(shown(typing("|one two", "dzx"))).toBe("|ne two");
    expect(shown(typing("|one two", "qx"))).toBe("|ne two");
  });

  it("leaves undo and the rows above and below to the editor", () => {
    expect(typing("|one", "u").outside).toBe("undo");
    expect(typing("|one", "k").outside).toBe("previous");
    expect(typing("|one", "j").outside).toBe("next");
  });

  it("begins on the last character that was typed", () => {
    expect(toNormal(bufferOf("one")).buffer.cursor).toBe(2);
    expect(toNormal(bufferOf("one\n")).buffer.cursor).toBe(4);
    expect(toNormal(bufferOf("")).buffer.cursor).toBe(0);
  });

  it("never leaves the text or stands inside a character, whatever is pressed", () => {
    const keys = fc.array(fc.constantFrom(..."hjkl0^$wbeGgdcyipPxXDCYsSuaIAoO~r123é"), { maxLength: 12 });
    const text = fc.array(fc.constantFrom("a", "B", " ", "\n", "(", "é", "👩‍👩‍👧", "中"), { maxLength: 12 });
    fc.assert(
      fc.property(text, keys, (cells, pressed) => {
        let step = start(`|${cells.join("")}`);
        for (const key of pressed) {
          step = step.vim.isNormal ? vimKey(step, key) : { ...step, ...toNormal(step.buffer) };
          const { text: now, cursor } = step.buffer;
          expect(graphemes(now.slice(0, cursor)).join("") + graphemes(now.slice(cursor)).join("")).toBe(now);
          expect(graphemes(now).length).toBe(
            graphemes(now.slice(0, cursor)).length + graphemes(now.slice(cursor)).length,
          );
          expect(cursor).toBeLessThanOrEqual(now.length);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
