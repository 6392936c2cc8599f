import { readFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { sleep } from "#foundation/lifecycle/abort";
import { Scope } from "#foundation/lifecycle/disposal";
import { findPostgres, startPostgres } from "../test/contracts/store/postgres-server.ts";
import { Deployment, type Member } from "../test/e2e/support/deployment.ts";
import type { Stage } from "../test/e2e/support/stage.ts";
import { startModelServer } from "../test/fakes/model-server/index.ts";
import { answerByNumber, marksFile } from "./gateway-proof/answers.ts";
import { besideEachOther, type Crowd, proofPlatforms, startCrowds } from "./gateway-proof/crowd.ts";
import { type Left, openLedger } from "./gateway-proof/left.ts";
import { oneChatPlatforms, otherWays } from "./gateway-proof/services.ts";
import { type Tally, tally } from "./gateway-proof/tally.ts";

/**
 * The proof that chats lose nothing: messages come in over many chats of several platforms, some of them twice, while
 * sends fail in every way, connections break, and processes of the gateway are killed again and again. In the end every
 * message must have been answered, each once, in the order of its chat, and no tool may have taken effect twice. Some
 * platforms cannot say whether a send that was cut off arrived, so there an answer may come again, marked.
 */
export interface GatewayProofOptions {
  readonly store: "sqlite" | "postgres";
  readonly platforms: readonly string[];
  readonly messages: number;
  readonly chats: number;
  /** Kills; by default as many as fit. */
  readonly kills: number;
  /** Seconds between two kills, from and to. */
  readonly killEvery: readonly [number, number];
  /** Messages per second. */
  readonly rate: number;
  /** Connections stay open and say nothing: they are found after a minute, so only long runs have them. */
  readonly halfOpen: boolean;
  /** How often a send is accepted and the answer to it lost: one in so many. */
  readonly cutEvery: number;
  readonly settleMs: number;
  readonly signal: AbortSignal;
}

export interface GatewayProof extends Tally {
  readonly store: string;
  readonly platforms: string;
  readonly messages: number;
  readonly kills: number;
  readonly requests: number;
  readonly seconds: number;
  /** What was still to be done at the end: an answer that waits to be sent is late and not lost. */
  readonly left: Left;
}

export const shortProof: Omit<GatewayProofOptions, "store" | "signal"> = {
  platforms: ["telegram", "discord", "slack"],
  messages: 60,
  chats: 9,
  kills: 3,
  killEvery: [1, 3],
  rate: 6,
  halfOpen: false,
  cutEvery: 29,
  settleMs: 150_000,
};

export async function proveGateway(options: GatewayProofOptions): Promise<GatewayProof> {
  const startedMs = Date.now();
  await using scope = new Scope();
  const model = scope.adopt(await startModelServer());
  const seen = answerByNumber(model);
  const crowds = await startCrowds(options.platforms);
  for (const crowd of crowds) scope.adopt(crowd);
  const gateway = await openGateway(scope, { options, crowds, modelUrl: model.chatBaseUrl });
  let killed = 0;
  const stop = new AbortController();
  const killing = (async () => {
    for (; killed < options.kills && !stop.signal.aborted; killed += 1) {
      const [from, to] = options.killEvery;
      await sleep((from + Math.random() * (to - from)) * 1000, stop.signal);
      await gateway.killOne();
    }
  })().catch(() => undefined);
  for (let number = 0; number < options.messages; number += 1) {
    write(number, crowds, options);
    await sleep((Math.random() * 2_000) / options.rate, options.signal);
  }
  stop.abort();
  await killing;
  const { messages, chats } = options;
  const look = async ({ givenUp }: Left) =>
    tally(crowds, { messages, chats, seen, marks: await gateway.marks(), givenUp });
  const left = await settled(look, gateway, options);
  await gateway.end();
  return {
    store: options.store,
    platforms: options.platforms.join(", "),
    messages,
    kills: killed,
    requests: model.requests.length,
    seconds: Math.round((Date.now() - startedMs) / 1000),
    ...(await look(left)),
    left,
  };
}

const lookEveryMs = 250;
/** When nothing is left to do for so long, nothing more will come. */
const idleMs = 30_000;

/** Waits until everything is answered, or nothing more will be. */
async function settled(
  look: (left: Left) => Promise<Tally>,
  { location }: Pick<Awaited<ReturnType<typeof openGateway>>, "location">,
  { settleMs, signal }: GatewayProofOptions,
): Promise<Left> {
  await using ledger = await openLedger(location);
  const untilMs = Date.now() + settleMs;
  for (let idleFromMs = Date.now(); ; await sleep(lookEveryMs, signal)) {
    const left = await ledger.left();
    const { lostIn, lostOnWire, lostOut } = await look(left);
    if (left.inbox + left.outbox > 0) idleFromMs = Date.now();
    const isOver = Date.now() > untilMs || Date.now() - idleFromMs > idleMs;
    if (isOver || lostIn + lostOnWire + lostOut === 0) return left;
  }
}

/** One message, and what goes wrong with it. */
function write(number: number, crowds: readonly Crowd[], { chats, halfOpen, cutEvery }: GatewayProofOptions): void {
  const chat = number % chats;
  const crowd = crowds[chat % crowds.length];
  if (crowd === undefined) throw new Error("there is no platform");
  crowd.say(chat, `message #${number}`);
  if (number % 7 === 0) crowd.repeat();
  // Where one send waits for the other, so many failures would all meet the first.
  const every = crowd.isOneLane === true ? 10 : 1;
  if (number % (11 * every) === 0) crowd.failNextSend("server-error");
  if (number % (13 * every) === 0) crowd.failNextSend("rate-limited");
  if (number % (cutEvery * every) === cutEvery - 1) crowd.failNextSend("accept-then-cut");
  if (number % 53 === 52) crowd.breakConnection("broken");
  if (halfOpen && number % 401 === 400) crowd.breakConnection("half-open");
}

interface Opening {
  readonly options: GatewayProofOptions;
  readonly crowds: readonly Crowd[];
  readonly modelUrl: string;
}

async function openGateway(scope: Scope, { options, crowds, modelUrl }: Opening) {
  const found = findPostgres();
  if (options.store === "postgres" && found.kind === "missing") throw new Error(found.why);
  const server = options.store === "postgres" && found.kind === "present" ? await startPostgres(found.bin) : undefined;
  if (server !== undefined) scope.adopt(server);
  const config = [
    `model: { provider: custom, default: test-model, base_url: "${modelUrl}", context_length: 128000 }`,
    ...crowds.map((crowd) => crowd.config),
    "auxiliary: { title_generation: { enabled: false } }",
    "display: { busy_input_mode: queue, tool_progress: off }",
  ];
  const env = crowds.map((crowd) => crowd.env).join("");
  const url = await server?.fresh();
  const deployment = scope.adopt(new Deployment({ config, env, url }));
  const shares = server === undefined ? [[]] : [["ingress", "scheduler"], ["worker"], ["worker"], ["worker"]];
  const machines: Stage[] = [];
  const members: Member[] = [];
  for (const [index, roles] of shares.entries()) {
    machines[index] = await deployment.machine();
    members[index] = await deployment.start(roles, machines[index]);
  }
  // Some platforms tell a bot only what is said while it is known there.
  await members[0]?.ready(...crowds.map(({ platform }) => platform));
  return {
    location: url === undefined ? { path: path.join(machines[0]?.home ?? "", "state.db") } : { url },
    async killOne() {
      const index = Math.floor(Math.random() * shares.length);
      await members[index]?.kill();
      members[index] = await deployment.start(shares[index] ?? [], machines[index]);
    },
    async marks() {
      const files = machines.map(({ work }) => readFile(path.join(work, marksFile), "utf8").catch(() => ""));
      return (await Promise.all(files)).join("\n");
    },
    async end() {
      await Promise.all(members.map((member) => member.kill("SIGTERM")));
    },
  };
}

/** Everything that must not happen. */
export function faultsOf({ lostIn, lostOut, givenUp, doubled, outOfOrder, doubleToolRuns }: Tally): number {
  return lostIn + lostOut + givenUp + doubled + outOfOrder + doubleToolRuns;
}

const columns: readonly (readonly [string, (proof: GatewayProof) => string | number])[] = [
  ["platform", ({ platforms }) => platforms],
  ["store", ({ store }) => store],
  ["messages", ({ messages }) => messages],
  ["kills", ({ kills }) => kills],
  ["lost in", ({ lostIn }) => lostIn],
  ["lost on the wire", ({ lostOnWire }) => lostOnWire],
  ["lost out", ({ lostOut }) => lostOut],
  ["given up, told", ({ givenUp }) => givenUp],
  ["doubled", ({ doubled }) => doubled],
  ["chats out of order", ({ outOfOrder }) => outOfOrder],
  ["tools run twice", ({ doubleToolRuns }) => doubleToolRuns],
  ["marked resends", ({ resent }) => resent],
  ["seconds", ({ seconds }) => seconds],
];

const row = (cells: readonly (string | number)[]): string => `| ${cells.join(" | ")} |\n`;

function options() {
  return parseArgs({
    options: {
      store: { type: "string", multiple: true, default: ["sqlite", "postgres"] },
      platforms: { type: "string", default: "telegram,discord,slack" },
      /** One platform after the other, and a table. */
      each: { type: "boolean", default: false },
      messages: { type: "string", default: "10000" },
      chats: { type: "string", default: "200" },
      kills: { type: "string", default: "1000000" },
      "kill-every": { type: "string", default: "1-30" },
      rate: { type: "string", default: "10" },
      "settle-seconds": { type: "string", default: "900" },
    },
  }).values;
}

async function main(): Promise<void> {
  const values = options();
  const [from = 1, to = 30] = values["kill-every"].split("-").map(Number);
  const all = values.each ? proofPlatforms : besideEachOther;
  const named = values.platforms === "all" ? all : values.platforms.split(",");
  const unknown = named.filter((one) => !proofPlatforms.includes(one));
  if (unknown.length > 0) throw new Error(`There is no ${unknown.join()}. There are: ${proofPlatforms.join(", ")}`);
  const together = named.map((one) => otherWays[one] ?? one);
  if (!values.each && new Set(together).size < together.length)
    throw new Error("A gateway reaches a platform in one way at a time; name --each to try one after the other.");
  const runs = values.each ? named.map((one) => [one]) : [named];
  const heads = columns.map(([name]) => name);
  if (values.each) process.stdout.write(row(heads) + row(heads.map(() => "---")));
  for (const store of values.store)
    for (const platforms of runs) {
      const proof = await proveGateway({
        store: store === "postgres" ? "postgres" : "sqlite",
        platforms,
        messages: Number(values.messages),
        // Where everything is one conversation, every platform has one.
        chats: platforms.some((one) => oneChatPlatforms.includes(one)) ? platforms.length : Number(values.chats),
        kills: Number(values.kills),
        killEvery: [from, to],
        rate: Number(values.rate),
        halfOpen: Number(values.messages) > 400,
        cutEvery: 29,
        settleMs: Number(values["settle-seconds"]) * 1000,
        signal: new AbortController().signal,
      });
      if (values.each) process.stdout.write(row(columns.map(([, cell]) => cell(proof))));
      if (!values.each || faultsOf(proof) > 0) process.stdout.write(`${JSON.stringify(proof, undefined, 2)}\n`);
      if (faultsOf(proof) > 0) process.exitCode = 1;
    }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await main();
