import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { damagedCopy, perSession, salvaged, sessions, soundFile } from "./salvage.ts";

const perFile = 4;
const files = Number(process.env["HERMES_SALVAGE_FILES"] ?? 250);

describe("a damaged session database", () => {
  it(`is rebuilt after damage at ${files * perFile} random places, opens, and the damaged file is kept`, {
    timeout: 600_000,
  }, async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "hermes-salvage-"));
    try {
      const sound = await soundFile(path.join(folder, "sound.db"));
      const next = numbers(7);
      const all = sessions * perSession;
      const counts: number[] = [];
      for (let index = 0; index < files; index += 1) {
        const damages = Array.from({ length: perFile }, () => ({
          at: next(),
          length: 1 + Math.floor(next() * 4_096),
          byte: Math.floor(next() * 256),
        }));
        const bytes = damagedCopy(sound, damages);
        const home = path.join(folder, `${index}`);
        await mkdir(home);
        const { messages, kept } = await salvaged(path.join(home, "state.db"), bytes, index % 50 === 0);
        expect(kept.equals(bytes)).toBe(true);
        counts.push(messages);
        await rm(home, { recursive: true });
      }
      // A damaged place costs the rows on its pages, wherever it is: no page is one that everything hangs on.
      const sorted = [...counts].sort((left, right) => left - right);
      expect(sorted[0]).toBeGreaterThan(all * 0.8);
      expect(sorted[Math.floor(counts.length / 2)]).toBeGreaterThan(all * 0.95);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

/** Numbers from 0 to 1, spread evenly and the same in every run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}
