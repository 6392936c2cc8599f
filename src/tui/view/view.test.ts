import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defaultTuiSettings } from "../settings.ts";
import { sessionInfo } from "../testing/fake-session.ts";
import { diffRows } from "../text/diff.ts";
import { Highlighter } from "../text/highlight.ts";
import { type MarkdownLook, markdownRows } from "../text/markdown.ts";
import { markdownLexer } from "../text/markdown-lexer.ts";
import { lineWidth, plainText } from "../text/styled.ts";
import { wrapLine } from "../text/wrap.ts";
import { defaultSkin } from "../theme/index.ts";
import { bannerRows } from "./banner.ts";
import { itemRows, type Look } from "./item-rows.ts";

const look: MarkdownLook = { mode: "render", lexer: markdownLexer(), highlight: () => undefined };
const rendered = (text: string, columns = 60, more: Partial<MarkdownLook> = {}): string[] =>
  markdownRows(text, columns, { ...look, ...more }).map((row) => plainText(row).trimEnd());

describe("wrapping", () => {
  it("breaks at spaces, between wide characters, and inside what is too long [20:R10.3]", () => {
    const rows = (text: string, width: number) => wrapLine(text, width).map(plainText);
    expect(rows("one two three", 7)).toEqual(["one two", "three"]);
    expect(rows("日本語テスト", 5)).toEqual(["日本", "語テ", "スト"]);
    expect(rows("abcdefghij k", 4)).toEqual(["abcd", "efgh", "ij k"]);
    expect(wrapLine([{ text: "bo", style: "strong" }, { text: "ld word" }], 5).map(plainText)).toEqual([
      "bold",
      "word",
    ]);
  });

  it("loses nothing but spaces and never exceeds the width [20:R10.3]", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 80 }), fc.integer({ min: 2, max: 30 }), (text, width) => {
        const clean = text.replace(/[\n\t]/g, " ");
        const rows = wrapLine(clean, width);
        for (const row of rows) expect(lineWidth(row)).toBeLessThanOrEqual(width);
        expect(rows.map(plainText).join("").replace(/ /g, "")).toBe(clean.replace(/ /g, ""));
      }),
    );
  });
});

describe("markdown", () => {
  it("leaves formulas as they were written, and prices alone", () => {
    expect(rendered("So \\(x\\,dx_1 * a * b\\) and $a*b*c\\,d$ and \\[\\int x\\,dx\\] or x\\,dx", 90)).toEqual([
      "So \\(x\\,dx_1 * a * b\\) and $a*b*c\\,d$ and \\[\\int x\\,dx\\] or x\\,dx",
    ]);
    expect(rendered("$$\n\\sum_{i} *a* \\, b\n$$")).toEqual(["$$", "\\sum_{i} *a* \\, b", "$$"]);
    expect(rendered("It is $5 or *only* $6 with \\*stars\\*.")).toEqual(["It is $5 or only $6 with *stars*."]);
  });

  it("draws code of a list item in the item, with no empty row around it", () => {
    expect(rendered("1. First\n   ```js\n   a();\n     b();\n   ```\n2. Second\n\n   ```\n   c();\n   ```")).toEqual([
      "1. First",
      "     a();",
      "       b();",
      "2. Second",
      "     c();",
    ]);
  });

  it("shows character references as characters, and no control characters by them", () => {
    expect(rendered("&copy; 2026 &rarr; &#169; &#xA9; &mdash; &nosuch; a &amp; b")).toEqual([
      "© 2026 → © © — &nosuch; a & b",
    ]);
    expect(rendered("x&#27;[2Jy &#x9b;z &#xd800;")).toEqual(["x&#27;[2Jy &#x9b;z &#xd800;"]);
  });

  it("draws blocks and inline styles [20:R10.7]", () => {
    expect(rendered("# Title\n\nText with **bold** and `code` and [a link](https://x.example).")).toEqual([
      "Title",
      "",
      "Text with bold and code and a link (https://x.example).",
    ]);
    expect(rendered("1. one\n2. two\n   - deep\n\n> quoted\n\n- [x] done")).toEqual([
      "1. one",
      "2. two",
      "   • deep",
      "",
      "│ quoted",
      "☑ done",
    ]);
    expect(rendered("| a | long head |\n|---|---|\n| 1 | 2 |")).toEqual(["a │ long head", "──┼──────────", "1 │ 2"]);
    expect(rendered("```\n  keep  this\n```")).toEqual(["    keep  this"]);
  });

  it("aligns the columns of a table as it asks, and shows no header that says nothing [20:R10.7]", () => {
    const aligned = "| name | size | mark |\n|:--|--:|:-:|\n| a | 1 | x |\n| b | 100 | yes |";
    expect(rendered(aligned)).toEqual([
      "name │ size │ mark",
      "─────┼──────┼─────",
      "a    │    1 │  x",
      "b    │  100 │ yes",
    ]);
    expect(rendered("| | |\n|---|---|\n| a | 1 |")).toEqual(["a │ 1"]);
  });

  it("can be stripped or left raw [20:R10.7]", () => {
    const source = "**a** `b`";
    const stripped = markdownRows(source, 40, { ...look, mode: "strip" });
    expect(stripped.map(plainText)).toEqual(["a b"]);
    expect(stripped.flat().every((span) => span.style === undefined)).toBe(true);
    expect(rendered(source, 40, { mode: "raw" })).toEqual([source]);
    expect(rendered(source, 40, { lexer: undefined })).toEqual([source]);
  });

  it("never exceeds the width nor throws, whatever a model writes [20:R10.7]", () => {
    const piece = fc.constantFrom(
      "# ",
      "- ",
      "1. ",
      "| a | b |\n|--|--|\n",
      "**",
      "`",
      "```",
      "> ",
      "\n",
      "日本",
      "word ",
      "[x](y)",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 25 }), fc.integer({ min: 20, max: 60 }), (pieces, columns) => {
        for (const row of markdownRows(pieces.join(""), columns, look)) {
          expect(lineWidth(row)).toBeLessThanOrEqual(columns + 12);
        }
      }),
    );
  });
});

describe("code", () => {
  it("gets its colours once its language is loaded [20:R10.7]", async () => {
    const loaded = await new Promise<Highlighter>((resolve) => {
      const one: Highlighter = new Highlighter(() => resolve(one));
      expect(one.highlight("ts", "const a = 1;")).toBeUndefined();
      expect(one.isLoading("ts")).toBe(true);
    });
    expect(loaded.isLoading("ts")).toBe(false);
    const rows = loaded.highlight("ts", 'const a = "<b>&";\n// note') ?? [];
    expect(rows.map(plainText)).toEqual(['const a = "<b>&";', "// note"]);
    expect(rows[0]?.[0]).toEqual({ text: "const", style: "code-keyword" });
    expect(rows[1]?.[0]?.style).toBe("code-comment");
    expect(loaded.isLoading("klingon")).toBe(false);
    expect(loaded.highlight("klingon", "x")).toBeUndefined();
  });
});

describe("diffs", () => {
  it("are bounded to 80 lines and 6 files [20:R10.11]", () => {
    const long = `--- a/x\n+++ b/x\n${Array.from({ length: 100 }, (_, index) => `+${index}`).join("\n")}`;
    const rows = diffRows(long, 40).map(plainText);
    expect(rows).toHaveLength(81);
    expect(rows.at(-1)).toBe("  … 21 more lines of changes");
    const many = Array.from({ length: 9 }, (_, index) => `--- a/f${index}\n+++ b/f${index}\n+x`).join("\n");
    expect(
      diffRows(many, 40)
        .map(plainText)
        .filter((row) => /^ {2}f\d/.test(row)),
    ).toHaveLength(6);
  });
});

describe("the banner", () => {
  const facts = { columns: 100, rows: 60, skin: defaultSkin, settings: { isCompact: false } };

  it("tells model, folder, session, tools and skills, and what cannot be used [20:R10.4] [20:R10.5]", () => {
    const info = sessionInfo({
      contextWindow: 8_000,
      toolsets: [{ name: "web", tools: ["web_search"], unavailable: [{ name: "web_extract", reason: "no key" }] }],
    });
    const banner = {
      version: "1.2.3",
      cwd: "/here",
      profile: "work",
      mcpServers: [{ name: "github", state: "starting" as const }],
      skillCategories: [{ name: "dev", count: 2 }],
      warnings: ["config.yaml: unknown key"],
      updateNotice: "1.3.0 is out",
      tip: "Ctrl-G opens your editor.",
    };
    const rows = bannerRows(info, { ...facts, banner });
    const text = rows.map(plainText).join("\n");
    for (const part of ["1.2.3", "claude-sonnet", "8K context", "/here", "work", "20260101", "web_search", "github"]) {
      expect(text).toContain(part);
    }
    expect(text).toContain("3: dev (2)");
    expect(text).toContain("only 8,000 tokens");
    expect(text).toContain("config.yaml: unknown key");
    expect(text).toContain("1 tool is not set up; /tools list says why: web_extract");
    expect(text).toContain("1.3.0 is out");
    expect(text).toContain("💡 Ctrl-G opens your editor.");
    expect(rows.flat().find((span) => span.text === "web_extract")?.style).toBe("error");
    expect(rows.flat().find((span) => span.text === "github")?.style).toBe("warn");
    for (const row of rows) expect(lineWidth(row)).toBeLessThanOrEqual(100);
  });

  it("marks a list of tools that is cut, and shows a tip whole [20:R10.4]", () => {
    const tools = Array.from({ length: 30 }, (_, index) => `browser_tool_${index}`);
    const info = sessionInfo({ toolsets: [{ name: "browser", tools, unavailable: [] }] });
    const tip = `${"a long tip ".repeat(12)}with an end`;
    const rows = bannerRows(info, { ...facts, banner: { version: "1", cwd: "/here", tip } }).map(plainText);
    expect(rows.filter((row) => row.trimEnd().endsWith(" …"))).toHaveLength(1);
    expect(rows.join("\n")).toContain("with an end");
    for (const row of rows) expect(row.length).toBeLessThanOrEqual(100);
  });

  it("is compact below 80 columns [20:R10.2]", () => {
    const rows = bannerRows(sessionInfo(), { ...facts, columns: 70, banner: { version: "1", cwd: "/here" } });
    expect(rows.map(plainText).join("\n")).not.toContain("╭");
    expect(rows.length).toBeLessThanOrEqual(6);
  });

  it("is at most six rows on a screen of 24, with model, folder and things to try [20:R10.4]", () => {
    const banner = { version: "1", cwd: "/here", branch: "main" };
    const demo = sessionInfo({ isDemo: true });
    const rows = bannerRows(demo, { ...facts, columns: 80, rows: 24, banner }).map(plainText);
    expect(rows).toHaveLength(6);
    expect(rows.join("\n")).toMatch(/Hermes 1[\s\S]*claude-sonnet[\s\S]*\/connect[\s\S]*\/here ⎇ main[\s\S]*Try: /);
  });

  it("offers ways to a real model, and says what one is talking to meanwhile", () => {
    const offers = ["/connect  Ollama: 3 models", "/connect  a provider, with a key or a login"];
    const banner = { version: "1", cwd: "/here", offers };
    const rows = bannerRows(sessionInfo({ isDemo: true }), { ...facts, columns: 80, rows: 24, banner }).map(plainText);
    const shown = rows.map((row) => row.trimEnd());
    expect(shown[1]).toContain("built-in demo, offline");
    expect(shown.slice(2, 4)).toEqual(offers);
    expect(
      bannerRows(sessionInfo(), { ...facts, columns: 80, rows: 24, banner })
        .map(plainText)
        .join(),
    ).not.toContain("/connect");
  });
});

describe("resuming", () => {
  const drawn: Look = {
    ...look,
    columns: 80,
    rows: 24,
    settings: defaultTuiSettings,
    skin: defaultSkin,
    banner: { version: "1", cwd: "/" },
  };
  const history = Array.from({ length: 12 }, (_, index) => [
    { role: "user" as const, content: `question ${index} ${"x".repeat(400)}` },
    { role: "assistant" as const, content: `answer ${index} ${"y".repeat(400)}` },
  ]).flat();

  it("a long title of a table is wrapped, never cut", () => {
    const title = "Checkpoints, newest first. /rollback n goes back to one; /rollback diff n compares.";
    const view = { kind: "table", title, columns: ["A"], rows: [["b"]] } as const;
    const rows = itemRows({ kind: "view", view }, { ...drawn, columns: 40 }).map((row) => plainText(row).trimEnd());
    expect(rows.slice(0, -3).join(" ")).toBe(title);
  });

  it("shows the last ten exchanges, shortened, the last answer whole [20:R10.39]", () => {
    const text = itemRows({ kind: "resume", history, isMinimal: false }, drawn).map(plainText).join("\n");
    expect(text).toContain("… 4 earlier messages …");
    expect(text).not.toContain("question 1 ");
    expect(text).toContain("● question 2");
    expect(text.match(/y/g)?.length).toBeGreaterThan(400);
  });

  it("is one line when asked to be brief [20:R10.39]", () => {
    const rows = itemRows({ kind: "resume", history, isMinimal: true }, drawn);
    expect(rows.map(plainText)).toEqual(["↻ Resumed: 24 messages, 12 of them yours."]);
  });

  it("names tool calls [20:R10.39]", () => {
    const calls = [{ id: "1", type: "function" as const, function: { name: "terminal", arguments: "{}" } }];
    const rows = itemRows(
      { kind: "resume", history: [{ role: "assistant", content: "", tool_calls: calls }], isMinimal: false },
      drawn,
    );
    expect(rows.map(plainText).join("\n")).toContain("[1 tool call: terminal]");
  });
});
