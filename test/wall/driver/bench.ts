import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { slow, startModelServer } from "../../fakes/model-server/index.ts";
import type { Step } from "../actions/action.ts";
import { addresses, registryHost } from "../world/addresses.ts";
import { locations, write } from "../world/layout.ts";
import { openRegistry } from "../world/registry.ts";
import { Secrets } from "../world/secrets.ts";
import { Sinks } from "../world/sinks.ts";
import { type Conversation, configText, converse, scriptedModel } from "./product.ts";

export interface BenchRequest {
  readonly files: number;
  /** Blocks of calls; the two ways take turns, so that a busy machine slows both. */
  readonly rounds: number;
  readonly callsPerRound: number;
  readonly installs: number;
  /** Only calls whose name has this in it; all when empty. */
  readonly only: string;
  /** How long the model takes for an answer. No real one answers at once, and what is made ready in that time counts as ready. */
  readonly thinkMs: number;
  /** Without them the wall alone is measured. */
  readonly snapshots: boolean;
}

/** Milliseconds from a reply of the model to the next question to it, each with the wall and without. */
export type BenchFigures = Readonly<
  Record<string, { readonly wall: readonly number[]; readonly none: readonly number[] }>
>;

const terminal = (command: string): Step => ({ tool: "terminal", args: { command } });
const index = `--index-url http://${registryHost}/simple --trusted-host ${registryHost}`;

/** One call each; the number keeps calls apart. */
const calls: Readonly<Record<string, (number: number) => Step>> = {
  "terminal, only looks": (number) => terminal(`echo hello ${number}`),
  "terminal, writes": (number) => terminal(`echo ${number} > out-${number % 7}.txt`),
  read_file: (number) => ({
    tool: "read_file",
    args: { path: fileName(number), offset: 1, limit: 20 },
  }),
  write_file: (number) => ({ tool: "write_file", args: { path: `made/f${number}.txt`, content: `${number}\n` } }),
  search_files: (number) => ({
    tool: "search_files",
    args: { pattern: `value${number}`, path: `src/d${number % 50}` },
  }),
  execute_code: (number) => ({ tool: "execute_code", args: { code: `print(${number})` } }),
};
const installs: Readonly<Record<string, (number: number) => Step>> = {
  "npm install": (number) =>
    terminal(
      `mkdir -p n${number} && cd n${number} && echo '{}' > package.json && npm install --no-audit --no-fund --cache /tmp/npm-${number} --registry http://${registryHost}/ tiny-greeting >/dev/null && cd ..`,
    ),
  "pip install": (number) =>
    terminal(
      `python3 -m pip install -q --no-cache-dir --disable-pip-version-check ${index} --target p${number} tiny-python`,
    ),
};

export async function runBench(request: BenchRequest): Promise<BenchFigures> {
  layProject(request.files);
  write("/etc", {
    passwd: "user:x:1000:1000:User:/home/user:/bin/bash\n",
    hosts: "127.0.0.1 localhost cage\n",
    "resolv.conf": `nameserver ${addresses.dns}\n`,
    profile: "umask 022\n",
  });
  await openRegistry(`${locations.templates}/registry`);
  await Sinks.open((name) => new Secrets().of(name));
  const server = await startModelServer();
  const model = scriptedModel();
  server.onRequest((incoming) => {
    setTimeout(() => server.release(), request.thinkMs);
    return slow(model.answer(incoming), { eventsPerRelease: 1_000 });
  });
  const open = (isWallOff: boolean): Promise<Conversation> => {
    const mode = { sandbox: true, person: "allows", isWallOff } as const;
    const home = isWallOff ? "/home/user/.hermes-open" : locations.hermesHome;
    const more = isWallOff || request.snapshots ? "" : "checkpoints:\n  enabled: false\n";
    write(home, { "config.yaml": configText(server.chatBaseUrl, mode, 60) + more });
    return converse({ mode, env: environment, home });
  };
  const time = async (conversation: Conversation, steps: readonly Step[]): Promise<readonly number[]> => {
    model.begin(steps);
    const before = conversation.outcomes.length;
    const timed = conversation.stepTimes.length;
    await conversation.say("Go on.");
    const bad = conversation.outcomes.slice(before).find((one) => one.isError || (one.exitCode ?? 0) !== 0);
    if (bad !== undefined) throw new Error(`${bad.name} did not work: ${bad.result}`);
    return conversation.stepTimes.slice(timed);
  };
  await using wall = await open(false);
  await using none = await open(true);
  // The first call of a session opens its terminal.
  for (const one of [wall, none])
    await time(one, [calls["terminal, writes"]?.(0), calls["execute_code"]?.(0)].filter(isStep));
  const figures: Record<string, { wall: number[]; none: number[] }> = {};
  let number = 1;
  const measure = async (
    name: string,
    make: (number: number) => Step,
    [rounds, perRound]: readonly [number, number],
  ): Promise<void> => {
    const figure = { wall: [] as number[], none: [] as number[] };
    for (let round = 0; round < rounds; round += 1) {
      const sides = [
        ["wall", wall],
        ["none", none],
      ] as const;
      for (const [side, conversation] of round % 2 === 0 ? sides : [...sides].reverse()) {
        const first = number;
        number += perRound;
        const steps = Array.from({ length: perRound }, (_, position) => make(first + position));
        figure[side].push(...(await time(conversation, steps)));
      }
    }
    figures[name] = figure;
  };
  const wanted = (of: typeof calls) => Object.entries(of).filter(([name]) => name.includes(request.only));
  for (const [name, make] of wanted(calls)) await measure(name, make, [request.rounds, request.callsPerRound]);
  if (request.installs > 0)
    for (const [name, make] of wanted(installs)) await measure(name, make, [request.installs, 1]);
  return figures;
}

const environment = {
  HOME: locations.home,
  PATH: process.env["PATH"] ?? "",
  USER: "user",
  LANG: "C.UTF-8",
  SHELL: "/bin/bash",
  TERM: "xterm-256color",
};

function isStep(step: Step | undefined): step is Step {
  return step !== undefined;
}

/** A repository with so many files, in a hundred folders. */
function layProject(files: number): void {
  rmSync(locations.workspace, { recursive: true, force: true });
  mkdirSync(locations.workspace, { recursive: true });
  write(
    locations.workspace,
    Object.fromEntries(
      Array.from({ length: files }, (_, number) => [
        fileName(number),
        `export const value${number} = ${number};\n`.repeat(20),
      ]),
    ),
  );
  for (const args of [
    ["init", "-q"],
    ["add", "-A"],
    ["-c", "user.name=U", "-c", "user.email=u@x", "commit", "-qm", "x"],
  ])
    execFileSync("git", args, { cwd: locations.workspace, env: { PATH: process.env["PATH"], HOME: "/" } });
}

function fileName(number: number): string {
  return `src/d${number % 100}/f${number}.js`;
}
