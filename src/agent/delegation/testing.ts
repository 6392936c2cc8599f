import { type AgentEvent, EventBus, type Message, type SessionId } from "#conversation";
import { defined } from "#foundation/defined";
import { silentLogger } from "#foundation/files/logger";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { type Clock, systemClock } from "#foundation/time/clock";
import type { FallbackEntry, Target } from "#model";
import { classify, openConnections, streamModel } from "#model/testing";
import { type Listing, type Tool, Toolsets } from "#tools";
import { fakeTool, listingOf, noAbilities, registryOf, testScope, todoTool } from "#tools/testing";
import {
  calls,
  type ReceivedRequest,
  type Reply,
  says,
  startModelServer,
} from "../../../test/fakes/model-server/index.ts";
import { Agent } from "../agent.ts";
import type { AgentDeps } from "../agent-deps.ts";
import { Conversation } from "../conversation.ts";
import type { PromptSource } from "../ports.ts";
import { buildPrompt } from "../prompt/system-prompt.ts";
import { type RemedyDeps, standardRemedies } from "../recovery/standard.ts";
import { groupedDeps } from "../testing/flat-deps.ts";
import { targetOn } from "../testing/harness.ts";
import { defaultAgentSettings, freeOfCharge } from "../testing/index.ts";
import type { CallMoney } from "../turn/request/call-model.ts";
import type { ChildEntry } from "./child-result.ts";
import type { ChildIdentity, ChildParent, ChildSpec, DelegationPorts } from "./child-spec.ts";
import { ChildTable } from "./child-table.ts";
import { createDelegation } from "./delegate.ts";
import { createDelegateTool, delegating } from "./delegate-tool.ts";
import { boundedSettings, type DelegationSettings } from "./settings.ts";

export interface DelegationGiven {
  readonly tools?: readonly Tool[];
  readonly enabledToolsets?: readonly string[];
  readonly settings?: Partial<DelegationSettings>;
  readonly maxTotalChildren?: number;
  readonly clock?: Clock;
  readonly ports?: Partial<DelegationPorts>;
  readonly target?: Partial<Target>;
  readonly fallbackChain?: readonly FallbackEntry[];
  readonly remedies?: Partial<RemedyDeps>;
  readonly parentSteps?: number;
  /** The money of the parent (no spec) and of each child. */
  moneyFor?(spec: ChildSpec | undefined, sessionId: SessionId): CallMoney;
}

interface StoredChild {
  readonly parent: ChildParent;
  readonly child: ChildIdentity;
  readonly messages: Message[];
}

const usualTools = [
  fakeTool("terminal"),
  fakeTool("clarify", { isForMainAgent: true }),
  fakeTool("memory", { isForMainAgent: true }),
];

/** A parent that can delegate and its children, all on one fake provider over real HTTP. */
export async function openDelegation(input: DelegationGiven = {}) {
  const server = await startModelServer({ strict: true });
  const connections = openConnections();
  const clock = input.clock ?? systemClock;
  const logger = memoryLogger();
  const settings = boundedSettings(input.settings);
  const tools = input.tools ?? usualTools;
  const { registry } = registryOf(...tools, todoTool, createDelegateTool(settings));
  const wanted = defined({ enabledToolsets: input.enabledToolsets });
  const listing = await listingOf(registry, wanted);
  const table = new ChildTable({ clock, logger, maxTotalChildren: input.maxTotalChildren ?? 12 });
  const events: AgentEvent[] = [];
  const recorded: Message[] = [];
  const stored: StoredChild[] = [];
  const opened: ChildSpec[] = [];
  const closed: string[] = [];
  const conversation = new Conversation({
    sessionId: "20260101_000000_0badf00d" as SessionId,
    history: [],
    target: targetOn(server, defined({ target: input.target })),
    ...defined({ fallbackChain: input.fallbackChain }),
  });

  const partsFor = (own: Conversation, shown: Listing, spec?: ChildSpec): AgentDeps =>
    groupedDeps({
      conversation: own,
      clock,
      logger,
      settings: { ...defaultAgentSettings, maxSteps: input.parentSteps ?? 90, maxConcurrentChildren: 50 },
      scope: testScope(),
      stream: (request, signal) => streamModel(request, { connections, classify, clock: systemClock, logger }, signal),
      money: input.moneyFor?.(spec, own.sessionId) ?? freeOfCharge,
      transcript: {
        record: (messages) => Promise.resolve(void recorded.push(...messages)),
        amend: () => Promise.resolve(),
        split: () => Promise.resolve(own.sessionId),
        forget: () => Promise.resolve(),
      },
      prompt: fixedPrompt(promptText(shown, spec !== undefined)),
      tools: {
        listing: () => shown,
        files: { keep: () => Promise.resolve(undefined) },
        redact: (text) => text,
        abilities: () => noAbilities.with(delegating, createDelegation(delegation)),
        observers: () => [],
        hintsFor: () => Promise.resolve(""),
      },
      remedies: (context) => standardRemedies({ ...remedyDeps(own), ...input.remedies }, context),
      events: listening(events),
    });
  const remedyDeps = (own: Conversation): RemedyDeps => ({
    conversation: own,
    clock: systemClock,
    logger,
    maxAttempts: 1,
    onRateLimit: "eager",
    resolve: () => Promise.resolve({ kind: "failure", message: "not set up" }),
    credentialRecovery: () => undefined,
    canRotate: () => false,
    freshConnections: () => connections.fresh(),
    onFallback: () => undefined,
  });
  let sessions = 0;
  const ports: DelegationPorts = {
    newSessionId() {
      sessions += 1;
      return `20260101_000000_${String(sessions).padStart(8, "0")}` as SessionId;
    },
    openChild(spec) {
      opened.push(spec);
      const deps = partsFor(spec.conversation, spec.listing, spec);
      return Promise.resolve({
        deps,
        [Symbol.asyncDispose]: () => Promise.resolve(void closed.push(spec.id)),
      });
    },
    openChildTranscript(parent, child) {
      const messages: Message[] = [];
      stored.push({ parent, child, messages });
      return {
        record: (more) => Promise.resolve(void messages.push(...more)),
        amend: () => Promise.resolve(),
        split: () => Promise.resolve(child.sessionId),
        forget: () => Promise.resolve(),
      };
    },
    toolsets: () => new Toolsets(registry.snapshot()),
    ...input.ports,
  };
  const delegation = {
    parent: { conversation, depth: 0, listing: () => listing, emit: (event: AgentEvent) => void events.push(event) },
    table,
    ports,
    settings,
    clock,
    logger,
  };
  const agent = new Agent(partsFor(conversation, listing));
  return {
    agent,
    server,
    table,
    logger,
    events,
    recorded,
    stored,
    opened,
    closed,
    conversation,
    async [Symbol.asyncDispose]() {
      await table[Symbol.asyncDispose]();
      await connections[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** What the parent's model answers: one delegation with these arguments, then a closing word. */
export function parentDelegates(args: Readonly<Record<string, unknown>>): (request: ReceivedRequest) => Reply {
  return (request) =>
    request.messages.some((message) => message["role"] === "tool") ? says("All done.") : calls("delegate_task", args);
}

/** The goal a request is about, when it comes from a child. */
export function childGoal(request: ReceivedRequest): string | undefined {
  if (!request.systemText.includes("handed to you")) return undefined;
  const user = request.messages.find((message) => message["role"] === "user");
  return typeof user?.["content"] === "string" ? user["content"] : "";
}

export interface DelegationResult {
  readonly results: readonly ChildEntry[];
  readonly total_duration_seconds: number;
  readonly warnings?: readonly string[];
  readonly error?: string;
}

/** What the parent's model reads about its first delegation. */
export function delegationResult(messages: readonly Message[]): DelegationResult {
  const message = messages.find((one) => one.role === "tool" && one.tool_name === "delegate_task");
  return JSON.parse(String(message?.content)) as DelegationResult;
}

function fixedPrompt(text: string): PromptSource {
  return {
    text: () => Promise.resolve(text),
    refresh: () => Promise.resolve({ text, changedLayers: [] }),
    layers: () => Promise.resolve([]),
    rebuild: () => Promise.resolve(),
  };
}

/** The real layers: the parent has a soul and notes of its own, a child gets the default identity. */
function promptText(listing: Listing, isChild: boolean): string {
  return buildPrompt({
    toolNames: [...listing.names],
    model: "test-model",
    provider: "custom",
    toolUseEnforcement: false,
    session: { startedAtMs: Date.UTC(2026, 0, 1), timeZone: "UTC" },
    environment: { isWsl: false, isTermux: false },
    platform: "cli",
    ...(isChild
      ? { skipContextFiles: true }
      : { soul: "I am the SOUL of this house.", memoryBlock: "MEMORY: likes tea." }),
  }).text;
}

export type Delegation = Awaited<ReturnType<typeof openDelegation>>;

/** Parent requests get the delegation, child requests what `child` says for their goal and the number of the request. */
export function play(
  { server }: Delegation,
  args: Readonly<Record<string, unknown>>,
  child: (goal: string, number: number) => Reply,
): void {
  const seen = new Map<string, number>();
  server.onRequest((request) => {
    const goal = childGoal(request);
    if (goal === undefined) return parentDelegates(args)(request);
    seen.set(goal, (seen.get(goal) ?? 0) + 1);
    return child(goal, seen.get(goal) ?? 0);
  });
}

export type ChildEvent = Extract<AgentEvent, { type: "child-event" }>;
export const childEvents = (events: readonly AgentEvent[]): readonly ChildEvent[] =>
  events.filter((event): event is ChildEvent => event.type === "child-event");
export const milestones = (events: readonly AgentEvent[]) =>
  childEvents(events).flatMap(({ milestone }) => (milestone === undefined ? [] : [milestone.kind]));
export const tasks = (...goals: readonly string[]) => ({ tasks: goals.map((goal) => ({ goal })) });

function listening(events: AgentEvent[]): EventBus {
  const bus = new EventBus(silentLogger);
  bus.subscribe((event) => void events.push(event));
  return bus;
}
