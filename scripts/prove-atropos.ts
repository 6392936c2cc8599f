// Feeds a trainer through the real trajectory API server of Atropos: ATROPOS=/path/to/venv npm run prove:atropos -- [rollouts]
// The model is a fake one on this machine; the trainer is played by this script. Every group passes the checks of Atropos itself.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { openTrajectoryApi } from "../src/environments/atropos/api-server.ts";
import { calls, says, startModelServer } from "../test/fakes/model-server/index.ts";

const venv = process.env["ATROPOS"];
if (venv === undefined) throw new Error("ATROPOS names a Python environment with the package atroposlib");
const rollouts = Number(process.argv[2] ?? 200);
const groupSize = 4;
const batchSize = 8;
const steps = Math.ceil(rollouts / batchSize);
const folder = mkdtempSync(path.join(tmpdir(), "hermes-prove-atropos-"));
const children: ChildProcess[] = [];
await using model = await startModelServer();
let answered = 0;
model.onRequest(({ messages }) => {
  if (messages.at(-1)?.["role"] !== "user") return says("Done.");
  answered += 1;
  const name = /~\/(\w+\.txt)/.exec(String(messages.at(-1)?.["content"]))?.[1] ?? "none.txt";
  const words = answered % 2 === 0 ? "Hello from Hermes Agent 579" : "nothing";
  return calls("terminal", { command: `printf '%s' '${words}' > ~/${name}` });
});
try {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  start(path.join(venv, "bin", "run-api"), ["--host", "127.0.0.1", "--port", String(port)]);
  await reachable(url);
  await ask(url, "/register", {
    ...{ wandb_group: "g", wandb_project: "p", batch_size: batchSize, max_token_len: 4096, checkpoint_dir: "" },
    ...{ save_checkpoint_interval: 0, starting_step: 0, num_steps: steps },
  });
  const home = path.join(folder, "home");
  writeFileSync(
    path.join(folder, "config.yaml"),
    `model:\n  provider: custom\n  base_url: ${model.chatBaseUrl}\n  default: fake-model\n`,
  );
  const main = path.join(import.meta.dirname, "..", "dist", "cli", "main.js");
  const serving = start(
    process.execPath,
    [
      ...[main, "--config", path.join(folder, "config.yaml"), "env", "terminal-test", "serve"],
      ...["--env.rollout_server_url", url, "--env.group_size", String(groupSize), "--env.total_steps", String(steps)],
      ...["--env.max_num_workers", "4", "--env.steps_per_eval", "0", "--env.include_messages", "true"],
    ],
    { HERMES_HOME: home },
  );
  const ended = new Promise<number | null>((resolve) => serving.once("exit", resolve));
  let [groups, sequences] = [0, 0];
  for (let step = 0; step < steps; ) {
    const { batch } = await ask(url, "/batch");
    if (!Array.isArray(batch) || batch.length === 0) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      continue;
    }
    step += 1;
    for (const group of batch as Record<string, unknown[]>[]) {
      groups += 1;
      sequences += check(group);
    }
  }
  // What waits beyond the last step ends the environment.
  while (serving.exitCode === null) {
    await ask(url, "/batch");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const code = await ended;
  const isUnsent = existsSync(path.join(folder, "unsent_groups.jsonl"));
  process.stdout.write(
    `${groups} groups, ${sequences} rollouts through run-api; exit code ${code}; refused: ${isUnsent ? "some" : "none"}\n`,
  );
  const difference = await sameAnswers();
  process.stdout.write(
    `${difference ?? "a real environment of atroposlib gets the same answers from hermes rl-api as from run-api"}\n`,
  );
  process.exitCode = code === 0 && !isUnsent && sequences >= rollouts && difference === undefined ? 0 : 1;
} finally {
  for (const child of children) child.kill("SIGTERM");
  rmSync(folder, { recursive: true, force: true });
}

/** Where hermes rl-api answers a client of atroposlib otherwise than run-api does; undefined: nowhere. */
async function sameAnswers(): Promise<string | undefined> {
  const port = await freePort();
  const real = `http://127.0.0.1:${port}`;
  start(path.join(venv ?? "", "bin", "run-api"), ["--host", "127.0.0.1", "--port", String(port)]);
  await reachable(real);
  await using own = await openTrajectoryApi({ host: "127.0.0.1", port: 0 });
  const script = path.join(import.meta.dirname, "prove-atropos.py");
  const answersOf = async (address: string): Promise<unknown[]> => {
    const child = spawn(path.join(venv ?? "", "bin", "python"), [script, address], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let text = "";
    child.stdout.on("data", (piece: Buffer) => {
      text += String(piece);
    });
    await new Promise((resolve) => child.once("close", resolve));
    return JSON.parse(text.trim().split("\n").at(-1) ?? "[]") as unknown[];
  };
  const [theirs, ours] = [await answersOf(real), await answersOf(own.url)];
  if (theirs.length < 20) return "the client did not get through";
  const at = theirs.findIndex((answer, index) => JSON.stringify(answer) !== JSON.stringify(ours[index]));
  return at < 0
    ? undefined
    : `DIFFERENT at ${at}:\n  run-api ${JSON.stringify(theirs[at]).slice(0, 600)}\n  ours    ${JSON.stringify(ours[at]).slice(0, 600)}`;
}

/** The shape a trainer relies on. */
function check(group: Readonly<Record<string, unknown>>): number {
  const lists = ["tokens", "masks", "inference_logprobs"].map((name) => group[name] as number[][]);
  const [tokens = []] = lists;
  for (const list of lists)
    if (list.length !== groupSize || list.some((one, index) => one.length !== tokens[index]?.length))
      throw new Error(`a group has lists of different lengths: ${JSON.stringify(group).slice(0, 300)}`);
  if ((group["scores"] as number[]).length !== groupSize) throw new Error("a group has not as many scores as rollouts");
  return tokens.length;
}

function start(program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess {
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ["ignore", "ignore", "inherit"],
  });
  children.push(child);
  return child;
}

async function ask(url: string, route: string, body?: unknown): Promise<Record<string, unknown>> {
  const init =
    body === undefined
      ? {}
      : { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const response = await fetch(`${url}${route}`, init);
  if (!response.ok) throw new Error(`${route}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Record<string, unknown>;
}

async function reachable(url: string): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt += 1) {
    const isUp = await fetch(url).then(
      () => true,
      () => false,
    );
    if (isUp) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("run-api did not come up");
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
