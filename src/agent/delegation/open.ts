import type { Config } from "#config";
import { never } from "#foundation/lifecycle/abort";
import { parseEntries, readModelName } from "#model";
import { Toolsets } from "#tools";
import type { AgentDeps, AgentSettings } from "../agent-deps.ts";
import type { AssembledAgent, Assembly, assembleAgent } from "../assemble.ts";
import type { Conversation } from "../conversation.ts";
import { readEffort } from "../live-settings.ts";
import type { SessionMemory } from "../memory/open.ts";
import { unrecorded } from "../ports.ts";
import { readNamedAgents } from "./agent-files.ts";
import { BackgroundChildren } from "./background-children.ts";
import type { ChildSpec, ChildTarget, OpenChild } from "./child-spec.ts";
import { createDelegation, type Delegate } from "./delegate.ts";
import { boundedSettings, type DelegationSettings } from "./settings.ts";

export interface DelegateOptions {
  /** The parent's. */
  readonly deps: AgentDeps;
  readonly memory: SessionMemory | undefined;
  readonly assemble: typeof assembleAgent;
}

/** What answers `delegate_task` of an agent. */
export function delegateWith(assembly: Assembly, options: DelegateOptions): Delegate {
  const { host, scope, choices } = assembly;
  const { machine, tools, plugins, records, children } = host;
  const { config } = machine.loaded;
  const { conversation, tools: own } = options.deps;
  const background = assembly.owned.adopt(new BackgroundChildren(scope, machine.logger));
  return createDelegation({
    background,
    parent: {
      conversation,
      depth: 0,
      treeId: scope.key,
      listing: () => own.listing(),
      emit: (event) => choices.events.emit(event),
    },
    table: children,
    settings: delegationSettings(config),
    clock: machine.clock,
    logger: machine.logger,
    ports: {
      newSessionId: () => records.newSessionId(),
      openChild: (spec) => openChild(spec, assembly, options),
      openChildTranscript: (parent, child) => records.childTranscript(parent, child),
      toolsets: () => new Toolsets(tools.registry.snapshot(), config.custom_toolsets),
      childTarget: (model, signal) => childTarget(assembly, model, signal),
      namedAgents: async () => (await readNamedAgents(machine, scope.cwd)).agents,
      workspace: () => scope.cwd,
      changedByOthers: (taskId) => tools.changedByOthers(taskId),
      onDelegation: (task, result, child) => options.memory?.manager.delegated(task, result, child),
      onEnded: (sessionId, status) => records.childEnded(sessionId, status),
      onCall: (sessionId, call) => records.childCall(sessionId, call),
      onChildStop: (stop) => plugins.childStopped(scope, stop),
      logsFolder: machine.home.logs,
      redact: (text) => tools.redact(text),
    },
  });
}

export function delegationSettings({ delegation }: Config): DelegationSettings {
  const { fallback_providers } = delegation;
  return boundedSettings({
    maxConcurrentChildren: delegation.max_concurrent_children,
    maxSpawnDepth: delegation.max_spawn_depth,
    isOrchestratorEnabled: delegation.orchestrator_enabled,
    maxSteps: delegation.max_iterations,
    childTimeoutMs: delegation.child_timeout_seconds * 1000,
    inheritsMcpTools: delegation.inherit_mcp_toolsets,
    inheritsFallback: delegation.inherit_fallback,
    ...(fallback_providers === undefined
      ? {}
      : { fallbackChain: parseEntries(fallback_providers, "delegation.fallback_providers").entries }),
    acpCommands: delegation.allow_acp_command,
  });
}

/** A child has the tools and the model of its parent, but neither its memory nor the user's files. */
async function openChild(
  spec: ChildSpec,
  { host, scope, choices }: Assembly,
  { deps, assemble }: DelegateOptions,
): Promise<OpenChild> {
  const { conversation, listing, treeId } = spec;
  const borrowed = await spread(conversation, choices.chosen);
  const giveBack = (): void => borrowed?.[Symbol.dispose]();
  const child: AssembledAgent = await assemble(host, scope, {
    conversation,
    treeId,
    chosen: choices.chosen,
    auxiliary: choices.auxiliary,
    events: choices.events,
    transcript: unrecorded(conversation.sessionId),
    settings: childSettings(host.machine.loaded.config, deps.settings),
    startedAtMs: host.machine.clock.now(),
    tools: { listing },
    prompt: { usesFiles: false, prefill: choices.prompt.prefill, ephemeral: () => "" },
    askUser: choices.askUser,
    hasMemory: false,
    isChild: true,
  }).catch((error: unknown) => {
    giveBack();
    throw error;
  });
  return {
    deps: child.deps,
    async [Symbol.asyncDispose]() {
      giveBack();
      await child[Symbol.asyncDispose]();
      await host.tools.release(spec.id);
    },
  };
}

/** Where the provider has several credentials, children that work at the same time use different ones. */
async function spread(
  conversation: Conversation,
  { target, pool, resolution }: Assembly["choices"]["chosen"],
): Promise<Disposable | undefined> {
  const own = conversation.target;
  if (pool === undefined || own.provider !== target.provider) return undefined;
  const borrowed = await pool.borrow(own.credential.id, never);
  if (borrowed === undefined || borrowed.member.id === own.credential.id) return borrowed;
  const { member, handle } = borrowed;
  const baseUrl = resolution?.retarget?.(member, handle).baseUrl ?? member.baseUrl ?? own.baseUrl;
  conversation.choose({ ...own, credential: handle, baseUrl });
  return borrowed;
}

/** `delegation.reasoning_effort`; without it children think as long as their parent. */
function childSettings({ delegation }: Config, settings: AgentSettings): AgentSettings {
  const reasoning = readEffort(delegation.reasoning_effort);
  return reasoning === undefined ? settings : { ...settings, request: { ...settings.request, reasoning } };
}

/** What becomes of a child's flagged command; `subagent_auto_approve` is the older way to let it run. */
export function childApprovals({ delegation }: Config): Config["delegation"]["approvals"] {
  return delegation.approvals === "deny" && delegation.subagent_auto_approve ? "approve" : delegation.approvals;
}

/** What an agent names, else what the settings name for children, else the parent's own. */
async function childTarget(
  { host, choices }: Assembly,
  named: string | undefined,
  signal: AbortSignal,
): Promise<ChildTarget> {
  const { model, provider, base_url, api_key } = host.machine.loaded.config.delegation;
  if (named === undefined && model === "" && provider === "" && base_url === "")
    return { kind: "target", target: choices.conversation.target };
  const configured = {
    ...(model === "" ? {} : { model }),
    ...(provider === "" ? {} : { provider }),
    ...(base_url === "" ? {} : { baseUrl: base_url }),
    ...(api_key.isEmpty ? {} : { apiKey: api_key }),
  };
  const wanted = named === undefined ? configured : readModelName(named, host.models.context);
  const resolution = await host.models.resolve({ ...wanted, source: "delegation" }, signal);
  if (resolution.kind === "target") return { kind: "target", target: resolution.target };
  return { kind: "failure", message: `${resolution.message} ${resolution.hint}` };
}
