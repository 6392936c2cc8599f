import { readFile } from "node:fs/promises";
import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { textOf } from "#conversation";
import { silentLogger } from "#foundation/files/logger";
import { never, sleep } from "#foundation/lifecycle/abort";
import { Scope } from "#foundation/lifecycle/disposal";
import { systemClock } from "#foundation/time/clock";
import { openStore } from "#store";
import { Intake } from "../src/gateway/intake/intake.ts";
import { findPostgres, startPostgres } from "../test/contracts/store/postgres-server.ts";
import { Deployment, type Member } from "../test/e2e/support/deployment.ts";
import { Stage } from "../test/e2e/support/stage.ts";
import { says, startModelServer } from "../test/fakes/model-server/index.ts";
import { startTelegramServer } from "../test/fakes/platforms/telegram-server.ts";

/**
 * What the gateway costs, with the built program, a fake platform and a fake model on this machine: how soon a message
 * becomes a turn, how many are written down in a second, what it weighs, and what more workers bring.
 */
const { values } = parseArgs({
  options: {
    turns: { type: "string", default: "60" },
    intake: { type: "string", default: "2000" },
    sessions: { type: "string", default: "10000" },
    flow: { type: "string", default: "300" },
  },
});
const found = findPostgres();
if (found.kind === "missing") process.stdout.write(`PostgreSQL is left out: ${found.why}\n`);

const megabyte = 1_048_576;
const firstChat = 1_000;
const mostChats = 9_000;

await using scope = new Scope();
const server = found.kind === "present" ? scope.adopt(await startPostgres(found.bin)) : undefined;
for (const store of ["sqlite", "postgres"] as const) {
  if (store === "postgres" && server === undefined) continue;
  const url = async () => (store === "postgres" ? await server?.fresh() : undefined);
  tell(`${store}: messages written down per second and ingress`, await intakeRate(await url(), Number(values.intake)));
  await using one = await open(await url(), 1);
  tell(`${store}: RSS idle, MB`, await memoryOf(one.members[0]));
  tell(`${store}: from accepted to the turn's request, ms`, await latency(one, Number(values.turns)));
  tell(`${store}: turns per second, 1 worker`, await flow(one, Number(values.flow)));
  tell(`${store}: RSS after that many sessions, MB`, await touched(one, Number(values.sessions)));
}
if (server !== undefined) {
  await using three = await open(await server.fresh(), 3);
  tell("postgres: turns per second, 3 workers", await flow(three, Number(values.flow)));
}

function tell(what: string, figure: unknown): void {
  process.stdout.write(`${what}: ${typeof figure === "number" ? figure.toFixed(1) : JSON.stringify(figure)}\n`);
}

async function open(url: string | undefined, workers: number) {
  const own = new Scope();
  const model = own.adopt(await startModelServer());
  const telegram = own.adopt(await startTelegramServer());
  const deployment = own.adopt(
    new Deployment({
      config: [
        `model: { provider: custom, default: test-model, base_url: "${model.chatBaseUrl}", context_length: 128000 }`,
        `telegram: { base_url: "${telegram.url}", allow_all_users: true }`,
        "auxiliary: { title_generation: { enabled: false } }",
        "display: { tool_progress: off }",
      ],
      env: `TELEGRAM_BOT_TOKEN=${telegram.token}\n`,
      url,
    }),
  );
  const shares =
    workers === 1 ? [[]] : [["ingress", "scheduler"], ...Array.from({ length: workers }, () => ["worker"])];
  const members: Member[] = [];
  for (const roles of shares) members.push(await deployment.start(roles));
  await members[0]?.ready("telegram");
  for (const member of members) await member.ready();
  return { model, telegram, members, [Symbol.asyncDispose]: () => own[Symbol.asyncDispose]() };
}

type Opened = Awaited<ReturnType<typeof open>>;

/** The intake alone: what one ingress writes down when its platforms deliver as fast as it takes. */
async function intakeRate(url: string | undefined, count: number): Promise<number> {
  await using stage = await Stage.open();
  const location = url === undefined ? { path: `${stage.home}/state.db` } : { url };
  await using store = await openStore(location, { clock: systemClock, log: silentLogger });
  const keyRules = () => ({ groupPerUser: true, threadPerUser: false });
  const intake = new Intake({
    store,
    keyRules,
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
async function latency({ model, telegram }: Opened, turns: number) {
  const times: number[] = [];
  model.otherwise(says("Yes."));
  for (let number = 0; number < turns; number += 1) {
    const before = model.requests.length;
    const chatId = firstChat + (number % 20);
    const startMs = performance.now();
    telegram.text(`question ${number}`, { chatId, from: chatId });
    await model.received(before + 1);
    times.push(performance.now() - startMs);
    await until(() => telegram.shown().filter((one) => one.text === "Yes.").length > number);
  }
  times.sort((left, right) => left - right);
  const at = (part: number) => Math.round(times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0);
  return { p50: at(0.5), p95: at(0.95) };
}

/** Many chats at once, one message each. */
async function flow({ model, telegram }: Opened, count: number): Promise<number> {
  model.otherwise((request) => says(`Flow ${textOf(request.messages.at(-1)?.content as string).length}.`));
  const before = telegram.shown().length;
  const startMs = performance.now();
  for (let number = 0; number < count; number += 1) {
    const chatId = firstChat + 1_000 + number;
    telegram.text(`go ${number}`, { chatId, from: chatId });
  }
  await until(() => telegram.shown().length >= before + count);
  return count / ((performance.now() - startMs) / 1000);
}

async function touched({ model, telegram, members }: Opened, count: number) {
  model.otherwise(says("Touched."));
  for (let number = 0; number < count; number += 1) {
    const chatId = firstChat + (number % mostChats);
    telegram.text(`hello ${number}`, { chatId, from: chatId });
    if (number % 100 === 99)
      await until(() => telegram.shown().filter(({ text }) => text === "Touched.").length >= number - 50);
  }
  await until(
    () => telegram.shown().filter(({ text }) => text === "Touched.").length >= Math.min(count, mostChats) * 0.95,
  );
  return { sessions: count, mb: Math.round(await memoryOf(members[0])) };
}

async function memoryOf(member: Member | undefined): Promise<number> {
  const status = await readFile(`/proc/${member?.pid ?? 0}/status`, "utf8");
  return (Number(/VmRSS:\s+(\d+)/u.exec(status)?.[1] ?? 0) * 1024) / megabyte;
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(5, never);
}
