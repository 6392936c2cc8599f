// Compares what Hermes and the predecessor write for the same transcripts, byte for byte. Needs Python with the package
// hermes-agent installed: PYTHON=/path/to/venv/bin/python npm run prove:trajectories -- [count]
// With --fixture it writes what test/proofs/trajectories.test.ts compares with, without Python.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { comparable, firstDifference, type TrajectoryFiles, writeFiles } from "../test/proofs/trajectory-bytes.ts";
import { knownTools, makeTranscripts } from "../test/proofs/transcripts.ts";

const isFixture = process.argv.includes("--fixture");
const count = Number(process.argv.find((word) => /^\d+$/.test(word)) ?? (isFixture ? 60 : 1000));
const seed = isFixture ? 7 : Number(process.env["SEED"] ?? 1);
const folder = mkdtempSync(path.join(tmpdir(), "hermes-prove-trajectories-"));
try {
  const transcripts = makeTranscripts(count, seed);
  writeFileSync(path.join(folder, "transcripts.jsonl"), transcripts.map((one) => `${JSON.stringify(one)}\n`).join(""));
  const script = path.join(import.meta.dirname, "prove-trajectories.py");
  const ran = spawnSync(process.env["PYTHON"] ?? "python3", [script, folder, knownTools.join(",")], {
    encoding: "utf8",
  });
  if (ran.status !== 0) throw new Error(`the predecessor did not run:\n${ran.stderr.slice(-2000)}`);
  const read = (name: string): string => readFileSync(path.join(folder, name), "utf8");
  const theirs = comparable({
    trajectories: read("data/r/trajectories.jsonl"),
    statistics: read("data/r/statistics.json"),
    compressed: read("compressed.jsonl"),
    metrics: read("metrics.json"),
  });
  const ours = comparable(await writeFiles(transcripts, path.join(folder, "ours")));
  let isEqual = true;
  for (const name of Object.keys(theirs) as (keyof TrajectoryFiles)[]) {
    const difference = firstDifference(ours[name], theirs[name]);
    const bytes = Buffer.byteLength(theirs[name]);
    process.stdout.write(
      `${name}: ${difference === undefined ? `equal, ${bytes} bytes` : `DIFFERENT at ${difference}`}\n`,
    );
    isEqual &&= difference === undefined;
  }
  process.stdout.write(`${count} transcripts, ${theirs.trajectories.split("\n").length - 1} of them kept\n`);
  if (isFixture && isEqual)
    writeFileSync(
      path.join(import.meta.dirname, "../test/fixtures/trajectories/predecessor.json.gz"),
      gzipSync(JSON.stringify({ count, seed, files: theirs }), { level: 9 }),
    );
  process.exitCode = isEqual ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
