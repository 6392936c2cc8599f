import { describe, expect, it } from "vitest";
import { canFuzz, differences, fuzz, startedByBash } from "./shell-fuzz.ts";

describe.runIf(canFuzz())("the reader of command lines, beside real bash", () => {
  it("sees every program that bash starts, with its words, or calls the line unknown", {
    timeout: 600_000,
  }, async () => {
    const { lines, programs, found } = await fuzz({ seconds: 580, seed: 424_242, batch: 150, rounds: 14 });
    expect(found).toEqual([]);
    expect(lines).toBe(2_100);
    expect(programs).toBeGreaterThan(1_000);
  });

  it("ends a line that waits for nothing, and goes on with the next", async () => {
    expect(await startedByBash(["rm a; exec 3<> <(:); read x <&3", "ls b"])).toEqual([[["rm", "a"]], [["ls", "b"]]]);
  });

  it("would notice a program it did not see", async () => {
    const [started = []] = await startedByBash(["x=rm; $x a 'b c'"]);
    expect(started).toEqual([["rm", "a", "b c"]]);
    expect(differences("ls", started)).toEqual([{ line: "ls", started: ["rm", "a", "b c"] }]);
  });
});
