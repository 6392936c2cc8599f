import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { never, sleep } from "#foundation/lifecycle/abort";
import { Scope } from "#foundation/lifecycle/disposal";
import { Deployment, type Member } from "../../test/e2e/support/deployment.ts";
import { startTelegramServer, type TelegramServer } from "../../test/fakes/platforms/telegram-server.ts";
import { type LightModel, startLightModel } from "./light-model.ts";

/** The built program as a gateway, people of Telegram who write to it, and a model behind it. */
export interface BenchDeployment extends AsyncDisposable {
  readonly model: LightModel;
  readonly members: readonly Member[];
  write(chat: number, text: string): void;
  /** Answers that have arrived. */
  answers(): number;
  /** Until so many have, or nothing has come for a minute. */
  answered(count: number): Promise<void>;
  /** What the event loop of the first process did since `rest`. */
  loop(): Promise<{ readonly p99: number; readonly max: number }>;
  /** Counts the event loop anew. */
  rest(): void;
}

const firstChat = 1_000;
const patienceMs = 60_000;

export async function openDeployment(url: string | undefined, workers: number): Promise<BenchDeployment> {
  const own = new Scope();
  const model = own.adopt(await startLightModel());
  const telegram = own.adopt(await startTelegramServer());
  const folder = await mkdtemp(path.join(tmpdir(), "hermes-bench-gateway-"));
  own.defer(() => rm(folder, { recursive: true, force: true }));
  const loopFile = path.join(folder, "loop");
  const deployment = own.adopt(
    new Deployment({
      config: [
        `model: { provider: custom, default: test-model, base_url: "${model.chatBaseUrl}", context_length: 128000 }`,
        `telegram: { base_url: "${telegram.url}", allow_all_users: true }`,
        "auxiliary: { title_generation: { enabled: false } }",
        "display: { tool_progress: off }",
        "streaming: { enabled: true }",
      ],
      env: `TELEGRAM_BOT_TOKEN=${telegram.token}\n`,
      url,
      environment: {
        NODE_OPTIONS: `--require ${path.join(import.meta.dirname, "watch-loop.cjs")}`,
        BENCH_LOOP_FILE: loopFile,
      },
    }),
  );
  const shares =
    workers === 1 ? [[]] : [["ingress", "scheduler"], ...Array.from({ length: workers }, () => ["worker"])];
  const members: Member[] = [];
  for (const roles of shares) members.push(await deployment.start(roles));
  await members[0]?.ready("telegram");
  for (const member of members) await member.ready();
  const counted = answerCounter(telegram);
  const pid = members[0]?.pid ?? 0;
  return {
    model,
    members,
    write(chat, text) {
      telegram.text(text, { chatId: firstChat + chat, from: firstChat + chat });
    },
    answers: counted,
    answered: (count) => untilAnswered(counted, count),
    async loop() {
      await sleep(500, never);
      return JSON.parse(await readFile(`${loopFile}.${pid}`, "utf8")) as { p99: number; max: number };
    },
    rest: () => void process.kill(pid, "SIGUSR2"),
    [Symbol.asyncDispose]: () => own[Symbol.asyncDispose](),
  };
}

/** A message that grows is one answer: each is sent once, and changed afterwards. */
function answerCounter(telegram: TelegramServer): () => number {
  let [seen, count] = [0, 0];
  return () => {
    for (; seen < telegram.calls.length; seen += 1) if (telegram.calls[seen]?.method === "sendMessage") count += 1;
    return count;
  };
}

async function untilAnswered(answers: () => number, count: number): Promise<void> {
  let [last, sinceMs] = [answers(), Date.now()];
  for (let now = last; now < count; now = answers()) {
    if (now > last) [last, sinceMs] = [now, Date.now()];
    if (Date.now() - sinceMs > patienceMs) throw new Error(`${now} of ${count} answers, and no more for a minute`);
    await sleep(5, never);
  }
}

export async function memoryOf(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid ?? 0}/status`, "utf8");
  return Math.round(Number(/VmRSS:\s+(\d+)/u.exec(status)?.[1] ?? 0) / 1024);
}
