import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { silentLogger } from "#foundation/files/logger";
import { never, sleep } from "#foundation/lifecycle/abort";
import { Scope } from "#foundation/lifecycle/disposal";
import { systemClock } from "#foundation/time/clock";
import { openStore } from "#store";
import { Intake } from "../src/gateway/intake/intake.ts";
import { findPostgres, startPostgres } from "../test/contracts/store/postgres-server.ts";
import { Stage } from "../test/e2e/support/stage.ts";
import { type BenchDeployment, memoryOf, openDeployment } from "./gateway-bench/bench-deployment.ts";

/**
 * What the gateway costs, with the built program, a fake platform and a fake model on this machine: how soon a message
 * becomes a turn, how many are written down in a second, how long it keeps others waiting, what it weighs, and what more
 * workers bring. Ten thousand conversations take most of the time; `--sessions 0` leaves them out.
 */
const { values } = parseArgs({
  options: {
    turns: { type: "string", default: "60" },
    intake: { type: "string", default: "2000" },
    sessions: { type: "string", default: "10000" },
    flow: { type: "string", default: "200" },
    /** Words of an answer while eight of them grow, one every 20 ms. */
    words: { type: "string", default: "400" },
    store: { type: "string", multiple: true, default: ["sqlite", "postgres"] },
  },
});
const startedMs = performance.now();
const found = findPostgres();
if (found.kind === "missing") process.stdout.write(`PostgreSQL is left out: ${found.why}\n`);

await using scope = new Scope();
const isWanted = (store: string): boolean => values.store.includes(store);
const server =
  found.kind === "present" && isWanted("postgres") ? scope.adopt(await startPostgres(found.bin)) : undefined;
if (isWanted("sqlite")) await measure("sqlite", undefined);
if (server !== undefined) {
  await measure("postgres", () => server.fresh());
  await using three = await openDeployment(await server.fresh(), 3);
  tell("postgres: turns per second, 3 workers", await flow(three, Number(values.flow)));
}
tell("seconds", (performance.now() - startedMs) / 1000);

async function measure(store: string, fresh: (() => Promise<string>) | undefined): Promise<void> {
  const rate = await intakeRate(await fresh?.(), Number(values.intake));
  tell(`${store}: messages written down per second and ingress`, rate);
  await using one = await openDeployment(await fresh?.(), 1);
  tell(`${store}: RSS idle, MB`, await memoryOf(one.members[0]?.pid));
  tell(`${store}: from accepted to the turn's request, ms`, await latency(one, Number(values.turns)));
  tell(`${store}: event loop while 8 turns stream, ms late`, await stall(one, Number(values.words)));
  tell(`${store}: turns per second, 1 worker`, await flow(one, Number(values.flow)));
  // What a process remembers of conversations does not depend on where they are kept.
  if (store === "sqlite" && Number(values.sessions) > 0)
    tell("RSS after that many conversations, MB", await touched(one, Number(values.sessions)));
}

function tell(what: string, figure: unknown): void {
  process.stdout.write(`${what}: ${typeof figure === "number" ? figure.toFixed(1) : JSON.stringify(figure)}\n`);
}

/** The intake alone: what one ingress writes down when its platforms deliver as fast as it takes. */
async function intakeRate(url: string | undefined, count: number): Promise<number> {
  await using stage = await Stage.open();
  const location = url === undefined ? { path: `${stage.home}/state.db` } : { url };
  await using store = await openStore(location, { clock: systemClock, log: silentLogger });
  const intake = new Intake({
    store,
    keyRules: () => ({ groupPerUser: true, threadPerUser: false }),
    splitLength: () => 4_000,
    clock: systemClock,
    mostPending: () => 200,
    refuse: async () => undefined,
  });
  const admit = async (number: number) => {
    const source = { platform: "bench", account: "bot", chatId: String(number % 200), chatType: "dm" } as const;
    const message = { source, text: `message ${number}`, dedupKey: `bench:${number}`, atMs: 0, attachments: [] };
    await intake.admit(message, { name: "offset", value: String(number) });
  };
  await admit(-1);
  const startMs = performance.now();
  const lanes = Array.from({ length: 8 }, async (_, lane) => {
    for (let number = lane; number < count; number += 8) await admit(number);
  });
  await Promise.all(lanes);
  return count / ((performance.now() - startMs) / 1000);
}

/** One message at a time, to an idle gateway. */
async function latency({ model, write, answers, answered }: BenchDeployment, turns: number) {
  const times: number[] = [];
  for (let number = 0; number < turns; number += 1) {
    const [asked, before] = [model.requests(), answers()];
    const startMs = performance.now();
    write(number % 20, `question ${number}`);
    while (model.requests() === asked) await sleep(1, never);
    times.push(performance.now() - startMs);
    await answered(before + 1);
  }
  times.sort((left, right) => left - right);
  const at = (part: number) => Math.round(times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0);
  return { p50: at(0.5), p95: at(0.95) };
}

/** Eight answers that grow at the same time, in eight chats, as people see them grow. */
async function stall({ model, write, answers, answered, loop, rest }: BenchDeployment, words: number) {
  const before = answers();
  model.speak(words, 20);
  for (let chat = 0; chat < 8; chat += 1) write(100 + chat, "tell me more");
  await answered(before + 8);
  // All of them grow now.
  rest();
  await sleep(words * 15, never);
  const { p99, max } = await loop();
  model.speak(1, 0);
  await sleep(words * 10, never);
  return { p99: Number(p99.toFixed(1)), max: Number(max.toFixed(1)) };
}

/** Many chats at once, one message each. */
async function flow({ write, answers, answered }: BenchDeployment, count: number): Promise<number> {
  const before = answers();
  const startMs = performance.now();
  for (let number = 0; number < count; number += 1) write(1_000 + number, `go ${number}`);
  await answered(before + count);
  return count / ((performance.now() - startMs) / 1000);
}

/** Each conversation has one turn; a hundred of them wait at the most. */
async function touched({ write, answers, answered, members }: BenchDeployment, count: number) {
  const before = answers();
  for (let number = 0; number < count; number += 1) {
    write(10_000 + number, `hello ${number}`);
    if (number % 100 === 99) await answered(before + number - 99);
    if (number % 1_000 === 999) process.stderr.write(`  ${number + 1} conversations\n`);
  }
  await answered(before + count);
  return { conversations: count, mb: await memoryOf(members[0]?.pid) };
}
