import { describe, expect, it } from "vitest";
import { canFuzz, differences, fuzz, startedByBash } from "./shell-fuzz.ts";

describe.runIf(canFuzz())("the reader of command lines, beside real bash", () => {
  it("sees every program that bash starts, with its words, or calls the line unknown", async () => {
    const { lines, programs, found } = await fuzz({ seconds: 10, seed: 424_242, batch: 150, rounds: 5 });
    expect(found.slice(0, 5)).toEqual([]);
    expect(lines).toBeGreaterThan(100);
    expect(programs).toBeGreaterThan(100);
  });

  it("would notice a program it did not see", async () => {
    const [started = []] = await startedByBash(["x=rm; $x a 'b c'"]);
    expect(started).toEqual([["rm", "a", "b c"]]);
    expect(differences("ls", started)).toEqual([{ line: "ls", started: ["rm", "a", "b c"] }]);
  });
});
