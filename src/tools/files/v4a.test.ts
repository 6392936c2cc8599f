import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planPatch } from "./v4a-apply.ts";
import { parsePatch } from "./v4a-parse.ts";

async function apply(patch: string, files: Record<string, string>) {
  const parsed = parsePatch(patch);
  if (parsed.kind === "invalid") return parsed.message;
  const planned = await planPatch(parsed.operations, (path) => Promise.resolve(files[path]));
  return planned.kind === "plan" ? Object.fromEntries(planned.plan.files) : planned.problems;
}

describe("a V4A patch", () => {
  it("updates, adds, deletes and moves files", async () => {
    const patch = [
      "*** Begin Patch",
      "*** Update File: a.txt",
      "@@ one @@",
      " one",
      "-two",
      "+TWO",
      " three",
      "*** Add File: new.txt",
      "+hello",
      "+world",
      "*** Delete File: old.txt",
      "*** Move File: from.txt -> to.txt",
      "*** End Patch",
    ].join("\n");
    expect(await apply(patch, { "a.txt": "one\ntwo\nthree\n", "old.txt": "x", "from.txt": "y" })).toEqual({
      "a.txt": "one\nTWO\nthree\n",
      "new.txt": "hello\nworld\n",
      "old.txt": undefined,
      "from.txt": undefined,
      "to.txt": "y",
    });
  });

  it("accepts an empty context line and headers without spacing", async () => {
    const patch = "***Update File: a\n@@\n one\n\n-three\n+3\n";
    expect(await apply(patch, { a: "one\n\nthree\n" })).toEqual({ a: "one\n\n3\n" });
  });

  it("renames and edits in one operation", async () => {
    const patch = "*** Update File: a\n*** Move to: b\n@@\n-x\n+y\n";
    expect(await apply(patch, { a: "x\n" })).toEqual({ a: undefined, b: "y\n" });
  });

  it("sees what its earlier operations did", async () => {
    const patch = "*** Add File: n\n+one\n*** Update File: n\n@@\n-one\n+two\n*** Move File: n -> m\n";
    expect(await apply(patch, {})).toEqual({ n: undefined, m: "two\n" });
  });

  it("finds an ambiguous place by its hint", async () => {
    const block = (name: string) => `def ${name}():\n    x = 1\n    return x\n\n`;
    const content = `${block("first")}${"#\n".repeat(1_500)}${block("second")}`;
    const patched = (await apply("*** Update File: a\n@@ def second @@\n-    x = 1\n+    x = 2\n", {
      a: content,
    })) as Record<string, string>;
    expect(patched["a"]).toBe(content.replace(/(second\(\):\n {4}x = )1/, "$12"));
  });

  it("inserts behind a unique hint, or at the end without one", async () => {
    expect(await apply("*** Update File: a\n@@ two @@\n+2.5\n", { a: "one\ntwo\nthree\n" })).toEqual({
      a: "one\ntwo\n2.5\nthree\n",
    });
    expect(await apply("*** Update File: a\n@@\n+end\n", { a: "one" })).toEqual({ a: "one\nend\n" });
    expect(await apply("*** Update File: a\n@@ x @@\n+y\n", { a: "x x\n" })).toEqual([
      expect.stringContaining("more than once"),
    ]);
  });

  it("keeps CRLF", async () => {
    expect(await apply("*** Update File: a\n@@\n one\n-two\n+2\n", { a: "one\r\ntwo\r\n" })).toEqual({
      a: "one\r\n2\r\n",
    });
  });

  it("names every problem and plans nothing when one hunk is wrong", async () => {
    const patch = [
      "*** Update File: good",
      "@@",
      "-a",
      "+b",
      "*** Update File: bad",
      "@@",
      "-nowhere to be found in here",
      "+x",
      "*** Add File: there",
      "+x",
      "*** Delete File: gone",
      "*** Move File: good -> there",
    ].join("\n");
    expect(await apply(patch, { good: "a\n", bad: "something else\n", there: "z" })).toEqual([
      expect.stringMatching(/^bad: hunk 1: its lines were not found/),
      "there: it exists already",
      "gone: there is no such file",
      "good: cannot move to there, which exists",
    ]);
  });

  it.each([
    ["", "no "],
    ["hello", "before the first file header"],
    ["*** Update File: a\n@@\n same\n", "changes nothing"],
    ["*** Move File: a\n", "old -> new"],
  ])("%j is refused with words", async (patch, message) => {
    expect(await apply(patch, { a: "same\n" })).toContain(message);
  });

  it("made from any edit of a file gives that edit", async () => {
    const line = fc.stringMatching(/^[a-z0-9 ]{0,12}$/);
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(line, { minLength: 3, maxLength: 20 }),
        fc.nat(),
        line,
        async (lines, at, put) => {
          const index = at % lines.length;
          fc.pre(put !== lines[index] && !lines.includes(put));
          const patch = [
            "*** Update File: f",
            "@@",
            ...lines.slice(0, index).map((one) => ` ${one}`),
            `-${lines[index]}`,
            `+${put}`,
            ...lines.slice(index + 1).map((one) => ` ${one}`),
          ].join("\n");
          expect(await apply(patch, { f: `${lines.join("\n")}\n` })).toEqual({
            f: `${lines.with(index, put).join("\n")}\n`,
          });
        },
      ),
    );
  });
});
