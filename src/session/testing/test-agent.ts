import { Agent, Conversation } from "#agent";
import { defaultAgentSettings, freeOfCharge, standardRemedies } from "#agent/testing";
import type { Message } from "#conversation";
import type { Logger } from "#foundation/files/logger";
import { FakeClock } from "#foundation/testing/fake-clock";
import { systemClock } from "#foundation/time/clock";
import { noCredential, type Target } from "#model";
import { classify, openConnections, streamModel } from "#model/testing";
import { askingUser, type Listing, type Tool } from "#tools";
import { clarifyTool, fakeTool, listingOf, noAbilities, registryOf, testScope, todoTool } from "#tools/testing";
import type { startModelServer } from "../../../test/fakes/model-server/index.ts";
import type { AgentServices } from "../services/services.ts";
import type { AgentRequest, OpenAgent, SessionAgent } from "../services/session-agent.ts";
import { toolService } from "../services/tools.ts";

type Server = Awaited<ReturnType<typeof startModelServer>>;

export interface TestAgentOptions {
  readonly server: Server;
  readonly logger: Logger;
  /** Tools besides `todo` and `clarify`; they see what the session handed over. */
  tools?(request: AgentRequest): readonly Tool[];
  /** Replaces single functions of services. */
  services?(
    request: AgentRequest,
    agent: Agent,
  ): { readonly [Name in keyof AgentServices]?: Partial<AgentServices[Name]> };
  onOpen?(request: AgentRequest, opened: SessionAgent): void;
}

/** A real agent that talks to the fake model server; the services beside it are as small as possible. */
export function testOpenAgent(options: TestAgentOptions): OpenAgent {
  return async (request) => {
    const connections = openConnections();
    const { registry } = registryOf(...(options.tools?.(request) ?? [fakeTool("terminal")]), todoTool, clarifyTool);
    const listing = await listingOf(registry);
    const conversation = new Conversation({
      sessionId: request.sessionId,
      rootSessionId: request.rootSessionId,
      history: request.history,
      target: testTarget(options.server),
    });
    const agent = buildAgent(options, { request, conversation, listing, connections });
    const opened: SessionAgent = {
      agent,
      services: changed(smallServices(request, agent, listing), options.services?.(request, agent) ?? {}),
      [Symbol.asyncDispose]: () => connections[Symbol.asyncDispose](),
    };
    options.onOpen?.(request, opened);
    return opened;
  };
}

function changed(services: AgentServices, changes: object): AgentServices {
  const merged = Object.entries(changes).map(([name, change]) => [
    name,
    { ...services[name as keyof AgentServices], ...change },
  ]);
  return { ...services, ...Object.fromEntries(merged) };
}

function smallServices({ options }: AgentRequest, { conversation }: Agent, listing: Listing): AgentServices {
  let isYolo = options.yolo === true;
  return {
    agents: { list: () => Promise.resolve({ agents: [], broken: [] }) },
    models: {
      facts: {
        source: "test",
        isDemo: false,
        warnings: [],
        windowWarning: undefined,
        windowSource: undefined,
        hasFastService: true,
      },
      sideModels: () => Promise.resolve([]),
      list: () => Promise.resolve([{ value: "test-model", label: "test-model", detail: "custom", isCurrent: true }]),
      switch: ({ model }) => {
        conversation.choose({ ...conversation.primary, model });
        return Promise.resolve({ ok: true, message: `Model: ${model}` });
      },
      refresh: () => Promise.resolve(),
    },
    skills: {
      commands: () => Promise.resolve([]),
      unreachable: () => Promise.resolve([]),
      hub: () => Promise.reject(new Error("no hubs in this test")),
      invoke: () => Promise.resolve(undefined),
    },
    tools: {
      ...toolService({
        shown: { listing, isCurrent: true, refresh: () => Promise.resolve(false) },
        setEnabled: (names) => Promise.resolve(`Changed: ${names.join(", ")}.`),
        mcpServers: () => [],
        reloadMcp: () => Promise.resolve("No servers."),
      }),
      describe: () => [{ name: "test", tools: [...listing.names], unavailable: [] }],
    },
    context: { shares: () => Promise.resolve([]), compress: () => Promise.resolve(undefined) },
    checkpoints: {
      list: () => Promise.resolve([]),
      diff: () => Promise.resolve(""),
      restore: () => Promise.resolve("Restored."),
      undo: () => Promise.resolve(undefined),
      takenBack: () => undefined,
    },
    approvals: {
      get isYolo() {
        return isYolo;
      },
      isPlanning: false,
      setPlanning: () => undefined,
      rules: () => Promise.resolve([]),
      addRule: () => Promise.resolve(undefined),
      removeRule: () => Promise.resolve(false),
      setYolo(isOn) {
        isYolo = isOn;
        return isOn;
      },
    },
    behaviour: {
      reasoning: "",
      personality: "",
      isFast: false,
      setReasoning: () => undefined,
      setPersonality: () => undefined,
      setFast: () => undefined,
    },
    processes: { list: () => [], stopAll: () => Promise.resolve(0) },
    account: { lines: () => Promise.resolve([]), budget: () => Promise.resolve([]) },
    memory: {
      remembered: () => Promise.resolve([]),
      pending: () => Promise.resolve([]),
      confirm: () => Promise.resolve("Kept."),
      reject: () => Promise.resolve("Refused."),
      flush: () => Promise.resolve(),
      end: () => Promise.resolve(),
    },
    titles: { suggest: () => Promise.resolve(undefined) },
    references: { expand: (text) => Promise.resolve({ text, attached: [], attachedTokens: 0, warnings: [] }) },
  };
}

function buildAgent(
  input: TestAgentOptions,
  parts: {
    readonly request: AgentRequest;
    readonly conversation: Conversation;
    readonly listing: Awaited<ReturnType<typeof listingOf>>;
    readonly connections: ReturnType<typeof openConnections>;
  },
): Agent {
  const { request: spec, conversation, listing, connections } = parts;
  const { logger } = input;
  const clock = new FakeClock(Date.UTC(2026, 0, 1), { autoAdvance: true });
  const promptText = "You are Hermes.";
  return new Agent({
    conversation,
    clock: systemClock,
    logger,
    settings: defaultAgentSettings,
    scope: testScope({ key: spec.sessionId, source: spec.options.source, cwd: spec.options.cwd }),
    model: {
      stream: (request, signal) => streamModel(request, { connections, classify, clock: systemClock, logger }, signal),
      money: freeOfCharge,
      remedies: (context) =>
        standardRemedies(
          {
            conversation,
            clock,
            logger,
            maxAttempts: 1,
            onRateLimit: "eager",
            resolve: () => Promise.resolve({ kind: "failure", message: "not set up" }),
            credentialRecovery: () => undefined,
            canRotate: () => false,
            freshConnections: () => connections.fresh(),
            onFallback: () => undefined,
          },
          context,
        ),
    },
    record: { transcript: spec.transcript },
    prompt: {
      source: {
        async text() {
          const stored = await spec.prompt.load();
          if (stored === undefined) await spec.prompt.save(promptText, { version: 1, fingerprint: "f1" });
          return stored?.text ?? promptText;
        },
        refresh: () => Promise.resolve({ text: promptText, changedLayers: [] }),
        layers: () => Promise.resolve([]),
        rebuild: () => Promise.resolve(),
      },
    },
    memory: {},
    observers: { events: spec.events },
    tools: {
      listing: () => listing,
      files: { keep: () => Promise.resolve(undefined) },
      redact: (text) => text,
      abilities: () =>
        spec.askUser === undefined
          ? noAbilities
          : noAbilities.with(askingUser, { ask: spec.askUser, timeoutMs: 600_000 }),
      observers: () => [],
      hintsFor: () => Promise.resolve(""),
    },
  });
}

function testTarget(server: Server): Target {
  return {
    provider: "custom",
    providerLabel: "Custom",
    model: "test-model",
    protocol: "chat_completions",
    baseUrl: server.chatBaseUrl,
    query: {},
    headers: {},
    credential: noCredential,
    quirks: {},
    limits: { contextWindow: 128_000 },
    timeouts: { connectMs: 5_000, totalMs: 60_000, streamReadMs: 20_000, streamStaleMs: 0, wholeStaleMs: 0 },
    isLocal: false,
    source: "test",
  };
}

export function textsOf(messages: readonly Message[]): readonly string[] {
  return messages.map((message) => (typeof message.content === "string" ? message.content : "[parts]"));
}
