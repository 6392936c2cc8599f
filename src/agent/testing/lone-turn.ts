import type { AgentEvent, AssistantMessage, Message, SessionId, TurnId } from "#conversation";
import { defined } from "#foundation/defined";
import { silentLogger } from "#foundation/files/logger";
import { FakeClock } from "#foundation/testing/fake-clock";
import { type Collected, type FailureKind, type ModelFailure, noCredential, type Target } from "#model";
import { fakeTool } from "#tools/testing";
import { keepEverything } from "../context-keeper.ts";
import { Conversation } from "../conversation.ts";
import type { Remedy, RemedyContext } from "../recovery/remedy.ts";
import type { RemedyDeps } from "../recovery/standard.ts";
import type { Defect, Problem } from "../turn/problem.ts";
import { StepBudget } from "../turn/step-budget.ts";
import { Turn } from "../turn/turn.ts";

const target: Target = {
  provider: "custom",
  providerLabel: "Custom",
  model: "test-model",
  protocol: "chat_completions",
  baseUrl: "https://model.example/v1",
  query: {},
  headers: {},
  credential: noCredential,
  quirks: {},
  limits: { contextWindow: 128_000 },
  timeouts: { connectMs: 1, totalMs: 1, streamReadMs: 1, streamStaleMs: 0, wholeStaleMs: 0 },
  isLocal: false,
  source: "test",
};

const shown = [
  fakeTool("terminal"),
  fakeTool("web_search"),
  fakeTool("memory", { isHousekeeping: true }),
  fakeTool("read_file", { maxResultChars: Number.POSITIVE_INFINITY }),
];

/** A turn without a loop, a model or a server: what a remedy does to it can be looked at. */
export function loneTurn(input: { readonly history?: readonly Message[]; readonly target?: Partial<Target> } = {}) {
  const events: AgentEvent[] = [];
  const recorded: Message[] = [];
  const clock = new FakeClock();
  const own = { ...target, ...input.target };
  const conversation = new Conversation({ sessionId: "s" as SessionId, history: input.history ?? [], target: own });
  const stop = new AbortController();
  const turn = new Turn({
    turnId: "t" as TurnId,
    taskId: "task",
    sessionId: "s" as SessionId,
    history: input.history ?? [],
    target: own,
    steps: new StepBudget(90),
    transcript: {
      record: (messages) => Promise.resolve(void recorded.push(...messages)),
      amend: () => Promise.resolve(),
      split: () => Promise.resolve("s" as SessionId),
      forget: () => Promise.resolve(),
    },
    signal: stop.signal,
    clock,
    tools: () => new Map(shown.map((tool) => [tool.name, tool])),
    onAdjusted: (from, to) => conversation.adjust(from, to),
    events: { emit: (event) => void events.push(event) },
  });
  const deps: RemedyDeps = {
    conversation,
    clock,
    logger: silentLogger,
    maxAttempts: 3,
    onRateLimit: "eager",
    resolve: () => Promise.resolve({ kind: "failure", message: "not set up" }),
    credentialRecovery: () => undefined,
    canRotate: () => false,
    freshConnections: () => undefined,
    onFallback: () => undefined,
    random: () => 0,
  };
  const context: RemedyContext = {
    keeper: keepEverything,
    stopStreaming: () => undefined,
    afterSuccess: () => undefined,
  };
  return { turn, events, recorded, conversation, deps, context, stop };
}

/** Treats the problem as `recover` does: only if the remedy is for it, and only while it has uses left. */
export async function treat(remedy: Remedy, problem: Problem, turn: Turn) {
  if (!remedy.treats(problem, turn) || !turn.spend(remedy.name, remedy.limit)) return "not treated" as const;
  return remedy.apply(problem, turn);
}

export function failed(kind: FailureKind, more: Partial<ModelFailure> = {}, partial?: Collected): Problem {
  const failure: ModelFailure = {
    kind,
    provider: "custom",
    model: "test-model",
    message: kind,
    isPartial: partial !== undefined,
    isRetryable: true,
    mayCompress: false,
    mayRotate: false,
    mayFallBack: false,
    ...more,
  };
  return { stage: "request", failure, ...defined({ partial }) };
}

export function defective(defect: Defect, message: Partial<AssistantMessage> = {}): Problem {
  return { stage: "reply", defect, collected: collected(message) };
}

export function collected(message: Partial<AssistantMessage> = {}, more: Partial<Collected> = {}): Collected {
  return {
    message: { role: "assistant", content: "", ...message },
    text: message.content ?? "",
    finish: "stop",
    isPartial: false,
    isReasoningOpen: false,
    lostCalls: [],
    ...more,
  };
}
