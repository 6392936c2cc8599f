import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { comparable, firstDifference, type TrajectoryFiles, writeFiles } from "./trajectory-bytes.ts";
import { makeTranscripts } from "./transcripts.ts";

interface Fixture {
  readonly count: number;
  readonly seed: number;
  readonly files: TrajectoryFiles;
}

/** Written by `npm run prove:trajectories -- --fixture` with the predecessor itself. */
function readFixture(): Fixture {
  const file = path.join(import.meta.dirname, "..", "fixtures", "trajectories", "predecessor.json.gz");
  return JSON.parse(gunzipSync(readFileSync(file)).toString("utf8")) as Fixture;
}

describe("files that the predecessor wrote for the same transcripts", () => {
  it("are written byte for byte: trajectories, statistics, compressed trajectories and their metrics [50:0.4] [50:1.11] [50:2.10] [50:3.3] [50:3.4]", async () => {
    const { count, seed, files } = readFixture();
    const folder = mkdtempSync(path.join(tmpdir(), "hermes-trajectories-"));
    try {
      const ours = comparable(await writeFiles(makeTranscripts(count, seed), folder));
      expect(files.trajectories.split("\n").length).toBeGreaterThan(20);
      for (const name of Object.keys(files) as (keyof TrajectoryFiles)[])
        expect(firstDifference(ours[name], files[name]), name).toBeUndefined();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
