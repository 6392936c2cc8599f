// A model on this machine beside the bare engine, in one run: tokens a second, time to the first token, and how soon an abort is heard.
//   npm run bench:local
import path from "node:path";
import { pathToFileURL } from "node:url";
import { engineFolder } from "#local-model";
import { missing, modelFile, type RealModel, serveRealModel } from "../test/local-model/real-model.ts";

interface Figures {
  readonly firstTokenMs: number;
  readonly tokensPerSecond: number;
}

const rounds = 8;
const tokens = 96;
const messages = [
  { role: "user", content: `${"The ferry leaves at nine and comes back at five. ".repeat(20)}Tell a story about it.` },
];

if (missing !== undefined) process.exit(1);
await using model = await serveRealModel();
const prompt = await model.ask({ messages, max_tokens: 1, return_token_ids: true });
const bare = await openBare(engineFolder(model.home), prompt.promptTokens);
const served: Figures[] = [];
const alone: Figures[] = [];
for (let round = 0; round < rounds; round += 1) {
  // One after the other, so that both meet the same machine; the prompt is new each time.
  served.push(await measureServed(model, round));
  alone.push(await bare(round));
}
const show = (name: string, all: readonly Figures[]): void =>
  console.log(
    `${name.padEnd(8)} ${fastest(all).toFixed(1)} tokens/s, first token after ${Math.round(soonest(all))} ms`,
  );
show("served", served);
show("bare", alone);
console.log(
  `ratio    ${(fastest(served) / fastest(alone)).toFixed(2)}x tokens/s, ${(soonest(served) / soonest(alone)).toFixed(2)}x time to the first token`,
);
console.log(`abort    heard after ${Math.round(await measureAbort(model))} ms`);

async function measureServed({ send }: RealModel, round: number): Promise<Figures> {
  const startMs = performance.now();
  const [first] = messages;
  const response = await send({
    messages: [{ role: "user", content: `${round} ${first?.content}` }],
    max_tokens: tokens,
    stream: true,
  });
  let firstMs = 0;
  let count = 0;
  const reader = response.body?.getReader();
  for (;;) {
    const piece = await reader?.read();
    if (piece === undefined || piece.done) break;
    const events = new TextDecoder().decode(piece.value).match(/"content":/g)?.length ?? 0;
    if (events > 0 && firstMs === 0) firstMs = performance.now();
    count += events;
  }
  const endMs = performance.now();
  return { firstTokenMs: firstMs - startMs, tokensPerSecond: ((count - 1) / (endMs - firstMs)) * 1000 };
}

/** node-llama-cpp by itself, with the same tokens, threads and window. */
async function openBare(folder: string, promptTokens: readonly number[]): Promise<(round: number) => Promise<Figures>> {
  const engine = await import(pathToFileURL(path.join(folder, "node_modules/node-llama-cpp/dist/index.js")).href);
  const llama = await engine.getLlama({ gpu: false, build: "never", skipDownload: true, logLevel: "error" });
  const { ThreadPolicy } = await import("../src/local-model/server/threads.ts");
  const threads = new ThreadPolicy(llama.cpuMathCores);
  const loaded = await llama.loadModel({ modelPath: modelFile });
  const context = await loaded.createContext({
    contextSize: 8192,
    sequences: 2,
    batchSize: 512,
    threads: llama.cpuMathCores,
  });
  const sequence = context.getSequence();
  return async (round) => {
    llama.maxThreads = threads.threads();
    await sequence.clearHistory();
    const feed = [...loaded.tokenize(`${round} `, false), ...promptTokens];
    const startMs = performance.now();
    let firstMs = 0;
    let count = 0;
    for await (const _ of sequence.evaluate(feed, { temperature: 0, topP: 0.95, topK: 40, yieldEogToken: true })) {
      if (firstMs === 0) firstMs = performance.now();
      count += 1;
      if (count >= tokens) break;
    }
    return { firstTokenMs: firstMs - startMs, tokensPerSecond: ((count - 1) / (performance.now() - firstMs)) * 1000 };
  };
}

/** Two stories fill both slots; a third question waits. From the abort of the first to the third's turn, its own first token taken off. */
async function measureAbort({ send, ask }: RealModel): Promise<number> {
  const short = { messages: [{ role: "user", content: "Hi" }], max_tokens: 1 };
  await ask(short);
  const aloneMs = await timed(() => ask(short));
  const stops = [new AbortController(), new AbortController()];
  const stories = stops.map(async (stop, index) => {
    const response = await send(
      { messages: [{ role: "user", content: `Story ${index}` }], max_tokens: 4000, stream: true },
      stop.signal,
    );
    await response.body?.getReader().read();
  });
  await Promise.all(stories);
  const waiting = ask(short);
  const startMs = performance.now();
  for (const stop of stops) stop.abort();
  await waiting;
  return Math.max(0, performance.now() - startMs - aloneMs);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

/** The best of all rounds: other programs of the machine only ever slow one down. */
function fastest(all: readonly Figures[]): number {
  return Math.max(...all.map((one) => one.tokensPerSecond));
}

function soonest(all: readonly Figures[]): number {
  return Math.min(...all.map((one) => one.firstTokenMs));
}
