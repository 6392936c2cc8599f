import { describe, expect, it } from "vitest";
import { processorMs } from "#foundation/testing/growth";
import { guardCategories } from "./finding.ts";
import { guardRules } from "./rules.ts";
import { scanTree } from "./scan.ts";
import { treeOfFiles } from "./skill-tree.ts";

describe("the patterns of the guard", () => {
  it.each(guardRules.map((rule) => [rule.id, rule] as const))(
    "[10:SKILL-10] %s finds its example",
    async (id, rule) => {
      expect(rule.pattern.test(rule.example)).toBe(true);
      const files = new Map([
        ["SKILL.md", new TextEncoder().encode(`---\nname: x\ndescription: y\n---\n${rule.example}\n`)],
      ]);
      const { findings, verdict } = await scanTree(treeOfFiles(files));
      expect(findings.map((one) => one.id)).toContain(id);
      expect(verdict === "dangerous").toBe(findings.some((one) => one.severity === "critical"));
    },
  );

  it("[10:SKILL-10] about 120 or more in twelve categories, with unique names and no state", () => {
    expect(guardRules.length).toBeGreaterThanOrEqual(120);
    expect(new Set(guardRules.map((rule) => rule.id)).size).toBe(guardRules.length);
    expect(new Set(guardRules.map((rule) => rule.category))).toEqual(new Set(guardCategories));
    expect(guardRules.filter((rule) => rule.pattern.global || rule.pattern.sticky)).toEqual([]);
  });

  it.each([
    "Use `git push --force-with-lease` after a rebase.",
    "Read the README.md and ask the user which database they mean.",
    "rm -rf build/ dist/",
    "The password field must not be empty.",
    "curl -fsS https://api.example.org/v1/items?limit=5",
    "Set API_KEY in the environment before you start.",
    "Evaluate the result; executable files go to bin/.",
    "You are now ready to deploy.",
    "See ../other/file.md and ../../README.md",
    "pip install requests==2.32.3",
    "commit 3f786850e387550fdabf6d2c3a7b8f4e6c1d2e3f",
  ])("harmless: %s", async (line) => {
    const files = new Map([["SKILL.md", new TextEncoder().encode(`---\nname: x\ndescription: y\n---\n${line}\n`)]]);
    expect((await scanTree(treeOfFiles(files))).verdict).toBe("safe");
  });

  it("every pattern is quick on text made to slow it down", () => {
    const pieces = ["a", "curl ", "../", "\\x41", "rm -r -r -r ", "aB3/", "sk-", "git clone x && cd y && "];
    for (const rule of guardRules)
      for (const piece of pieces)
        expect(
          processorMs(() => rule.pattern.test(piece.repeat(2_000 / piece.length))),
          rule.id,
        ).toBeLessThan(250);
  });
});
