import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { spawn as spawnTerminal } from "@lydell/node-pty";

/**
 * How Hermes feels, measured on the built program: time to the first prompt and to a one-shot answer, as
 * ratios to `node -e 0` in the same run; what a streamed token costs on the wire to the terminal; memory.
 */
const root = path.resolve(import.meta.dirname, "..");
const program = path.join(root, "dist", "cli", "main.js");
const rounds = 15;

const { NODE_EXTRA_CA_CERTS: _certificates, ...cleanEnv } = process.env;
const folder = mkdtempSync(path.join(tmpdir(), "hermes-feel-"));
const env = { ...cleanEnv, HERMES_HOME: path.join(folder, "home"), TERM: "xterm-256color" };

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const best = (values: readonly number[]): number => Math.min(...values);

function timed(args: readonly string[]): number {
  const start = performance.now();
  const done = spawnSync(process.execPath, args, { env, cwd: folder, stdio: "pipe" });
  if (done.status !== 0) throw new Error(`${args.join(" ")}: ${done.stderr}`);
  return performance.now() - start;
}

interface Screen {
  readonly output: () => string;
  until(pattern: RegExp, timeoutMs?: number): Promise<number>;
  write(text: string): void;
  readonly pid: number;
  close(): void;
}

function openScreen(): Screen {
  let text = "";
  const waiting: { readonly pattern: RegExp; done(at: number): void }[] = [];
  const terminal = spawnTerminal(process.execPath, [program], {
    name: "xterm-256color",
    cols: 100,
    rows: 30,
    cwd: folder,
    env,
  });
  terminal.onData((data) => {
    text += data;
    for (const one of [...waiting]) {
      if (!one.pattern.test(text)) continue;
      waiting.splice(waiting.indexOf(one), 1);
      one.done(performance.now());
    }
  });
  return {
    output: () => text,
    pid: terminal.pid,
    write: (given) => terminal.write(given),
    close: () => terminal.kill("SIGKILL"),
    until: (pattern, timeoutMs = 20_000) =>
      new Promise((resolve, reject) => {
        if (pattern.test(text)) return resolve(performance.now());
        const timer = setTimeout(
          () => reject(new Error(`never saw ${pattern} in ${JSON.stringify(text.slice(-400))}`)),
          timeoutMs,
        );
        waiting.push({
          pattern,
          done: (at) => {
            clearTimeout(timer);
            resolve(at);
          },
        });
      }),
  };
}

async function firstPrompt(): Promise<number> {
  const start = performance.now();
  const screen = openScreen();
  const at = await screen.until(/❯/);
  screen.close();
  return at - start;
}

async function streaming() {
  const screen = openScreen();
  await screen.until(/ready|0\/|128K/);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const rss = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${screen.pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
  const before = screen.output().length;
  screen.write("Write a lot\r");
  await screen.until(/word399/);
  await new Promise((resolve) => setTimeout(resolve, 300));
  const piece = screen.output().slice(before);
  const echoes: number[] = [];
  for (const letter of "the quick brown fox jumps") {
    const length = screen.output().length;
    const start = performance.now();
    screen.write(letter);
    while (screen.output().length === length) await new Promise((resolve) => setImmediate(resolve));
    echoes.push(performance.now() - start);
  }
  screen.close();
  const sorted = echoes.sort((a, b) => a - b);
  const clears = piece.split("\x1b[2J").length - 1 + (piece.split("\x1b[3J").length - 1);
  return { bytesPerToken: piece.length / 400, clears, echoP95: sorted[Math.floor(sorted.length * 0.95)] ?? 0, rss };
}

const server = spawn(
  process.execPath,
  ["--conditions=hermes-source", "--import", "tsx", path.join(root, "bench/feel-server.ts")],
  {
    env: cleanEnv,
    stdio: ["pipe", "pipe", "inherit"],
  },
);
try {
  const lines = createInterface({ input: server.stdout });
  const baseUrl = await new Promise<string>((resolve) => lines.once("line", resolve));
  mkdirSync(env.HERMES_HOME, { recursive: true });
  const config = { model: { provider: "custom", default: "test-model", base_url: baseUrl } };
  writeFileSync(
    path.join(env.HERMES_HOME, "config.yaml"),
    `model:\n  provider: custom\n  default: ${config.model.default}\n  base_url: ${baseUrl}\n`,
  );
  const oneShot = ["chat", "-q", "hi", "-Q"];
  timed([program, ...oneShot]);
  timed([program, ...oneShot]);
  const bare: number[] = [];
  const shots: number[] = [];
  const prompts: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    bare.push(timed(["-e", "0"]));
    shots.push(timed([program, ...oneShot]));
    prompts.push(await firstPrompt());
  }
  const line = (what: string, values: readonly number[], target: string): void =>
    console.log(
      `${what.padEnd(34)} median ${median(values).toFixed(0)} ms, ${(median(values) / median(bare)).toFixed(2)}x; best ${best(values).toFixed(0)} ms, ${(best(values) / best(bare)).toFixed(2)}x of node -e 0 (target ${target})`,
    );
  console.log(
    `node -e 0                          median ${median(bare).toFixed(0)} ms, best ${best(bare).toFixed(0)} ms`,
  );
  line("first prompt visible", prompts, "5x");
  line("one-shot, model answers at once", shots, "6x");
  const figures = await streaming();
  console.log(`bytes to the terminal per token    ${figures.bytesPerToken.toFixed(1)} (target 60)`);
  console.log(`full-screen clears in the stream   ${figures.clears} (target 0)`);
  console.log(`keypress echo p95                  ${figures.echoP95.toFixed(1)} ms (target 16)`);
  console.log(`memory after start                 ${figures.rss.toFixed(0)} MB (target 130)`);
} finally {
  server.kill();
  rmSync(folder, { recursive: true, force: true });
}
