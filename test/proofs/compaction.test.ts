import fs from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { proveCompaction, type SummariserMode } from "./compaction.ts";
import { summarizeByRule } from "./rule-summarizer.ts";

let folder = "";
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(tmpdir(), "hermes-compaction-"));
});
afterAll(() => {
  fs.rmSync(folder, { recursive: true, force: true });
});

describe("a long session on a real store", () => {
  it.each([
    ["works", 1, 0],
    ["works", 3, 0],
    ["fails-every-other-time", 3, 1],
    ["never-works", 3, 3],
  ] as const)(
    "keeps rules, live request and every message: summariser %s, %d compressions [10:A5.13] [10:COMP-24] [10:COMP-33]",
    async (mode: SummariserMode, compressions, extracts) => {
      const seed = Math.floor(Math.random() * 2 ** 32);
      const report = await proveCompaction({ folder, turns: 36, facts: 20, compressions, mode, seed });
      expect({ seed, ...report }).toMatchObject({
        seed,
        compressions,
        extracts,
        factsKept: 20,
        isRequestVerbatim: true,
        restarts: 0,
        mentionsFinished: true,
        lostMessages: 0,
        unreadable: 0,
        titles: ["proof", ...Array.from({ length: compressions }, (_, index) => `proof #${index + 2}`)],
      });
      expect(report.elided).toBeGreaterThan(20);
    },
  );

  it("is judged by a summariser that cannot know what it was not shown", () => {
    expect(summarizeByRule("<conversation>\n[USER]:\nHello. Rule: use tabs. Bye.\n</conversation>")).toContain(
      "- Rule: use tabs.",
    );
    expect(summarizeByRule("<conversation>\n[USER]:\nHello.\n</conversation>")).not.toContain("Rule:");
  });
});
