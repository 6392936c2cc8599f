import { type Message, type SessionId, textOf } from "#conversation";
import { silentLogger } from "#foundation/files/logger";
import { never } from "#foundation/lifecycle/abort";
import { systemClock } from "#foundation/time/clock";
import { openStore, type Store } from "#store";
import { result } from "#tools";
import { fakeTool } from "#tools/testing";
import { spanOf } from "../../src/agent/compression/recall-tool.ts";
import { isSummaryCall, mainCalls, openStage } from "../../src/agent/compression/testing/stage.ts";
import type { Transcript } from "../../src/agent/index.ts";
import { findSummary } from "../../src/agent/summary-message.ts";
import {
  calls,
  payloadTooLarge,
  type ReceivedRequest,
  type Reply,
  reply,
  says,
  serverError,
} from "../fakes/model-server/index.ts";
import { sectionOf, summarizeByRule } from "./rule-summarizer.ts";

/** How the summariser behaves: always, on every second call, or never. */
export type SummariserMode = "works" | "fails-every-other-time" | "never-works";

export interface CompactionWish {
  /** A folder for the database. */
  readonly folder: string;
  readonly turns: number;
  readonly facts: number;
  readonly compressions: number;
  readonly mode: SummariserMode;
  readonly seed: number;
}

export interface CompactionReport {
  readonly compressions: number;
  readonly extracts: number;
  readonly failedSummaries: number;
  /** Of the last request: planted rules that can still be read in it. */
  readonly factsKept: number;
  readonly facts: number;
  readonly isRequestVerbatim: boolean;
  /** Places that would have the finished task done again. */
  readonly restarts: number;
  readonly mentionsFinished: boolean;
  readonly messages: number;
  readonly lostMessages: number;
  /** Messages that are in no request any more but can be read again by their id. */
  readonly elided: number;
  readonly unreadable: number;
  readonly titles: readonly string[];
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

const taskA = "Task A: migrate the billing tables to the new schema";
const taskB =
  "Task B: write the release notes for version 4.2, at most 200 words, and keep the tone dry. Go step by step; use the shell.";
const liveSteps = 6;
const oldName = "proof";

/** One long session: rules are planted, task A is begun and finished, task B is under way when the last compression comes. */
export async function proveCompaction(wanted: CompactionWish): Promise<CompactionReport> {
  await using store = await openStore(
    { path: `${wanted.folder}/${wanted.mode}-${wanted.compressions}.db` },
    { clock: systemClock, log: silentLogger },
  );
  const journal: Message[] = [];
  const sessions: SessionId[] = [];
  const transcript = storeTranscript(store, sessions, journal);
  await using stage = await openStage({
    transcript,
    contextWindow: 128_000,
    server: { strict: true, contextWindow: 128_000 },
    tools: [
      fakeTool("terminal", {
        execute: (args) => Promise.resolve(result({ output: String(args["command"]), exit_code: 0 })),
      }),
    ],
    compression: { onCompression: (record) => store.turns.recordCompression(record) },
  });
  const { agent, server, conversation, compression } = stage;
  const first = conversation.sessionId;
  await store.sessions.create({ id: first, source: "cli" });
  await store.sessions.setTitle(first, oldName);
  sessions.push(first);
  const model = new ScriptedModel(wanted.mode);
  server.onRequest((request) => model.answer(request));
  const rules = plantedRules(wanted.facts, wanted.seed);
  const points = new Set(
    Array.from({ length: wanted.compressions - 1 }, (_, index) =>
      Math.floor(((index + 1) * wanted.turns) / wanted.compressions),
    ),
  );
  for (let turn = 1; turn < wanted.turns; turn += 1) {
    const isPoint = points.has(turn);
    if (isPoint && wanted.mode === "never-works") model.refuseSize();
    await agent.runConversation({ userMessage: requestOf(turn, wanted.turns, rules) });
    if (!isPoint || wanted.mode === "never-works") continue;
    const count = conversation.compressionCount;
    // The first try may fail, and must then have kept everything.
    for (let tries = 0; conversation.compressionCount === count && tries < 3; tries += 1)
      await compression.compressNow(undefined, never);
  }
  const live = requestOf(wanted.turns, wanted.turns, rules);
  model.beginLive();
  await agent.runConversation({ userMessage: live });
  const records = await allRecords(store, sessions);
  const last = mainCalls(server.requests).at(-1);
  const body = last === undefined ? "" : last.messages.map((message) => textIn(message["content"])).join("\n");
  server.assertClean();
  return {
    compressions: conversation.compressionCount,
    extracts: records.filter((record) => record.summaryStatus === "local_extract").length,
    failedSummaries: model.failed,
    facts: rules.length,
    factsKept: rules.filter((rule) => body.includes(rule)).length,
    isRequestVerbatim: isLiveVerbatim(last, live),
    ...aboutTaskA(conversation.history),
    ...(await checkStore(store, { sessions, journal, history: conversation.history })),
    titles: await titlesOf(store, sessions),
    tokensBefore: records.at(-1)?.tokensBefore ?? 0,
    tokensAfter: records.at(-1)?.tokensAfter ?? 0,
  };
}

/** The fake model: works with the shell, says what it did, and summarises by rule. */
class ScriptedModel {
  readonly #mode: SummariserMode;
  #summaryCalls = 0;
  #refusals = 0;
  #stepsLeft = 0;
  #isLive = false;
  #turn = 0;
  failed = 0;

  constructor(mode: SummariserMode) {
    this.#mode = mode;
  }

  /** The provider refuses the next request as too large. */
  refuseSize(): void {
    this.#refusals = 1;
  }

  /** From the next user message on several steps are taken, and the size is refused in their middle. */
  beginLive(): void {
    this.#isLive = true;
  }

  answer(request: ReceivedRequest): Reply {
    if (isSummaryCall(request)) return this.#summarise(request);
    if (this.#refusals > 0) {
      this.#refusals -= 1;
      return payloadTooLarge();
    }
    const message = request.messages.at(-1);
    if (message?.["role"] !== "user") return this.#afterTool();
    this.#turn += 1;
    this.#stepsLeft = this.#isLive ? liveSteps : 1;
    return this.#call(`turn ${this.#turn}`);
  }

  #afterTool(): Reply {
    this.#stepsLeft -= 1;
    if (this.#isLive && this.#stepsLeft === Math.floor(liveSteps / 2)) {
      this.#isLive = false;
      this.refuseSize();
      return this.#call("half of it");
    }
    if (this.#stepsLeft > 0) return this.#call(`step ${this.#stepsLeft}`);
    const isEnd = this.#turn === finishTurn;
    return says(
      isEnd ? "Task A is finished: the billing tables use the new schema." : `Turn ${this.#turn} is answered.`,
    );
  }

  #call(what: string): Reply {
    return reply([
      says(`Now ${what}. ${"It takes a while to explain. ".repeat(20)}`),
      calls("terminal", { command: `echo ${what}` }),
    ]);
  }

  #summarise(request: ReceivedRequest): Reply {
    this.#summaryCalls += 1;
    const fails =
      this.#mode === "never-works" || (this.#mode === "fails-every-other-time" && this.#summaryCalls % 2 === 1);
    if (fails) {
      this.failed += 1;
      return serverError();
    }
    return says(summarizeByRule(request.messages.map((message) => textIn(message["content"])).join("\n")));
  }
}

const startTurn = 5;
const finishTurn = 9;

function requestOf(turn: number, turns: number, rules: readonly string[]): string {
  if (turn === turns) return taskB;
  const perTurn = rules.length / (turns - 1);
  const planted = rules.slice(Math.floor((turn - 1) * perTurn), Math.floor(turn * perTurn));
  const task = turn === startTurn ? `${taskA}.` : `Request ${turn}: look into part ${turn} of the system.`;
  return [task, ...planted].join(" ");
}

/** Sentences nobody could guess: the values come from the seed. */
function plantedRules(count: number, seed: number): readonly string[] {
  let state = seed >>> 0;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state;
  };
  return Array.from(
    { length: count },
    (_, index) => `Rule: value ${index} must stay ${next().toString(36)}-${next().toString(36)}.`,
  );
}

function isLiveVerbatim(request: ReceivedRequest | undefined, live: string): boolean {
  const messages = request?.messages ?? [];
  const summary = messages.findLastIndex((message) => textIn(message["content"]).startsWith("[CONTEXT COMPACTION"));
  const latest = messages.findLast(
    (message) => message["role"] === "user" && !isOnlySummary(textIn(message["content"])),
  );
  const at = latest === undefined ? -1 : messages.indexOf(latest);
  const text = textIn(latest?.["content"]);
  return summary >= 0 && at >= summary && (text === live || text.endsWith(`\n\n${live}`));
}

function isOnlySummary(text: string): boolean {
  return findSummary({ role: "user", content: text })?.rest === "";
}

/** Whether the summary speaks of task A as done, and nowhere as something to do. */
function aboutTaskA(history: readonly Message[]) {
  const body = history.flatMap((message) => findSummary(message)?.body ?? []).join("\n");
  const open = ["Active Task", "In Progress", "Blocked", "Pending User Asks", "Remaining Work"];
  const restarts = open.filter((heading) => /Task A/.test(sectionOf(body, heading))).length;
  const done = `${sectionOf(body, "Completed Actions")}\n${sectionOf(body, "User requests so far")}`;
  return { restarts, mentionsFinished: done.includes("Task A") };
}

async function checkStore(
  store: Store,
  {
    sessions,
    journal,
    history,
  }: {
    readonly sessions: readonly SessionId[];
    readonly journal: readonly Message[];
    readonly history: readonly Message[];
  },
) {
  const lists = await Promise.all(sessions.map((id) => store.messages.conversation(id)));
  const whole = lists.flat();
  const stored = new Map(whole.map((message) => [message.uid, message]));
  const said = new Map(journal.map((message) => [message.uid, message]));
  const lost = [...said.values()].filter((message) => !lists.some((list) => list.some((one) => isSame(one, message))));
  const shown = new Set(history.map((message) => message.uid));
  const elided = [...said.keys()].filter((uid) => uid !== undefined && !shown.has(uid));
  const unreadable = elided.filter((uid) => spanOf(whole, { first: uid ?? "", last: uid ?? "" }).length === 0);
  return {
    messages: said.size,
    lostMessages: lost.length + (stored.size === 0 ? 1 : 0),
    elided: elided.length,
    unreadable: unreadable.length,
  };
}

function isSame(stored: Message, said: Message): boolean {
  return stored.uid === said.uid && textOf(stored.content) === textOf(said.content);
}

async function allRecords(store: Store, sessions: readonly SessionId[]) {
  return (await Promise.all(sessions.map((id) => store.turns.compressions(id)))).flat();
}

async function titlesOf(store: Store, sessions: readonly SessionId[]): Promise<readonly string[]> {
  const records = await Promise.all(sessions.map((id) => store.sessions.get(id)));
  for (const [index, record] of records.entries())
    if (index > 0 && record?.parentSessionId !== sessions[index - 1])
      throw new Error(`part ${index} does not follow part ${index - 1}`);
  return records.map((record) => record?.title ?? "");
}

/** The transcript of a surface in its smallest form, on the real store. */
function storeTranscript(store: Store, sessions: SessionId[], journal: Message[]): Transcript {
  const current = (): SessionId => {
    const id = sessions.at(-1);
    if (id === undefined) throw new Error("no session is open");
    return id;
  };
  return {
    record: async (messages) => {
      for (const message of messages) if (!journal.some((one) => one.uid === message.uid)) journal.push(message);
      await store.messages.append(current(), messages);
    },
    amend: async (messages) => {
      await store.messages.amend(current(), messages);
    },
    split: async (messages) => {
      const id = `${current().slice(0, 24)}_${sessions.length + 1}` as SessionId;
      await store.sessions.continueCompressed(current(), { id, messages });
      sessions.push(id);
      return id;
    },
    forget: async (uids) => {
      await store.messages.remove(current(), uids);
    },
  };
}

function textIn(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((part: unknown) => (typeof part === "object" && part !== null && "text" in part ? String(part.text) : ""))
    .join("\n");
}
