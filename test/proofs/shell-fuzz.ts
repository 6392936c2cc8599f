import { execFile } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import fc from "fast-check";
import { readCommandLine } from "#tools/testing";
import { commandLines, recorders } from "./shell-grammar.ts";

/** A program that bash started, with its words. */
export type Started = readonly string[];

export interface Difference {
  readonly line: string;
  readonly started: Started;
}

const separator = "\u0001";
const end = "\u0002";
const inside = { home: "/tmp/fuzz/home", cwd: "/tmp/fuzz/cwd" };
const recorder = `#!/bin/sh
s=\${0##*/}; for a do s="$s${separator}$a"; done
printf '%s${end}' "$s" >> "$RECORD"
`;
/** As a terminal of Hermes runs a command. */
const oneLine = `shopt -s expand_aliases
FUNCNEST=30
IFS= read -r -d '' __line < "$1"
set --
eval "$__line"
wait
`;
/** A line that never ends, by computing or by waiting, is ended with all it started; what it recorded until then counts. */
const driver = `ulimit -t 2
for __file in /tmp/fuzz/lines/*; do
  export RECORD=/tmp/fuzz/out/\${__file##*/}
  /usr/bin/timeout -s KILL 5 /bin/bash /tmp/fuzz/one "$__file" < /dev/null > /dev/null 2>&1
done
exit 0
`;

export function canFuzz(): boolean {
  return fs.existsSync("/usr/bin/bwrap") && fs.existsSync("/bin/bash");
}

/** Runs lines in real bash where every program only notes its words, and says what was started for each. */
export async function startedByBash(lines: readonly string[]): Promise<readonly (readonly Started[])[]> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "hermes-fuzz-"));
  try {
    for (const name of ["lines", "out", "bin", "cwd/e", "home"])
      fs.mkdirSync(path.join(folder, name), { recursive: true });
    for (const name of recorders) fs.writeFileSync(path.join(folder, "bin", name), recorder, { mode: 0o755 });
    for (const name of ["a", "b", "c.d", "rm"]) fs.writeFileSync(path.join(folder, "cwd", name), "");
    for (const [index, line] of lines.entries()) fs.writeFileSync(path.join(folder, "lines", fileName(index)), line);
    fs.writeFileSync(path.join(folder, "driver"), driver);
    fs.writeFileSync(path.join(folder, "one"), oneLine);
    const box = "--ro-bind / / --dev /dev --proc /proc --tmpfs /tmp --unshare-all --die-with-parent --clearenv".split(
      " ",
    );
    const bind = [
      "--tmpfs",
      "/run",
      "--bind",
      folder,
      "/tmp/fuzz",
      "--setenv",
      "PATH",
      "/tmp/fuzz/bin",
      "--setenv",
      "HOME",
      "/tmp/fuzz/home",
      "--chdir",
      "/tmp/fuzz/cwd",
    ];
    await promisify(execFile)("/usr/bin/bwrap", [...box, ...bind, "/bin/bash", "/tmp/fuzz/driver"], {
      timeout: 600_000,
    });
    return lines.map((_, index) => recordsOf(path.join(folder, "out", fileName(index))));
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

const fileName = (index: number): string => String(index).padStart(6, "0");

function recordsOf(file: string): readonly Started[] {
  if (!fs.existsSync(file)) return [];
  return fs
    .readFileSync(file, "utf8")
    .split(end)
    .filter((record) => record !== "")
    .map((record) => record.split(separator));
}

/** What bash started and our reader neither saw nor called unknown. */
export function differences(line: string, started: readonly Started[]): readonly Difference[] {
  if (started.length === 0) return [];
  const { commands, problems, unknownScripts, forkBombs } = readCommandLine(line, inside);
  const isAdmitted =
    problems.length + unknownScripts.size + forkBombs.length > 0 || commands.some((one) => one.name === undefined);
  if (isAdmitted) return [];
  return started
    .filter(([name, ...args]) => !commands.some((one) => one.name === name && matches(one.args, args)))
    .map((one) => ({ line, started: one }));
}

type Seen = ReturnType<typeof readCommandLine>["commands"][number]["args"];

function matches(seen: Seen, args: readonly string[]): boolean {
  const source = seen.map((arg) => {
    // Which number a process substitution gets is up to bash.
    const text = [...arg.text.replace(/\/dev\/fd\/\d+/, "/dev/fd/\ufdd2")]
      .map((one) =>
        one === "\ufdd0" || one === "\ufdd1"
          ? `[^${separator}]*`
          : one === "\ufdd2"
            ? "-?\\d*"
            : one.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&"),
      )
      .join("");
    if (arg.mayBeMany) return `(?:[^${separator}]*${separator})*`;
    return arg.hasGlob ? `(?:[^${separator}]*${separator})+` : `${text}${separator}`;
  });
  return new RegExp(`^${source.join("")}$`, "s").test(args.map((arg) => arg + separator).join(""));
}

/** A shorter line with a difference, found by leaving out pieces as long as one is left. */
export async function shrink(line: string): Promise<Difference | undefined> {
  let shortest: Difference | undefined;
  let text = line;
  for (let round = 0; round < 12; round += 1) {
    const pieces = text.split(/(?<=\s)|(?=[;|&(){}"'$])/);
    const candidates = [6, 2, 1].flatMap((size) =>
      pieces.map((_, at) => pieces.filter((__, index) => index < at || index >= at + size).join("")),
    );
    const started = await startedByBash(candidates);
    const better = candidates.flatMap((one, index) => differences(one, started[index] ?? []).slice(0, 1));
    const best = better.sort((a, b) => a.line.length - b.line.length)[0];
    if (best === undefined) break;
    shortest = best;
    text = best.line;
  }
  return shortest;
}

/** Makes lines, runs them and compares, until the time is over or there were enough. */
export async function fuzz({
  seconds,
  seed,
  batch,
  rounds = Number.POSITIVE_INFINITY,
}: {
  readonly seconds: number;
  readonly seed: number;
  readonly batch: number;
  readonly rounds?: number;
}) {
  const until = Date.now() + seconds * 1_000;
  const found: Difference[] = [];
  let lines = 0;
  let programs = 0;
  for (let round = 0; round < rounds && Date.now() < until; round += 1) {
    const made = fc.sample(commandLines, { numRuns: batch, seed: seed + round });
    const started = await startedByBash(made);
    for (const [index, line] of made.entries()) found.push(...differences(line, started[index] ?? []));
    lines += made.length;
    programs += started.reduce((sum, one) => sum + one.length, 0);
  }
  return { lines, programs, found };
}
