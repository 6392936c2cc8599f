import type { AgentEvent, Message, SessionId } from "#conversation";
import { defined } from "#foundation/defined";
import { silentLogger } from "#foundation/files/logger";
import { systemClock } from "#foundation/time/clock";
import { type AuxiliaryOutcome, Collector, type ModelFailure, type ModelRequest } from "#model";
import { classify, openConnections, streamModel } from "#model/testing";
import { speakingTools } from "#tools/testing";
import { type ModelServer, type ReceivedRequest, type Reply, says } from "../../../../test/fakes/model-server/index.ts";
import type { ContextKeeper, ContextKeeperDeps } from "../../context-keeper.ts";
import type { PromptSource, Transcript } from "../../ports.ts";
import { type HarnessGiven, openHarness } from "../../testing/harness.ts";
import { Compression, type CompressionDeps, createContextKeeper } from "../compression.ts";
import type { CompressionRecord } from "../compression-run.ts";
import { Compressor } from "../compressor.ts";
import type { ContextEngine } from "../engine.ts";
import type { CompressionSettings } from "../limits.ts";
import { auxiliarySummariser } from "../summarizer.ts";
import { defaultCompressionSettings, goodSummary } from "./builders.ts";

export interface StageGiven extends Omit<HarnessGiven, "deps"> {
  readonly deps?: HarnessGiven["deps"];
  readonly contextWindow?: number;
  /** Of the model that writes summaries; unset: unknown. */
  readonly summaryWindow?: number;
  readonly settings?: Partial<CompressionSettings>;
  readonly engine?: ContextEngine;
  readonly compression?: Partial<CompressionDeps>;
  readonly prompt?: PromptSource;
  readonly transcript?: Transcript;
}

export const auxModel = "aux-model";
const plainPrompt: PromptSource = {
  text: () => Promise.resolve("You are Hermes."),
  refresh: () => Promise.resolve({ text: "You are Hermes.", changedLayers: [] }),
  layers: () => Promise.resolve([]),
  rebuild: () => Promise.resolve(),
};

/** An agent with compression on a fake provider; summaries are asked of the model `aux-model` there. */
export async function openStage(supplied: StageGiven = {}) {
  const parts = new Map<SessionId, Message[]>();
  const records: CompressionRecord[] = [];
  const connections = openConnections();
  let keeper: ContextKeeper | undefined;
  let keeperDeps: ContextKeeperDeps | undefined;
  const required = (): ContextKeeper => {
    if (keeper === undefined) throw new Error("the stage is not set yet");
    return keeper;
  };
  const prompt = supplied.prompt ?? plainPrompt;
  const transcript = supplied.transcript ?? partsTranscript(parts);
  const harness = await openHarness({
    ...supplied,
    target: { limits: { contextWindow: supplied.contextWindow ?? 20_000 }, ...supplied.target },
    deps: {
      transcript,
      prompt,
      ...supplied.deps,
      keeper: (deps) => {
        keeperDeps = deps;
        return {
          fit: (turn, moment) => required().fit(turn, moment),
          relieve: (turn, cause) => required().relieve(turn, cause),
        };
      },
    },
  });
  const { conversation, clock, logger } = harness;
  if (supplied.transcript === undefined) parts.set(conversation.sessionId, []);
  const sideCall = async (request: ModelRequest, signal: AbortSignal) => {
    const collector = new Collector();
    let failure: ModelFailure | undefined;
    const deps = { connections, classify, clock: systemClock, logger: silentLogger };
    for await (const event of streamModel(request, deps, signal)) {
      if (event.type === "attempt-failed") failure = event.failure;
      else if (event.type !== "rate-limits") collector.add(event);
    }
    return { failure, message: collector.result().message };
  };
  const summarise = auxiliarySummariser(
    {
      planned: () => ({ provider: harness.target.provider, model: auxModel, source: "test", isMain: false }),
      run: async (_task, input, signal): Promise<AuxiliaryOutcome> => {
        const target = { ...harness.target, model: input.model ?? auxModel };
        const options = {
          stream: true,
          ...defined({ maxOutputTokens: input.maxTokens }),
        };
        const request = { target, system: "", messages: input.messages, tools: [], options };
        const { failure, message } = await sideCall(request, signal);
        if (failure === undefined) return { kind: "done", text: message.content, message, target };
        return { kind: "failed", code: failure.kind, message: failure.message, hint: "", failure };
      },
    },
    () => conversation.target,
  );
  const engine =
    supplied.engine ??
    new Compressor({
      settings: { ...defaultCompressionSettings, ...supplied.settings },
      clock,
      logger,
      summarise,
      redact: (text) => text,
      todos: () => conversation.todos.items,
      summaryModel: () =>
        supplied.summaryWindow === undefined
          ? undefined
          : { model: auxModel, contextWindow: supplied.summaryWindow, isMain: false },
      tools: () => speakingTools,
      canRecall: () => true,
      keepText: () => Promise.resolve(undefined),
      warn: (text) => harness.events.push({ type: "notice", level: "warn", text }),
    });
  const compression = new Compression({
    conversation,
    transcript,
    prompt,
    engine,
    isEnabled: true,
    clock,
    logger,
    prefill: [],
    tools: () => harness.requests.at(-1)?.tools ?? [],
    emit: (event) => void harness.events.push(event),
    onCompression: (record) => void records.push(record),
    ...supplied.compression,
  });
  harness.bus.observe("compression", compression);
  if (keeperDeps !== undefined) keeper = createContextKeeper(compression)(keeperDeps);
  return {
    ...harness,
    compression,
    engine,
    records,
    parts,
    sideCall,
    async [Symbol.asyncDispose]() {
      await connections[Symbol.asyncDispose]();
      await harness[Symbol.asyncDispose]();
    },
  };
}

/** Sessions in memory, by the rules of the store: one uid is stored once per session. */
export function partsTranscript(parts: Map<SessionId, Message[]>): Transcript {
  const current = (): Message[] => [...parts.values()].at(-1) ?? [];
  const add = (list: Message[], messages: readonly Message[]): void => {
    for (const message of messages) if (!list.some((known) => known.uid === message.uid)) list.push(message);
  };
  return {
    record: (messages) => Promise.resolve(add(current(), messages)),
    amend: (messages) => {
      const list = current();
      for (const message of messages) {
        const at = list.findIndex(({ uid }) => uid === message.uid);
        const known = list[at];
        if (known !== undefined) list[at] = { ...message, content: known.content } as Message;
      }
      return Promise.resolve();
    },
    split: (messages) => {
      const id = `part-${parts.size + 1}` as SessionId;
      const list: Message[] = [];
      add(list, messages);
      parts.set(id, list);
      return Promise.resolve(id);
    },
    forget: () => Promise.resolve(),
  };
}

export function isSummaryCall(request: ReceivedRequest): boolean {
  return request.rawBody.includes("<conversation>");
}

export function summaryCalls(requests: readonly ReceivedRequest[]): readonly ReceivedRequest[] {
  return requests.filter(isSummaryCall);
}

export function mainCalls(requests: readonly ReceivedRequest[]): readonly ReceivedRequest[] {
  return requests.filter((request) => !isSummaryCall(request));
}

/** Answers summary calls from this list, then with an empty summary; everything else is left to the script. */
export function summaries(server: ModelServer, ...replies: readonly Reply[]): void {
  const left = [...replies];
  server.onRequest((request) => (isSummaryCall(request) ? (left.shift() ?? says(goodSummary())) : undefined));
}

/** What the user was told. */
export function notices(events: readonly AgentEvent[]): readonly string[] {
  return events.flatMap((event) => (event.type === "notice" ? [event.text] : []));
}
