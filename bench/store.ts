import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

/**
 * The store under load: one million messages in fifty thousand sessions by default, every figure side by side
 * with bare driver statements on the same file. `--messages N` for a smaller run, `--file PATH` to keep the data set.
 */
const { values } = parseArgs({
  options: {
    messages: { type: "string", default: "1000000" },
    file: { type: "string" },
    searches: { type: "string", default: "600" },
  },
});
const count = Number(values.messages);
const sessions = Math.max(1, Math.round(count / 20));
const writers = 8;

interface Latencies {
  readonly latencies: readonly number[];
  readonly totalMs: number;
}

const root = fileURLToPath(new URL("..", import.meta.url));
// Inside the repository, so that packages are found from there.
const programs = join(root, "node_modules", ".cache", "hermes-bench");
const folder = await mkdtemp(join(tmpdir(), "hermes-bench-"));
const path = values.file ?? join(folder, "state.db");

try {
  await build();
  await measure();
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function build(): Promise<void> {
  await mkdir(programs, { recursive: true });
  const esbuild = createRequire(import.meta.url)("esbuild") as typeof import("esbuild");
  const shared = {
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node20",
    conditions: ["hermes-source"] as string[],
    packages: "external",
    logLevel: "error",
  } as const;
  const define = { "import.meta.url": "__here" };
  const banner = { js: 'const __here = require("node:url").pathToFileURL(__filename).href;' };
  await esbuild.build({
    ...shared,
    define,
    banner,
    entryPoints: [join(root, "bench/store-roles.ts")],
    outfile: join(programs, "store-roles.cjs"),
  });
  await esbuild.build({
    ...shared,
    define,
    banner,
    entryPoints: [join(root, "src/store/sqlite/worker.ts")],
    outfile: join(programs, "store-worker.cjs"),
  });
}

async function measure(): Promise<void> {
  const isFilled =
    values.file !== undefined &&
    (await stat(path).then(
      () => true,
      () => false,
    ));
  say(`${count.toLocaleString("en")} messages in ${sessions.toLocaleString("en")} sessions, Node ${process.version}`);
  const rows: string[][] = [["what", "target", "store", "bare driver"]];
  if (!isFilled) {
    const filled = await run<{ bytes: number; writeMs: number; indexed: number; indexMs: number }>("fill", {
      seed: 1,
      count,
    });
    const size = (await stat(path)).size;
    rows.push(["bulk write, messages/s", "", figure(count / (filled.writeMs / 1000), 0), ""]);
    rows.push(["substring index, messages/s", "", figure(filled.indexed / (filled.indexMs / 1000), 0), ""]);
    rows.push(["file / raw text", "2.50", `${figure(size / filled.bytes, 2)} (${figure(size / 1e6, 0)} MB)`, "1.00"]);
  }
  const opened = await several(5, () => run<{ openMs: number; firstReadMs: number }>("open", {}));
  rows.push(["open, ms (median of 5)", "50", figure(median(opened.map((entry) => entry.openMs)), 1), ""]);
  const searches = Number(values.searches);
  const searched = await run<Latencies & { stallMs: number; live: { found: number; asked: number }; slowest: unknown }>(
    "search",
    { seed: 5, count: searches },
  );
  const bare = await run<Latencies>("search-bare", { seed: 5, count: searches });
  for (const part of [50, 95, 99])
    rows.push([
      `search p${part}, ms`,
      part === 95 ? "50" : "",
      figure(percentile(searched.latencies, part), 1),
      figure(percentile(bare.latencies, part), 1),
    ]);
  rows.push(["just stored messages found", `${searched.live.asked}`, `${searched.live.found}`, ""]);
  rows.push([
    "main-thread stall during search, ms",
    "50",
    figure(searched.stallMs, 1),
    figure(Math.max(...bare.latencies), 1),
  ]);
  const exported = await run<{ messages: number; totalMs: number; stallMs: number }>("export", {});
  rows.push(["export, messages/s", "", figure(exported.messages / (exported.totalMs / 1000), 0), ""]);
  rows.push(["main-thread stall during export, ms", "50", figure(exported.stallMs, 1), ""]);
  const listed = await run<Record<string, number>>("list", {});
  rows.push(["list 20 with previews, ms", "", figure(listed.listMs ?? 0, 1), ""]);
  rows.push([
    "statistics / insights, ms",
    "",
    `${figure(listed.statisticsMs ?? 0, 0)} / ${figure(listed.insightsMs ?? 0, 0)}`,
    "",
  ]);
  rows.push(["read one session, ms", "", figure(listed.readSessionMs ?? 0, 2), ""]);
  await appends(rows);
  print(rows);
  say(`slowest searches: ${JSON.stringify(searched.slowest)}`);
}

/** Eight processes that write at the pace of busy agents, and eight that press as hard as they can. */
async function appends(rows: string[][]): Promise<void> {
  for (const [label, pauseMs, perWriter] of [
    ["paced, 8 writers x ~40/s", 25, 400],
    ["no pause at all, 8 writers", 0, 1500],
  ] as const) {
    const together = (role: string): Promise<readonly Latencies[]> => {
      const task = { count: perWriter, pauseMs, beginAtMs: Date.now() + 2_000 };
      return Promise.all(
        Array.from({ length: writers }, (_, index) => run<Latencies>(role, { ...task, seed: 100 + index })),
      );
    };
    const ours = await together("append");
    const bare = await together("append-bare");
    const flat = (results: readonly Latencies[]): readonly number[] => results.flatMap((result) => result.latencies);
    for (const part of [50, 99, 99.9])
      rows.push([
        `append p${part}, ms (${label})`,
        part === 99 && pauseMs > 0 ? "5" : "",
        figure(percentile(flat(ours), part), 2),
        figure(percentile(flat(bare), part), 2),
      ]);
    const rate = (results: readonly Latencies[]): number =>
      flat(results).length / (Math.max(...results.map((result) => result.totalMs)) / 1000);
    rows.push([`appends/s (${label})`, "", figure(rate(ours), 0), figure(rate(bare), 0)]);
  }
}

function run<T>(role: string, task: Record<string, number>): Promise<T> {
  const full = {
    path,
    workerFile: join(programs, "store-worker.cjs"),
    seed: 1,
    count: 0,
    sessions,
    pauseMs: 0,
    beginAtMs: 0,
    ...task,
  };
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(programs, "store-roles.cjs"), role, JSON.stringify(full)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    child.stdout.on("data", (piece: Buffer) => {
      output += piece.toString();
    });
    child.on("error", reject);
    child.on("close", (code) =>
      code === 0 ? resolve(JSON.parse(output) as T) : reject(new Error(`${role} ended with ${code}`)),
    );
  });
}

async function several<T>(times: number, act: () => Promise<T>): Promise<readonly T[]> {
  const results: T[] = [];
  for (let index = 0; index < times; index += 1) results.push(await act());
  return results;
}

function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * part) / 100))] ?? 0;
}

function median(values: readonly number[]): number {
  return percentile(values, 50);
}

function figure(value: number, digits: number): string {
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

function print(rows: readonly (readonly string[])[]): void {
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  for (const row of rows)
    say(
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join("  "),
    );
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
