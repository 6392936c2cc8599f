import { result } from "#tools";
import { fakeTool } from "#tools/testing";
import { isSummaryCall, openStage } from "../../src/agent/compression/testing/stage.ts";
import { calls, type ReceivedRequest, type Reply, reply, says } from "../fakes/model-server/index.ts";

export interface WindowOptions {
  readonly contextWindow: number;
  readonly turns: number;
  /** Cyrillic text has twice the tokens that its length suggests, as the fake server counts them. */
  readonly alphabet: keyof typeof words;
}

/** How one long session went in a window of one size. All tokens are as the fake server counts them, four bytes each. */
export interface WindowReport {
  readonly contextWindow: number;
  readonly turns: number;
  readonly completed: number;
  /** What no compression can touch: the system prompt and the definitions of the tools. */
  readonly fixedTokens: number;
  readonly summaries: number;
  readonly prunings: number;
  /** Most turns in a row that each waited for a summary. */
  readonly longestRun: number;
  /** Percent of the request that a compression saved, on average. */
  readonly savedPct: number;
  /** Smallest share of the window, in percent, that was free after a compression. */
  readonly leastFreePct: number;
  /** Prompt tokens a server with one slot had to read, per turn, without what every session must have read once. */
  readonly evaluatedAgain: number;
  readonly refusals: number;
}

/** Work of the same kind in each turn: a question, one or two calls with results of very different length, an answer. */
export async function proveWindow(options: WindowOptions): Promise<WindowReport> {
  const { turns } = options;
  const run = await play(options);
  // The same session where nothing ever has to go: what it reads, every session must.
  const undisturbed = await play({ ...options, contextWindow: 10_000_000 });
  return { ...run.report, evaluatedAgain: Math.round((run.evaluated - undisturbed.evaluated) / turns) };
}

const systemText = `You are Hermes. ${"Work in small steps, say what you found, and keep to the rules of this project. ".repeat(110)}`;
const resultSizes = [300, 2_400, 700, 5_600, 1_500, 250, 9_000, 1_100] as const;
const answerSizes = [500, 1_400, 300, 2_600, 800] as const;

const words = {
  latin: { output: " output", answer: "done, as asked. ", remark: "Mind what we agreed on. " },
  cyrillic: { output: " вывод", answer: "готово, как просили. ", remark: "Помни о наших правилах. " },
} as const;

async function play({ contextWindow, turns, alphabet }: WindowOptions) {
  await using stage = await openStage({
    contextWindow,
    summaryWindow: contextWindow,
    server: { strict: true, contextWindow },
    prompt: {
      text: () => Promise.resolve(systemText),
      refresh: () => Promise.resolve({ text: systemText, changedLayers: [] }),
      layers: () => Promise.resolve([]),
      rebuild: () => Promise.resolve(),
    },
    tools: ["terminal", "read_file", "search_files", "patch"].map((name) =>
      fakeTool(name, {
        description: `${name}: ${"says what it takes, what it gives back and when not to use it. ".repeat(12)}`,
        execute: (args) =>
          Promise.resolve(result(String(args["command"]).padEnd(Number(args["size"]), words[alphabet].output))),
      }),
    ),
  });
  const { agent, server, records } = stage;
  const model = new Worker(words[alphabet].answer);
  server.onRequest((request) => model.answer(request));
  const summarisedIn: boolean[] = [];
  let completed = 0;
  for (let turn = 1; turn <= turns; turn += 1) {
    const before = records.length;
    const { completed: isCompleted } = await agent.runConversation({
      userMessage: requestOf(turn, words[alphabet].remark),
    });
    if (isCompleted) completed += 1;
    summarisedIn.push(records.slice(before).some(({ summaryStatus }) => summaryStatus !== "skipped"));
  }
  const freed = records.map(({ tokensAfter }) => 100 * (1 - tokensAfter / contextWindow));
  const saved = records.map(({ savingsPct }) => savingsPct);
  return {
    evaluated: evaluatedBy(server.requests),
    report: {
      contextWindow,
      turns,
      completed,
      fixedTokens: fixedTokensOf(server.requests[0]),
      summaries: records.filter(({ summaryStatus }) => summaryStatus !== "skipped").length,
      prunings: records.filter(({ summaryStatus }) => summaryStatus === "skipped").length,
      longestRun: longestRun(summarisedIn),
      savedPct: saved.length === 0 ? 0 : Math.round(saved.reduce((sum, one) => sum + one, 0) / saved.length),
      leastFreePct: freed.length === 0 ? 100 : Math.round(Math.min(...freed)),
      refusals: server.rejections.length,
    },
  };
}

function requestOf(turn: number, remark: string): string {
  return `Request ${turn}: look into part ${turn} of the system. ${remark.repeat(turn % 7)}`;
}

/** Asks for one or two results, then answers; summaries are as long as they are asked to be. */
class Worker {
  readonly #answer: string;
  #turn = 0;
  #callsLeft = 0;
  #call = 0;

  constructor(answer: string) {
    this.#answer = answer;
  }

  answer(request: ReceivedRequest): Reply {
    if (isSummaryCall(request)) return says(summaryOf(request));
    if (request.messages.at(-1)?.["role"] === "user") {
      this.#turn += 1;
      this.#callsLeft = 1 + (this.#turn % 2);
    }
    if (this.#callsLeft === 0) return says(`Turn ${this.#turn}: `.padEnd(at(answerSizes, this.#turn), this.#answer));
    this.#callsLeft -= 1;
    this.#call += 1;
    return reply([
      says("I look."),
      calls("terminal", { command: `part ${this.#call}`, size: at(resultSizes, this.#call) }),
    ]);
  }
}

function summaryOf(request: ReceivedRequest): string {
  const budget = Number(/about (\d+) tokens/.exec(request.rawBody)?.[1] ?? 500);
  return "## Active Task\nNone.\n\n## Completed Actions\n".padEnd(
    4 * budget,
    "1. looked into a part — found nothing. ",
  );
}

function at(sizes: readonly number[], index: number): number {
  return sizes[index % sizes.length] ?? 0;
}

/** A server with one slot keeps what it read last: of each request it reads what differs from the request before. */
function evaluatedBy(requests: readonly ReceivedRequest[]): number {
  let kept = "";
  let characters = 0;
  for (const request of requests) {
    const text = promptOf(request);
    let same = 0;
    while (same < text.length && text[same] === kept[same]) same += 1;
    characters += text.length - same;
    kept = text;
  }
  return characters / 4;
}

function promptOf({ body, messages }: ReceivedRequest): string {
  return `${JSON.stringify(body["tools"] ?? [])}${messages.map((message) => JSON.stringify(message)).join("\n")}`;
}

function fixedTokensOf(request: ReceivedRequest | undefined): number {
  if (request === undefined) return 0;
  return Math.round((JSON.stringify(request.body["tools"] ?? []).length + request.systemText.length) / 4);
}

function longestRun(flags: readonly boolean[]): number {
  let longest = 0;
  let run = 0;
  for (const flag of flags) {
    run = flag ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}
