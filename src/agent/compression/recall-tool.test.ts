import { describe, expect, it } from "vitest";
import { userMessage } from "#conversation";
import { estimateText } from "#model";
import { noAbilities, runTool, toolContext } from "#tools/testing";
import { recalling, recallTool, spanOf } from "./recall-tool.ts";
import { group, stamped } from "./testing/builders.ts";

const stored = stamped([
  userMessage("go"),
  ...group("c1", { content: "r".repeat(30_000) }),
  { role: "assistant", content: "done" },
]);
const agent = noAbilities.with(recalling, (span) => Promise.resolve(spanOf(stored, span)));
const recall = async (args: Readonly<Record<string, unknown>>) =>
  (await runTool(recallTool, args, toolContext({ agent }))).content;

describe("context_recall", () => {
  it("costs few tokens in every request", () => {
    const { name, description, parameters } = recallTool;
    expect(estimateText(JSON.stringify({ name, description, parameters }))).toBeLessThan(70);
  });

  it("reads a message whole, in pieces", async () => {
    expect(await recall({ id: "m2", limit: 10 })).toEqual({
      id: "m2",
      messages: 1,
      total_chars: 30_000,
      text: "rrrrrrrrrr",
      next_offset: 10,
    });
    expect(await recall({ id: "m2", offset: 29_995 })).toMatchObject({ text: "rrrrr" });
    expect(await recall({ id: "m2", limit: 1_000_000 })).toMatchObject({ next_offset: 20_000 });
  });

  it("lists a range with the id of each message", async () => {
    const { text } = (await recall({ id: "m0..m3" })) as { text: string };
    expect(text).toMatch(
      /^\[user m0\] go\n\[assistant m1\] terminal\(.*\)\n\[tool terminal m2\] r+\.\.\.\n\[assistant m3\] done$/,
    );
  });

  it("says so when there is no such message", async () => {
    await expect(recall({ id: "m9" })).rejects.toThrow(/no message m9/);
    await expect(recall({ id: "m3..m0" })).rejects.toThrow(/no message/);
    await expect(recall({})).rejects.toThrow(/id is missing/);
  });
});
