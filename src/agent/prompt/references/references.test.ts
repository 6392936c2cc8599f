import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { localFiles } from "../workspace-files.ts";
import { parseReferences } from "./parse.ts";
import { type ExpandedMessage, expandReferences, type ReferenceDeps } from "./references.ts";

const signal = new AbortController().signal;
let root = "";

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "hermes-references-"));
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}

function expand(
  text: string,
  change: Partial<ReferenceDeps & { windowTokens: number }> = {},
): Promise<ExpandedMessage> {
  return expandReferences(
    text,
    {
      workspace: root,
      home: join(root, "home"),
      files: localFiles,
      refusal: () => Promise.resolve(undefined),
      git: (args) => Promise.resolve({ ok: true, output: `git ${args.join(" ")}` }),
      fetchText: (url) => Promise.resolve({ kind: "text", text: `page at ${url}` }),
      windowTokens: 100_000,
      ...change,
    },
    signal,
  );
}

describe("references in a message [20:R10.25]", () => {
  it("attach a file, or some of its lines, below the message", async () => {
    await put("src/a.ts", "one\ntwo\nthree\nfour\n");
    const whole = await expand("Explain @file:src/a.ts.");
    expect(whole.text).toBe(
      "Explain @file:src/a.ts.\n\n## Attached context\n\n### @file:src/a.ts\n```\none\ntwo\nthree\nfour\n```",
    );
    expect((await expand("@file:src/a.ts:2-3!")).text).toContain("### @file:src/a.ts:2-3\n```\ntwo\nthree\n```");
    expect((await expand("@file:src/a.ts:3")).text).toContain("```\nthree\n```");
    expect((await expand("@file:src/a.ts:90-99")).warnings).toEqual([
      "@file:src/a.ts:90-99 is not attached: it has only 5 lines.",
    ]);
  });

  it("take quoted paths with spaces", async () => {
    await put("my notes.md", "a\nb");
    for (const quote of ['"', "'", "`"]) {
      expect((await expand(`see @file:${quote}my notes.md${quote}, please`)).text).toContain("```\na\nb\n```");
      expect((await expand(`see @file:${quote}my notes.md${quote}:2`)).text).toContain("```\nb\n```");
    }
  });

  it("fence content so that it cannot end its own fence", async () => {
    await put("README.md", "```\ncode\n```");
    expect((await expand("@file:README.md")).text).toContain("````\n```\ncode\n```\n````");
  });

  it("list a folder, at most 200 entries", async () => {
    await put("lib/b/c.ts", "");
    await put("lib/a.ts", "");
    await put("lib/node_modules/x/y.js", "");
    expect((await expand("@folder:lib")).text).toContain("```\nlib/\n  a.ts\n  b/\n    c.ts\n  node_modules/\n```");
    for (let index = 0; index < 210; index += 1) await put(`many/${index}.txt`, "");
    const { text } = await expand("@folder:many");
    expect(text.match(/\.txt$/gm)).toHaveLength(200);
    expect(text).toContain("more than 200 entries");
  });

  it("attach changes and commits, with nothing of the repository's own programs run", async () => {
    const safe = "--no-ext-diff --no-textconv --no-color";
    const { text } = await expand("@diff @staged @git:3");
    expect(text).toContain(`\`\`\`diff\ngit diff ${safe}\n`);
    expect(text).toContain(`git diff ${safe} --staged\n`);
    expect(text).toContain(`git log ${safe} -p -n 3\n`);
    const none = await expand("@diff", { git: () => Promise.resolve({ ok: true, output: "\n" }) });
    expect(none.text).toContain("(no changes)");
    const failed = await expand("@diff", { git: () => Promise.resolve({ ok: false, output: "not a repository\n" }) });
    expect(failed.warnings).toEqual(["@diff is not attached: not a repository."]);
  });

  it("keep the number of commits between 1 and 10", async () => {
    expect((await expand("@git:99")).text).toContain("-n 10");
    expect((await expand("@git:0")).warnings).toEqual(["@git:0 is limited to 1 to 10 commits; 1 attached."]);
    expect((await expand("@git:many")).warnings).toEqual(["@git:many needs a number of commits from 1 to 10."]);
  });

  it("attach a page as text that gives no instructions", async () => {
    const { text } = await expand("read @url:https://example.test/a?b=c.");
    expect(text).toContain('<untrusted-page source="https://example.test/a?b=c"');
    const refused = await expand("@url:https://x.test", {
      fetchText: () => Promise.resolve({ kind: "failed", reason: "private address" }),
    });
    expect(refused.warnings).toEqual(["@url:https://x.test is not attached: private address."]);
    expect((await expand("@url:file:///etc/passwd")).warnings).toHaveLength(1);
  });

  it("stay inside the workspace, also through links", async () => {
    await put("ws/ok.txt", "fine");
    await put("outside.txt", "not yours");
    await symlink(join(root, "outside.txt"), join(root, "ws/link.txt"));
    const workspace = join(root, "ws");
    for (const path of ["../outside.txt", join(root, "outside.txt"), "link.txt"]) {
      const { text, warnings } = await expand(`@file:${path}`, { workspace });
      expect(text).not.toContain("not yours");
      expect(warnings).toEqual([`@file:${path} is not attached: it is outside the workspace.`]);
    }
    expect((await expand("@file:none.txt", { workspace })).warnings).toEqual([
      "@file:none.txt is not attached: not found.",
    ]);
  });

  it("never attach what the wall of the session keeps back, whichever name leads there", async () => {
    await put("keys/id_ed25519", "SECRET");
    await symlink(join(root, "keys/id_ed25519"), join(root, "notes.txt"));
    const asked: string[] = [];
    const refusal = (real: string): Promise<string> => {
      asked.push(real);
      return Promise.resolve("it holds credentials");
    };
    for (const path of ["keys/id_ed25519", "notes.txt", "keys/../keys/id_ed25519"]) {
      const { text, warnings } = await expand(`@file:${path}`, { refusal });
      expect(text).toBe(`@file:${path}`);
      expect(warnings).toEqual([`@file:${path} is not attached: it holds credentials.`]);
    }
    expect(new Set(asked).size).toBe(1);
  });

  it("refuse what is not text", async () => {
    await put("a.png", "x");
    await put("data.bin", "\u0000\u0001\u0002");
    for (const path of ["a.png", "data.bin"])
      expect((await expand(`@file:${path}`)).warnings).toEqual([
        `@file:${path} is not attached: it is not a text file.`,
      ]);
    expect((await expand("@folder:a.png")).warnings).toEqual(["@folder:a.png is not attached: it is not a folder."]);
  });

  it("warn above a quarter of the window and refuse above a half", async () => {
    await put("a.txt", "x".repeat(1_600));
    const large = await expand("@file:a.txt", { windowTokens: 1_000 });
    expect(large.attached).toEqual(["@file:a.txt"]);
    expect(large.warnings[0]).toMatch(/take about 40\d of 1000 tokens/);
    const refused = await expand("@file:a.txt", { windowTokens: 700 });
    expect(refused).toMatchObject({ text: "@file:a.txt", attached: [], attachedTokens: 0 });
    expect(refused.warnings[0]).toContain("more than half of the context window");
  });

  it("turn problems into warnings and attach the rest", async () => {
    await put("a.txt", "A");
    const fetchText = () => Promise.reject(new Error("no network"));
    const { attached, warnings } = await expand("@url:http://x.test @file:a.txt @file:", { fetchText });
    expect(attached).toEqual(["@file:a.txt"]);
    expect(warnings).toEqual(["@url:http://x.test is not attached: no network."]);
  });

  it("stop when the caller gives up", async () => {
    const stopped = new AbortController();
    const fetchText = (): Promise<never> => {
      stopped.abort(new Error("enough"));
      return Promise.reject(new Error("enough"));
    };
    const refusal = () => Promise.resolve(undefined);
    const deps = { workspace: root, files: localFiles, windowTokens: 10, fetchText, refusal };
    const git = () => Promise.resolve({ ok: true, output: "" });
    await expect(expandReferences("@url:http://x.test", { ...deps, git }, stopped.signal)).rejects.toThrow("enough");
  });
});

describe("finding references", () => {
  const rawOf = (text: string): readonly string[] => parseReferences(text).references.map(({ raw }) => raw);

  it("leaves addresses, other words and repetitions alone", () => {
    expect(rawOf("ana@file:x @different @diffs @filed:x a/@file:b x@diff")).toEqual([]);
    expect(rawOf("(see @file:a.ts). @diff, @diff; @staged?")).toEqual(["@file:a.ts", "@diff", "@staged"]);
    expect(rawOf("@url:https://x.test/a_(b) [@folder:src/[id]]")).toEqual([
      "@url:https://x.test/a_(b)",
      "@folder:src/[id]",
    ]);
    expect(parseReferences(`@file:${"x)".repeat(3_000)}`)).toEqual({
      references: [],
      warnings: ["A reference @file: longer than 4000 characters is ignored."],
    });
  });

  it("reads any text without throwing", () => {
    const piece = fc.constantFrom("@file:", "@git:", '"', "'", ":", "1-", "2", "@diff", " ", "\n", "x", ".", "@url:");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        expect(parseReferences(pieces.join("")).references.length).toBeLessThanOrEqual(50);
      }),
    );
  });
});
