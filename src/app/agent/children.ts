import {
  type AgentSettings,
  boundedSettings,
  type ChildIdentity,
  type ChildParent,
  type ChildSpec,
  type Compression,
  createContextKeeper,
  createDelegation,
  createPromptSource,
  createRecallExecute,
  type DelegationSettings,
  type OpenChild,
  type Transcript,
  unrecorded,
} from "#agent";
import type { Config } from "#config";
import type { SessionId } from "#conversation";
import { never } from "#foundation/lifecycle/abort";
import { type Auxiliary, parseEntries } from "#model";
import { newSessionId } from "#session";
import type { Store } from "#store";
import { type Tool, Toolsets } from "#tools";
import { type AgentParts, agentDeps } from "./agent-parts.ts";
import { readEffort } from "./live-settings.ts";
import { openCompression } from "./open-compression.ts";
import { gatherPrompt } from "./prompt-inputs.ts";
import { readSpan } from "./read-span.ts";
import type { SharedParts } from "./shared-parts.ts";
import { summaryModelOf } from "./summary-model.ts";

/** What the session has for its children. */
export type ChildShared = Pick<SharedParts, "loaded" | "home" | "store" | "children" | "books"> & {
  /** The side calls of the session; children have none of their own. */
  readonly auxiliary: Auxiliary;
};

/** What answers `delegate_task` in a session. */
export function openDelegation(parts: AgentParts, shared: ChildShared): Tool["execute"] {
  const { config, clock, logger, toolbox, memory, place } = parts;
  return createDelegation({
    parent: {
      conversation: parts.conversation,
      depth: 0,
      treeId: place.sessionKey,
      listing: () => parts.listing(),
      emit: (event) => place.events.emit(event),
    },
    table: shared.children,
    settings: delegationSettings(config),
    clock,
    logger,
    ports: {
      newSessionId: () => newSessionId(clock.now()),
      openChild: (spec) => openChild(spec, parts, shared),
      openChildTranscript: (parent, child) => childTranscript(parent, child, shared.store),
      toolsets: () => new Toolsets(toolbox.registry.snapshot(), config.custom_toolsets),
      childTarget: (signal) => childTarget(parts, signal),
      workspace: () => place.cwd,
      onDelegation: (task, result, child) => memory?.manager.delegated(task, result, child),
      onCall: (sessionId, call) => shared.books.childCall(sessionId, call),
      onChildStop: (stop) => parts.plugins.hooksFor(place.scope.key).notify("subagent_stop", stop, never),
      logsFolder: shared.home.logs,
      redact: (text) => toolbox.redact(text),
    },
  });
}

export function delegationSettings({ delegation }: Config): DelegationSettings {
  return boundedSettings({
    maxConcurrentChildren: delegation.max_concurrent_children,
    maxSpawnDepth: delegation.max_spawn_depth,
    isOrchestratorEnabled: delegation.orchestrator_enabled,
    maxSteps: delegation.max_iterations,
    childTimeoutMs: delegation.child_timeout_seconds * 1000,
    inheritsMcpTools: delegation.inherit_mcp_toolsets,
    inheritsFallback: delegation.inherit_fallback,
    ...(delegation.fallback_providers === undefined
      ? {}
      : { fallbackChain: parseEntries(delegation.fallback_providers, "delegation.fallback_providers").entries }),
    acpCommands: delegation.allow_acp_command,
  });
}

/** A child has the tools and the model of its parent, but neither its memory nor the user's files. */
async function openChild(spec: ChildSpec, parent: AgentParts, shared: ChildShared): Promise<OpenChild> {
  const { conversation } = spec;
  const { memory: _memory, keeper: _keeper, afterTurn: _afterTurn, ...rest } = parent;
  const prompt = createPromptSource({
    hasHistory: false,
    load: () => Promise.resolve(undefined),
    save: () => Promise.resolve(),
    gather: () =>
      gatherPrompt(
        {
          loaded: shared.loaded,
          home: shared.home,
          logger: parent.logger,
          cwd: parent.place.cwd,
          surface: parent.place.scope.source,
          listing: spec.listing,
          model: conversation.primary.model,
          provider: conversation.primary.provider,
          startedAtMs: parent.clock.now(),
          skipsFiles: true,
          memory: undefined,
          providerBlock: undefined,
          skills: undefined,
          warn: () => undefined,
        },
        never,
      ),
  });
  const place = { ...parent.place, sessionId: conversation.sessionId, treeId: spec.treeId as SessionId };
  const recall = createRecallExecute(readSpan(conversation, shared.store));
  const parts: AgentParts = {
    ...rest,
    memory: undefined,
    conversation,
    prompt,
    place,
    listing: () => spec.listing,
    agentTools: new Map([...parent.agentTools, ["context_recall", recall]]),
    settings: childSettings(parent),
  };
  const deps = agentDeps({ ...parts, keeper: createContextKeeper(childCompression(parts, shared)) });
  return { deps, [Symbol.asyncDispose]: () => parent.toolbox.release(spec.id) };
}

/**
 * Keeps a long child within its window. Its session is not cut into parts: everything it said stays stored in one, and
 * nobody goes on with it.
 */
function childCompression(parts: AgentParts, { auxiliary, store }: ChildShared): Compression {
  const { conversation, models, logger } = parts;
  return openCompression({
    ...parts,
    isBeside: true,
    transcript: unrecorded(conversation.sessionId),
    auxiliary,
    emit: (event) => logger.debug("compression of a child", { event: event.type }),
    flush: () => Promise.resolve(),
    summaryModel: () => summaryModelOf(auxiliary, conversation, models),
    record: (record) => store.turns.recordCompression(record),
  });
}

/** `delegation.reasoning_effort`; without it children think as long as their parent. */
function childSettings({ config, settings }: AgentParts): AgentSettings {
  const reasoning = readEffort(config.delegation.reasoning_effort);
  return reasoning === undefined ? settings : { ...settings, request: { ...settings.request, reasoning } };
}

/** What becomes of a child's flagged command; `subagent_auto_approve` is the older way to let it run. */
export function childApprovals({ delegation }: Config): Config["delegation"]["approvals"] {
  return delegation.approvals === "deny" && delegation.subagent_auto_approve ? "approve" : delegation.approvals;
}

/** A session of its own below the parent's, hidden from lists by its source. */
async function childTranscript(parent: ChildParent, child: ChildIdentity, store: Store): Promise<Transcript> {
  await store.sessions.create({
    id: child.sessionId,
    source: child.source,
    model: child.model,
    parentSessionId: parent.sessionId,
    lineage: "delegation",
  });
  return {
    record: async (messages) => void (await store.messages.append(child.sessionId, messages)),
    amend: async (messages) => void (await store.messages.amend(child.sessionId, messages)),
    split: () => Promise.resolve(child.sessionId),
    forget: async (uids) => void (await store.messages.remove(child.sessionId, uids)),
  };
}

async function childTarget({ config, conversation, models }: AgentParts, signal: AbortSignal) {
  const { model, provider, base_url, api_key } = config.delegation;
  if (model === "" && provider === "" && base_url === "")
    return { kind: "target", target: conversation.target } as const;
  const resolution = await models.resolve(
    {
      ...(model === "" ? {} : { model }),
      ...(provider === "" ? {} : { provider }),
      ...(base_url === "" ? {} : { baseUrl: base_url }),
      ...(api_key.isEmpty ? {} : { apiKey: api_key }),
      source: "delegation",
    },
    signal,
  );
  if (resolution.kind === "target") return { kind: "target", target: resolution.target } as const;
  return { kind: "failure", message: `${resolution.message} ${resolution.hint}` } as const;
}
