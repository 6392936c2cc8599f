// `npm run bench:wall`: what the wall costs per call, beside the same calls without it, in one run. See test/wall/README.md.
import { parseArgs } from "node:util";
import { bundleDriver } from "../test/wall/cage/bundle.ts";
import { Cage, cageMissing } from "../test/wall/cage/cage.ts";
import type { BenchFigures } from "../test/wall/driver/bench.ts";
import { table } from "../test/wall/report.ts";

const { values } = parseArgs({
  options: {
    files: { type: "string", default: "5000" },
    rounds: { type: "string", default: "8" },
    calls: { type: "string", default: "16" },
    installs: { type: "string", default: "7" },
    only: { type: "string", default: "" },
    think: { type: "string", default: "150" },
    "no-snapshots": { type: "boolean", default: false },
    raw: { type: "boolean", default: false },
  },
});
/** Most milliseconds that the wall may add to a call; for installs, the most times as long. */
const targets: Readonly<Record<string, number>> = {
  "terminal, only looks": 15,
  "terminal, writes": 15,
  read_file: 0.3,
  write_file: 0.3,
  search_files: 0.3,
  execute_code: 20,
};
const installTarget = 1.2;

const missing = cageMissing();
if (missing !== undefined) throw new Error(`There is no cage to measure in: ${missing}.`);
using driver = await bundleDriver();
await using cage = Cage.open({
  script: driver.script,
  dist: driver.dist,
  environment: { HOME: "/home/user", LANG: "C.UTF-8" },
});
const request = {
  files: Number(values.files),
  rounds: Number(values.rounds),
  callsPerRound: Number(values.calls),
  installs: Number(values.installs),
  only: values.only,
  thinkMs: Number(values.think),
  snapshots: !values["no-snapshots"],
};
const figures = (await cage.ask({ bench: request }, 900_000)) as BenchFigures | undefined;
if (figures === undefined) throw new Error(`The cage is gone.\n${cage.stderr}`);

if (values.raw) console.log(JSON.stringify(figures));
const rows = Object.entries(figures).map(([name, { wall, none }]) => {
  const [withWall, without] = [median(wall), median(none)];
  const target = targets[name];
  const isGood = target === undefined ? withWall <= installTarget * without : withWall - without <= target;
  return [
    name,
    `${withWall.toFixed(2)} ms`,
    `${without.toFixed(2)} ms`,
    target === undefined ? `${(withWall / without).toFixed(2)}x` : `${(withWall - without).toFixed(2)} ms`,
    target === undefined ? `${installTarget}x` : `${target} ms`,
    isGood ? "" : "MISSED",
    String(wall.length),
  ];
});
console.log(
  `medians, ${request.files} files, the same calls with the wall and without taking turns; the model answers after ${request.thinkMs} ms\n`,
);
console.log(table([["call", "wall", "none", "more", "target", "", "calls each"], ...rows]));

function median(list: readonly number[]): number {
  const sorted = [...list].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
