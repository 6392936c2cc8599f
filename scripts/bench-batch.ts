// Prompts per second of `hermes batch` against a fake model on this machine, at 1, 8 and 64 prompts at a time, with the most memory
// used. With PYTHON=/path/to/venv/bin/python (package hermes-agent) the predecessor runs on the same fake in the same run.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { reply, says, startModelServer, thinks } from "../test/fakes/model-server/index.ts";

const folder = mkdtempSync(path.join(tmpdir(), "hermes-bench-batch-"));
const main = path.join(import.meta.dirname, "..", "dist", "cli", "main.js");
await using server = await startModelServer();
server.otherwise(reply([thinks("Let me think."), says("Done.")]));
const count = Number(process.argv[2] ?? 256);
try {
  writeFileSync(
    path.join(folder, "config.yaml"),
    `model:\n  provider: custom\n  base_url: ${server.chatBaseUrl}\n  default: fake-model\n`,
  );
  const rates: number[] = [];
  for (const workers of [1, 8, 64]) {
    const prompts = workers === 1 ? Math.ceil(count / 4) : count;
    const run = await hermes(prompts, workers);
    rates.push(run.rate);
    print(`hermes, ${workers} at a time`, run);
  }
  const python = process.env["PYTHON"];
  if (python !== undefined) {
    const theirs = await predecessor(python, 32, 8);
    print("predecessor, 8 at a time", theirs);
    process.stdout.write(`ratio at 8: ${((rates[1] ?? 0) / theirs.rate).toFixed(1)}\n`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

interface Run {
  readonly rate: number;
  readonly seconds: number;
  readonly megabytes: number;
  readonly answered: number;
}

function print(what: string, { rate, seconds, megabytes, answered }: Run): void {
  process.stdout.write(
    `${what}: ${rate.toFixed(1)} prompts/s (${answered} in ${seconds.toFixed(1)} s, ${megabytes.toFixed(0)} MB)\n`,
  );
}

function dataset(prompts: number): string {
  const file = path.join(folder, `p${prompts}.jsonl`);
  writeFileSync(
    file,
    Array.from({ length: prompts }, (_, n) => `${JSON.stringify({ prompt: `question ${n}` })}\n`).join(""),
  );
  return file;
}

function hermes(prompts: number, workers: number): Promise<Run> {
  const flags = ["--dataset-file", dataset(prompts), "--run-name", `r${workers}`, "--distribution", "terminal_only"];
  const size = String(Math.max(1, Math.floor(prompts / workers)));
  const args = [main, "--config", path.join(folder, "config.yaml"), "batch", ...flags, "--batch-size", size];
  return measure(process.execPath, [...args, "--num-workers", String(workers)], {});
}

function predecessor(python: string, prompts: number, workers: number): Promise<Run> {
  const script = "import batch_runner, fire; fire.Fire(batch_runner.main)";
  const flags = [
    `--dataset_file=${dataset(prompts)}`,
    "--run_name=theirs",
    "--distribution=terminal_only",
    "--model=fake-model",
  ];
  const size = Math.max(1, Math.floor(prompts / workers));
  const more = [`--base_url=${server.chatBaseUrl}`, "--api_key=x", `--batch_size=${size}`, `--num_workers=${workers}`];
  return measure(python, ["-c", script, ...flags, ...more], {});
}

/** From start to end, start of the program included; memory of the program and all it started. */
async function measure(program: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<Run> {
  const before = server.requests.length;
  const startedMs = performance.now();
  const child = spawn(program, args, {
    cwd: folder,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: folder,
      HERMES_HOME: path.join(folder, "home"),
      LANG: "C.UTF-8",
      ...env,
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let errors = "";
  child.stderr.on("data", (text: Buffer) => (errors += String(text)));
  let kilobytes = 0;
  const timer = setInterval(() => {
    kilobytes = Math.max(kilobytes, residentOf(child.pid ?? 0));
  }, 100);
  const code = await new Promise<number | null>((resolve) => child.once("exit", resolve));
  clearInterval(timer);
  const seconds = (performance.now() - startedMs) / 1000;
  const answered = server.requests.length - before;
  if (code !== 0 || answered === 0) throw new Error(`${program} left with ${code}: ${errors.slice(-800)}`);
  return { rate: answered / seconds, seconds, megabytes: kilobytes / 1024, answered };
}

function residentOf(pid: number): number {
  try {
    const own = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean);
    return children.reduce((sum, child) => sum + residentOf(Number(child)), own);
  } catch {
    return 0; // it has ended meanwhile
  }
}
