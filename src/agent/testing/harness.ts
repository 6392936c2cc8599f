import { type AgentEvent, EventBus, type Message, type SessionId } from "#conversation";
import { defined } from "#foundation/defined";
import { FakeClock } from "#foundation/testing/fake-clock";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { systemClock } from "#foundation/time/clock";
import { type FallbackEntry, type ModelRequest, noCredential, type Target } from "#model";
import { classify, openConnections, type ProtocolName, streamModel } from "#model/testing";
import type { Tool } from "#tools";
import { fakeTool, listingOf, noAbilities, registryOf, testScope, todoTool } from "#tools/testing";
import { startModelServer } from "../../../test/fakes/model-server/index.ts";
import { Agent } from "../agent.ts";
import type { AgentTools } from "../agent-deps.ts";
import { Conversation } from "../conversation.ts";
import type { Transcript } from "../ports.ts";
import { type RemedyDeps, standardRemedies } from "../recovery/standard.ts";
import { type FlatDeps, groupedDeps } from "./flat-deps.ts";
import { defaultAgentSettings, freeOfCharge } from "./index.ts";

export interface HarnessGiven {
  readonly protocol?: Extract<ProtocolName, "chat_completions" | "anthropic_messages" | "codex_responses">;
  readonly target?: Partial<Target>;
  readonly tools?: readonly Tool[];
  readonly history?: readonly Message[];
  readonly server?: Parameters<typeof startModelServer>[0];
  readonly fallbackChain?: readonly FallbackEntry[];
  readonly deps?: Partial<FlatDeps>;
  readonly remedies?: Partial<RemedyDeps>;
}

/** An agent on a fake provider over real HTTP, with everything it does kept for the test to look at. */
export async function openHarness(input: HarnessGiven = {}) {
  const server = await startModelServer({ strict: true, ...input.server });
  const connections = openConnections();
  const clock = new FakeClock(Date.UTC(2026, 0, 1), { autoAdvance: true });
  const logger = memoryLogger();
  const { registry } = registryOf(...(input.tools ?? [fakeTool("terminal")]), todoTool);
  const listing = await listingOf(registry);
  const events: AgentEvent[] = [];
  const bus = new EventBus(logger);
  bus.subscribe((event) => void events.push(event));
  const recorded: Message[] = [];
  const requests: ModelRequest[] = [];
  const target = targetOn(server, input);
  const conversation = new Conversation({
    sessionId: "20260101_000000_0badf00d" as SessionId,
    history: input.history ?? [],
    target,
    ...defined({ fallbackChain: input.fallbackChain }),
  });
  const transcript: Transcript = {
    record: (messages) => Promise.resolve(void recorded.push(...messages)),
    amend: (messages) => {
      const amended = new Map(messages.map((message) => [message.uid, message]));
      recorded.splice(0, recorded.length, ...recorded.map((message) => amended.get(message.uid) ?? message));
      return Promise.resolve();
    },
    split: () => Promise.resolve(conversation.sessionId),
    forget: (uids) => {
      const kept = recorded.filter((message) => !uids.includes(message.uid ?? ""));
      recorded.splice(0, recorded.length, ...kept);
      return Promise.resolve();
    },
  };
  const remedyDeps: RemedyDeps = {
    conversation,
    clock,
    logger,
    maxAttempts: 3,
    onRateLimit: "eager",
    resolve: () => Promise.resolve({ kind: "failure", message: "not set up" }),
    credentialRecovery: () => undefined,
    canRotate: () => false,
    freshConnections: () => connections.fresh(),
    onFallback: () => undefined,
    ...input.remedies,
  };
  const agentTools: AgentTools = {
    listing: () => listing,
    files: { keep: () => Promise.resolve(undefined) },
    redact: (text) => text,
    abilities: () => noAbilities,
    observers: () => [],
    hintsFor: () => Promise.resolve(""),
  };
  const agent = new Agent(
    groupedDeps({
      conversation,
      clock,
      logger,
      settings: defaultAgentSettings,
      scope: testScope(),
      stream: (request, signal) => streamModel(request, { connections, classify, clock: systemClock, logger }, signal),
      money: freeOfCharge,
      transcript,
      prompt: {
        text: () => Promise.resolve("You are Hermes."),
        refresh: () => Promise.resolve({ text: "You are Hermes.", changedLayers: [] }),
        layers: () => Promise.resolve([]),
        rebuild: () => Promise.resolve(),
      },
      tools: agentTools,
      remedies: (context) => standardRemedies(remedyDeps, context),
      events: bus,
      onRequest: (request) => void requests.push(request),
      ...input.deps,
    }),
  );
  return {
    agent,
    agentTools,
    server,
    clock,
    logger,
    conversation,
    events,
    bus,
    recorded,
    requests,
    target,
    async [Symbol.asyncDispose]() {
      await connections[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** A target on the fake server; `given.target` changes single facts. */
export function targetOn(
  server: Awaited<ReturnType<typeof startModelServer>>,
  input: Pick<HarnessGiven, "protocol" | "target"> = {},
): Target {
  const protocol = input.protocol ?? "chat_completions";
  const addresses = {
    chat_completions: server.chatBaseUrl,
    anthropic_messages: server.anthropicBaseUrl,
    codex_responses: server.responsesBaseUrl,
  };
  return {
    provider: "custom",
    providerLabel: "Custom",
    model: "test-model",
    protocol,
    baseUrl: addresses[protocol],
    query: {},
    headers: {},
    credential: noCredential,
    quirks: protocol === "anthropic_messages" ? { cacheMarks: "block", thinkingReplay: "signed" } : {},
    limits: { contextWindow: 128_000 },
    timeouts: { connectMs: 5_000, totalMs: 60_000, streamReadMs: 20_000, streamStaleMs: 0, wholeStaleMs: 0 },
    isLocal: false,
    source: "test",
    ...input.target,
  };
}
