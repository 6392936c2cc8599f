import { Agent, Conversation, defaultAgentSettings, freeOfCharge, standardRemedies } from "#agent";
import type { Message } from "#conversation";
import type { Logger } from "#foundation/files/logger";
import { FakeClock, systemClock } from "#foundation/time/clock";
import { classify, noCredential, openConnections, streamModel, type Target } from "#model";
import { clarifyTool, clarifyWith, type Tool, todoTool } from "#tools";
import { fakeTool, listingOf, registryOf, testScope } from "#tools/testing";
import type { startModelServer } from "../../../test/fakes/model-server/index.ts";
import type { AgentHandle, AgentSpec, OpenAgent } from "../agent-handle.ts";

type Server = Awaited<ReturnType<typeof startModelServer>>;

export interface HandleGiven {
  readonly server: Server;
  readonly logger: Logger;
  /** Tools besides `todo` and `clarify`; they see what the session handed over. */
  tools?(spec: AgentSpec): readonly Tool[];
  /** Replaces single parts of the handle. */
  change?(spec: AgentSpec, handle: AgentHandle): Partial<AgentHandle>;
  onOpen?(spec: AgentSpec, handle: AgentHandle): void;
}

/** A handle over a real agent that talks to the fake model server; everything else is as small as possible. */
export function testOpenAgent(given: HandleGiven): OpenAgent {
  return async (spec) => {
    const connections = openConnections();
    const { registry } = registryOf(...(given.tools?.(spec) ?? [fakeTool("terminal")]), todoTool, clarifyTool);
    const listing = await listingOf(registry);
    const conversation = new Conversation({
      sessionId: spec.sessionId,
      rootSessionId: spec.rootSessionId,
      history: spec.history,
      target: testTarget(given.server),
    });
    const agent = buildAgent(given, { spec, conversation, listing, connections });
    let isYolo = spec.wish.yolo === true;
    const handle: AgentHandle = {
      agent,
      facts: () => ({
        modelSource: "test",
        isDemo: false,
        toolsets: [{ name: "test", tools: [...listing.names], unavailable: [] }],
        isYolo,
        warnings: [],
      }),
      models: {
        list: () => Promise.resolve([{ value: "test-model", label: "test-model", detail: "custom", isCurrent: true }]),
        switch: ({ model }) => {
          conversation.choose({ ...conversation.primary, model });
          return Promise.resolve({ ok: true, message: `Model: ${model}` });
        },
      },
      skills: { commands: () => Promise.resolve([]), invoke: () => Promise.resolve(undefined) },
      tools: { describe: () => [], setEnabled: (names) => Promise.resolve(`Changed: ${names.join(", ")}.`) },
      compress: () => Promise.resolve(undefined),
      checkpoints: {
        list: () => Promise.resolve([]),
        diff: () => Promise.resolve(""),
        restore: () => Promise.resolve("Restored."),
      },
      setYolo: (isOn) => {
        isYolo = isOn;
        return isOn;
      },
      setReasoning: () => undefined,
      setPersonality: () => undefined,
      setFast: () => undefined,
      processes: () => [],
      stopProcesses: () => Promise.resolve(0),
      account: () => Promise.resolve([]),
      reloadMcp: () => Promise.resolve("No servers."),
      memory: {
        pending: () => Promise.resolve([]),
        confirm: () => Promise.resolve("Kept."),
        reject: () => Promise.resolve("Refused."),
      },
      flush: () => Promise.resolve(),
      suggestTitle: () => Promise.resolve(undefined),
      expand: (text) => Promise.resolve({ text, warnings: [] }),
      [Symbol.asyncDispose]: () => connections[Symbol.asyncDispose](),
    };
    const changed = { ...handle, ...given.change?.(spec, handle) };
    given.onOpen?.(spec, changed);
    return changed;
  };
}

function buildAgent(
  given: HandleGiven,
  parts: {
    readonly spec: AgentSpec;
    readonly conversation: Conversation;
    readonly listing: Awaited<ReturnType<typeof listingOf>>;
    readonly connections: ReturnType<typeof openConnections>;
  },
): Agent {
  const { spec, conversation, listing, connections } = parts;
  const { logger } = given;
  const clock = new FakeClock(Date.UTC(2026, 0, 1), { autoAdvance: true });
  const promptText = "You are Hermes.";
  return new Agent({
    conversation,
    clock: systemClock,
    logger,
    settings: defaultAgentSettings,
    scope: testScope({ key: spec.sessionId, source: spec.wish.source, cwd: spec.wish.cwd }),
    stream: (request, signal) => streamModel(request, { connections, classify, clock: systemClock, logger }, signal),
    money: freeOfCharge,
    transcript: spec.transcript,
    prompt: {
      async text() {
        const stored = await spec.prompt.load();
        if (stored === undefined) await spec.prompt.save(promptText, { version: 1, fingerprint: "f1" });
        return stored?.text ?? promptText;
      },
      refresh: () => Promise.resolve({ text: promptText, changedLayers: [] }),
      rebuild: () => Promise.resolve(),
    },
    tools: {
      listing: () => listing,
      files: { keep: () => Promise.resolve(undefined) },
      redact: (text) => text,
      agentTools: new Map([["clarify", clarifyWith(spec.askUser, 600_000)]]),
      observers: () => [],
      hintsFor: () => Promise.resolve(""),
    },
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
    events: spec.events,
    afterTurn: (result) => spec.onTurnEnd(result),
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
