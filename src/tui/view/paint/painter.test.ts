import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defined } from "#foundation/defined";
import { displayWidth } from "#foundation/text/width";
import { TerminalScreen } from "../../testing/terminal-screen.ts";
import { cutText, type Line } from "../../text/styled.ts";
import type { SgrOf } from "./painted-line.ts";
import { Painter } from "./painter.ts";

const plain: SgrOf = () => "";
const colours: SgrOf = (style) => (style === undefined ? "" : `\x1b[3${style}m`);
const lines = (...rows: readonly string[]): Line[] => rows.map((text) => [{ text }]);

function setUp(columns = 40, rows = 12) {
  const screen = new TerminalScreen({ columns, rows });
  const painter = new Painter((text) => screen.write(text));
  const paint = async (printed: readonly Line[], live: readonly Line[], sgr = plain) => {
    painter.paint(
      { printed, live, cursor: { row: live.length - 1, column: 0 }, columns: screen.columns, rows: screen.rows },
      sgr,
    );
    await screen.settled();
  };
  const shown = () => {
    const all = screen.all();
    while (all.at(-1) === "") all.pop();
    return all;
  };
  return { screen, painter, paint, shown };
}

describe("the painter", () => {
  it("writes finished rows once and keeps the live ones below [20:R10.3]", async () => {
    const { paint, shown, screen } = setUp();
    await paint(lines("one"), lines("live", "status"));
    await paint(lines("two", "three"), lines("live 2", "status"));
    expect(shown()).toEqual(["one", "two", "three", "live 2", "status"]);
    expect(screen.writes.join("").match(/one/g)).toHaveLength(1);
    expect(screen.writes[1]).not.toContain("status");
  });

  it("sends only what differs in a row [20:R10.3]", async () => {
    const { paint, screen } = setUp();
    await paint([], lines("a fairly long row", "12:00:01 ok", "input"));
    await paint([], lines("a fairly long row", "12:00:02 ok", "input"));
    expect(screen.writes.at(-1)).toBe("\x1b[A\x1b[8G2\x1b[B\r");
  });

  it("costs nothing when a live row becomes finished as it is", async () => {
    const { paint, screen, shown } = setUp();
    await paint([], lines("answer", "", "status"));
    const before = screen.bytes;
    await paint(lines("answer"), lines("next", "", "status"));
    expect(shown()).toEqual(["answer", "next", "", "status"]);
    expect(screen.bytes - before).toBeLessThan(40);
  });

  it("scrolls a long transcript into the scrollback whole", async () => {
    const { paint, shown } = setUp(40, 10);
    const rows = Array.from({ length: 95 }, (_, index) => `row ${index}`);
    for (let at = 0; at < rows.length; at += 19)
      await paint(lines(...rows.slice(at, at + 19)), lines("live", "status"));
    expect(shown()).toEqual([...rows, "live", "status"]);
  });

  it("shows after any sequence of frames what the last one says, above it what was finished [20:R10.3]", async () => {
    const word = fc.constantFrom("a", "bb", "hello world", "日本語", "👩‍👧 x", "✍️ w", "é", "", "0123456789 and more");
    const row = fc.array(fc.tuple(word, fc.constantFrom(undefined, "1", "2")), { maxLength: 3 });
    const toLine = (spans: readonly (readonly [string, string | undefined])[]): Line =>
      spans.map(([text, style]) => ({ text: cutText(text, 12), ...defined({ style }) }));
    const frame = fc.record({
      printed: fc.array(row, { maxLength: 4 }),
      live: fc.array(row, { minLength: 1, maxLength: 7 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(frame, { minLength: 1, maxLength: 8 }), async (frames) => {
        const { paint, shown } = setUp(40, 8);
        const finished: string[] = [];
        const read = (line: Line): string => line.map((span) => span.text).join("");
        for (const { printed, live } of frames) {
          await paint(printed.map(toLine), live.map(toLine), colours);
          finished.push(...printed.map((one) => read(toLine(one))));
        }
        const last = frames.at(-1)?.live.map((one) => read(toLine(one))) ?? [];
        const expected = [...finished, ...last].map((text) => text.trimEnd());
        while (expected.at(-1) === "") expected.pop();
        expect(shown().map((text) => text.trimEnd())).toEqual(expected);
      }),
      { numRuns: 150 },
    );
  });

  it("starts anew below what was there when the width changes [20:R10.3]", async () => {
    const { paint, screen, shown } = setUp(40, 12);
    await paint(lines("done"), lines("─".repeat(40), "input", "─".repeat(40)));
    screen.resize(25, 12);
    await paint([], lines("─".repeat(25), "input", "─".repeat(25)));
    expect(shown()).toEqual(["done", "─".repeat(25), "input", "─".repeat(25)]);
  });

  it("lets no control character through", async () => {
    const { paint, screen } = setUp();
    await paint([], [[{ text: "a\x1b[31mb\x07c\r\nd\u009b2Je" }]]);
    expect(screen.visible()[0]).toBe("a[31mbcd2Je");
    expect(displayWidth("a[31mbcd2Je")).toBe(11);
  });
});
