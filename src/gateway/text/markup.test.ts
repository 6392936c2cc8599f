import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { htmlStyle, plainStyle, renderMarkdown } from "./markup.ts";

const plain = (text: string) => renderMarkdown(text, plainStyle);
const html = (text: string) => renderMarkdown(text, htmlStyle);

describe("Markdown without its marks", () => {
  it("keeps words, lines and addresses [40:EVT-27]", () => {
    expect(plain("# Title\n\nHello **bold** and *it* and ~~no~~ `a*b`.\n\n- one\n- two\n  - deep\n\n1. a\n2. b")).toBe(
      "Title\n\nHello bold and it and no a*b.\n\n- one\n- two\n  - deep\n\n1. a\n2. b",
    );
    expect(plain("see [docs](https://e.com/a) or https://e.com")).toBe("see docs (https://e.com/a) or https://e.com");
    expect(plain("> quoted\n> more\n\n```ts\nconst a = 1\n```\nend")).toBe("> quoted\n> more\n\nconst a = 1\nend");
  });

  it("leaves text that is no Markdown as it is", () => {
    for (const text of ["5 < 6 & 7 > 3", "a_b_c and 2 * 3 * 4", "C:\\temp\\x", "<b>tag</b>", "x, y"])
      expect(plain(text)).toBe(text);
  });

  it("never fails, whatever it is given [40:EVT-28]", () => {
    fc.assert(fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), (text) => typeof plain(text) === "string"));
  });
});

describe("Markdown as HTML", () => {
  it("has the tags of the marks", () => {
    expect(html("**b** *i* `c<d` [t](https://e.com?a=1&b=2)")).toBe(
      '<strong>b</strong> <em>i</em> <code>c&lt;d</code> <a href="https://e.com?a=1&amp;b=2">t</a>',
    );
    expect(html("| a | b |\n|---|---|\n| 1 | 2 |")).toBe(
      "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>",
    );
  });

  it("holds no tag and no address of the author's own [40:EVT-27]", () => {
    expect(html("[x](javascript:alert(1)) ![y](data:text/html,z) <script>alert(1)</script>")).not.toMatch(
      /javascript:|data:|<script/u,
    );
    const tricky = fc.array(
      fc.constantFrom(
        "<",
        ">",
        '"',
        "'",
        "`",
        "[",
        "](",
        ")",
        "javascript:",
        "onerror=",
        "<img src=x ",
        "*",
        "_",
        "a",
        "\n",
        "|",
        "&lt;",
        "<!--",
        "```",
        "\\",
      ),
      { maxLength: 40 },
    );
    const allowed =
      /<\/?(?:strong|em|del|code|pre|a|h[1-6]|blockquote|table|tr|th|td|br|hr)(?: (?:href="(?:https?|mailto|tel|matrix):[^"<>]*"|class="language-[\w+#.-]+"))?>/gu;
    fc.assert(
      fc.property(tricky, (pieces) => {
        expect(html(pieces.join("")).replace(allowed, "")).not.toMatch(/[<>]/u);
      }),
      { numRuns: 2_000 },
    );
  });
});
