import { once } from "node:events";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { textOf } from "#conversation";
import { sleep } from "#foundation/lifecycle/abort";
import { Stage } from "../test/e2e/support/stage.ts";
import { says, startModelServer } from "../test/fakes/model-server/index.ts";
import { startTelegramServer, type TelegramServer } from "../test/fakes/platforms/telegram-server.ts";

/**
 * The proof that chats lose nothing: messages come in over many chats, some of them twice, while sends fail in every way
 * and the gateway is killed again and again. In the end every message must have been answered, each once, in the order of
 * its chat. Telegram cannot say whether a send that was cut off arrived, so there an answer may come again, marked.
 */
export interface GatewayProofOptions {
  readonly messages: number;
  readonly chats: number;
  readonly kills: number;
  readonly signal: AbortSignal;
}

export interface GatewayProof {
  readonly messages: number;
  readonly kills: number;
  /** Messages without an answer. */
  readonly lost: number;
  /** Answers shown again without saying so. */
  readonly doubled: number;
  /** Answers shown again and marked. */
  readonly resent: number;
  /** Chats in which an answer came before that of an earlier message. */
  readonly outOfOrder: number;
  readonly requests: number;
}

const firstChat = 1_000;
/** A send that was cut off is tried again after half a minute, and several may follow each other in one chat. */
const settleMs = 300_000;

export async function proveGateway({ messages, chats, kills, signal }: GatewayProofOptions): Promise<GatewayProof> {
  await using model = await startModelServer();
  await using telegram = await startTelegramServer();
  // Answers name the messages they answer.
  model.otherwise((request) => {
    const at = request.messages.findLastIndex(({ role }) => role === "assistant");
    const words = request.messages.slice(at + 1).map(({ content }) => textOf(content as string));
    return says(`Heard ${[...words.join(" ").matchAll(/#\d+/gu)].map(([token]) => token).join(" ")}.`);
  });
  const config = [
    `model: { provider: custom, default: test-model, base_url: "${model.chatBaseUrl}", context_length: 128000 }`,
    `telegram: { base_url: "${telegram.url}", allow_all_users: true }`,
    "auxiliary: { title_generation: { enabled: false } }",
    "display: { busy_input_mode: queue }",
  ].join("\n");
  await using stage = await Stage.open({ config, env: `TELEGRAM_BOT_TOKEN=${telegram.token}\n` });
  let gateway = stage.start(["gateway", "run"]);
  let killed = 0;
  for (let number = 0; number < messages; number += 1) {
    const chatId = firstChat + (number % chats);
    const id = telegram.text(`message #${number}`, { chatId, from: chatId });
    if (number % 7 === 0) telegram.update({}, id);
    if (number % 11 === 0) telegram.trouble("sendMessage", { kind: "status", status: 500, description: "Internal" });
    if (number % 13 === 0)
      telegram.trouble("sendMessage", { kind: "status", status: 429, description: "Too Many", retryAfter: 1 });
    if (number % 17 === 0) telegram.trouble("sendMessage", { kind: "accept-then-cut" });
    await sleep(Math.random() * 100, signal);
    if (killed < kills && number >= ((killed + 1) * messages) / (kills + 1)) {
      await sleep(500 + Math.random() * 2_500, signal);
      gateway.kill("SIGKILL");
      await once(gateway, "exit");
      killed += 1;
      gateway = stage.start(["gateway", "run"]);
    }
  }
  const untilMs = Date.now() + settleMs;
  while (Date.now() < untilMs && tally(telegram, { messages, chats }).lost > 0) await sleep(250, signal);
  gateway.kill("SIGTERM");
  await once(gateway, "exit");
  return { messages, kills: killed, requests: model.requests.length, ...tally(telegram, { messages, chats }) };
}

function tally(telegram: TelegramServer, { messages, chats }: { readonly messages: number; readonly chats: number }) {
  const seen = new Map<number, { plain: number; marked: number }>();
  const lastIn = new Map<string, number>();
  const disordered = new Set<string>();
  for (const { chatId, text } of telegram.shown()) {
    const isMarked = text.includes("(resent)");
    for (const [, digits = ""] of text.matchAll(/#(\d+)/gu)) {
      const number = Number(digits);
      const counts = seen.get(number) ?? { plain: 0, marked: 0 };
      seen.set(number, isMarked ? { ...counts, marked: counts.marked + 1 } : { ...counts, plain: counts.plain + 1 });
      if (isMarked) continue;
      if (number < (lastIn.get(chatId) ?? -1) || number % chats !== Number(chatId) - firstChat) disordered.add(chatId);
      lastIn.set(chatId, number);
    }
  }
  const all = [...seen.values()];
  return {
    lost: messages - seen.size,
    doubled: all.reduce((sum, { plain }) => sum + Math.max(0, plain - 1), 0),
    resent: all.reduce((sum, { marked }) => sum + marked, 0),
    outOfOrder: disordered.size,
  };
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      messages: { type: "string", default: "10000" },
      chats: { type: "string", default: "200" },
      kills: { type: "string", default: "60" },
    },
  });
  const { messages, chats, kills } = values;
  const signal = new AbortController().signal;
  const proof = await proveGateway({ messages: Number(messages), chats: Number(chats), kills: Number(kills), signal });
  process.stdout.write(`${JSON.stringify({ store: "sqlite", platform: "telegram", ...proof }, undefined, 2)}\n`);
  process.exitCode = proof.lost + proof.doubled + proof.outOfOrder === 0 ? 0 : 1;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await main();
