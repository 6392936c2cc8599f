import { randomBytes } from "node:crypto";
import { describe } from "#foundation/errors";
import { never, onAbort } from "#foundation/lifecycle/abort";
import { Mutex } from "#foundation/lifecycle/mutex";
import type { Target } from "#model";
import { result, type ToolContext, ToolFailure, type ToolResult } from "#tools";
import { Conversation } from "../conversation.ts";
import { within } from "../memory/bounded.ts";
import type { NamedAgent } from "./agent-files.ts";
import type { BackgroundChild } from "./background-children.ts";
import { childListing } from "./child-listing.ts";
import { childPrompt, realFolder } from "./child-prompt.ts";
import type { ChildEntry } from "./child-result.ts";
import type { ChildPlan, ChildRun } from "./child-run.ts";
import type { ChildSpec, DelegationDeps } from "./child-spec.ts";
import type { DelegateArguments } from "./delegate-tool.ts";
import { keepHeartbeat } from "./heartbeat.ts";
import { type ChildRole, type DelegatedTask, readTasks } from "./task.ts";

const hookMs = 5_000;

/** What answers `delegate_task` calls of one agent. */
export type Delegate = (args: DelegateArguments, context: ToolContext) => Promise<ToolResult>;

/**
 * Children run at the same time, each in a conversation, session
 * and task of its own; the parent reads only their reports, in the order of the tasks.
 */
export function createDelegation(deps: DelegationDeps): Delegate {
  const hooks = new Mutex();
  return async (args, context) => {
    const { tasks, warnings } = admitted(args, deps);
    const agents = await agentsOf(tasks, deps);
    const targets = await Promise.all(agents.map((agent) => targetOf(agent, deps, context.signal)));
    const workspace = await realFolder(deps.ports.workspace?.());
    const { background } = deps;
    const isBackground = args.background === true && background?.canReport === true;
    const planned = tasks.map((task, index) =>
      planChild(task, {
        index,
        count: tasks.length,
        isBackground,
        deps,
        context,
        agent: agents[index],
        target: targets[index] ?? deps.parent.conversation.target,
        workspace,
      }),
    );
    const startedAtMs = deps.clock.now();
    const children = await import("./child-run.ts");
    const runs = planned.map(({ plan }) => ({ plan, run: new children.ChildRun(plan, deps) }));
    const runOne = async ({ plan, run }: (typeof runs)[number]): Promise<ChildEntry> => {
      const entry = await run.run();
      await hooks.run(() => tellEnd(plan.spec, entry, deps));
      return entry;
    };
    const notes = [...warnings, ...planned.flatMap((one) => one.warnings)];
    if (isBackground) {
      const children = runs.map((one) => ({
        run: one.run,
        goal: one.plan.spec.task.goal,
        work: () => runOne(one),
        untrusted: () => one.plan.spec.conversation.untrusted,
      }));
      background.start(children, deps.settings.maxConcurrentChildren);
      return started(children, notes);
    }
    if (args.background === true) notes.push("Nobody would be there for a later report, so this waited for it.");
    const work = (): Promise<readonly ChildEntry[]> => Promise.all(runs.map(runOne));
    using _linked = onAbort(context.signal, () => {
      for (const { run } of runs) run.interrupt();
    });
    const entries = await withHeartbeat(
      () => deps.parent.slot?.lend(work, context.signal) ?? work(),
      runs.map(({ run }) => run),
      { deps, context },
    );
    // What a child has read, its report may say.
    const source = planned.map(({ plan }) => plan.spec.conversation.untrusted).find((one) => one !== undefined);
    if (source !== undefined) context.noteUntrusted?.(source);
    const seconds = Math.round((deps.clock.now() - startedAtMs) / 100) / 10;
    return result(
      { results: entries, total_duration_seconds: seconds, ...(notes.length === 0 ? {} : { warnings: notes }) },
      {
        preview: previewOf(entries),
        isError: entries.every(({ status }) => status !== "completed"),
        details: {
          kind: "children",
          children: runs.map(({ run }, at) => ({ id: run.id, status: entries[at]?.status ?? "error" })),
        },
      },
    );
  };
}

/** The answer of a call that does not wait. */
function started(children: readonly BackgroundChild[], warnings: readonly string[]): ToolResult {
  const tasks = children.map(({ run, goal }) => ({ id: run.id, goal }));
  return result(
    {
      started: tasks,
      message:
        "They work in the background. Each report arrives by itself as a message; do not wait for it and do not ask for it.",
      ...(warnings.length === 0 ? {} : { warnings }),
    },
    {
      preview: `${tasks.length} in the background`,
      details: { kind: "children", children: tasks.map(({ id }) => ({ id, status: "running" })) },
    },
  );
}

/** The tasks of a call that may start now. */
function admitted(args: DelegateArguments, { table, parent, settings }: DelegationDeps) {
  if (table.isPaused)
    throw new ToolFailure("New children are paused on this machine. Do the work yourself, or tell the user.");
  if (parent.depth >= settings.maxSpawnDepth)
    throw new ToolFailure(
      `Nobody below depth ${settings.maxSpawnDepth} may be started (delegation.max_spawn_depth), and this agent is at depth ${parent.depth}. Do the work yourself.`,
    );
  const read = readTasks(args, settings);
  if (read.kind === "refused") throw new ToolFailure(read.error);
  return read;
}

/** The agent that each task names, in the order of the tasks. */
async function agentsOf(
  tasks: readonly DelegatedTask[],
  { ports }: DelegationDeps,
): Promise<readonly (NamedAgent | undefined)[]> {
  if (tasks.every(({ agent }) => agent === undefined)) return tasks.map(() => undefined);
  const known = (await ports.namedAgents?.()) ?? [];
  return tasks.map(({ agent: name }, index) => {
    if (name === undefined) return undefined;
    const found = known.find((agent) => agent.name === name);
    if (found !== undefined) return found;
    const names = known.map((agent) => agent.name).join(", ");
    const there = names === "" ? "There are none; leave agent out." : `There are: ${names}.`;
    throw new ToolFailure(`Task ${index}: there is no agent "${name}". ${there} None was started.`);
  });
}

async function targetOf(
  agent: NamedAgent | undefined,
  { ports, parent }: DelegationDeps,
  signal: AbortSignal,
): Promise<Target> {
  const found = await ports.childTarget?.(agent?.model, signal);
  if (found === undefined) return parent.conversation.target;
  const whose = agent?.model === undefined ? "for children" : `of the agent ${agent.name} (${agent.model})`;
  if (found.kind === "failure") throw new ToolFailure(`The model ${whose} cannot be used: ${found.message}`);
  return found.target;
}

interface PlanFacts {
  readonly isBackground: boolean;
  readonly index: number;
  readonly count: number;
  readonly deps: DelegationDeps;
  readonly context: ToolContext;
  readonly agent: NamedAgent | undefined;
  readonly target: Target;
  readonly workspace: string | undefined;
}

function planChild(
  task: DelegatedTask,
  facts: PlanFacts,
): { readonly plan: ChildPlan; readonly warnings: readonly string[] } {
  const { deps, context, index, workspace, agent } = facts;
  const { parent, ports, settings } = deps;
  const depth = parent.depth + 1;
  const mayDelegate = settings.isOrchestratorEnabled && depth < settings.maxSpawnDepth;
  const role: ChildRole = task.role === "orchestrator" && mayDelegate ? "orchestrator" : "leaf";
  // What an agent's file lists is all it has; nothing is inherited beside it.
  const ownTools = agent?.tools;
  const listing = childListing(
    parent.listing(),
    {
      role,
      inheritsMcpTools: settings.inheritsMcpTools && ownTools === undefined,
      toolsets: ownTools ?? task.toolsets,
    },
    ports.toolsets(),
  );
  const { sessionId, rootSessionId } = parent.conversation;
  const spec: ChildSpec = {
    id: `sa-${index}-${randomBytes(4).toString("hex")}`,
    role,
    depth,
    task,
    listing,
    conversation: freshConversation(facts),
    parent: { sessionId, taskId: context.taskId, scope: context.scope },
    treeId: parent.treeId ?? rootSessionId,
  };
  const limits = { depth, maxDepth: settings.maxSpawnDepth, maxChildren: settings.maxConcurrentChildren };
  const prompt = childPrompt({ task, role, agent: agent?.prompt, ...limits, workspace });
  // A child waits for its own children: its report is theirs, too.
  const delegateFor: ChildPlan["delegateFor"] = (own) =>
    createDelegation({ ...deps, background: undefined, parent: own });
  return {
    plan: { spec, index, count: facts.count, prompt, isBackground: facts.isBackground, delegateFor },
    warnings: [
      ...listing.unknownToolsets.map((name) => `Task ${index}: there is no toolset "${name}".`),
      ...(ownTools !== undefined && task.toolsets !== undefined
        ? [`Task ${index}: ${task.agent} has tools of its own; toolsets was ignored.`]
        : []),
      ...(role === task.role ? [] : [`Task ${index}: no further delegation is allowed here; it ran as a leaf.`]),
    ],
  };
}

function freshConversation({ deps, target, context }: PlanFacts): Conversation {
  const { settings, parent, ports } = deps;
  const inherited = settings.inheritsFallback ? parent.conversation.fallback.chain : [];
  return new Conversation({
    sessionId: ports.newSessionId(),
    history: [],
    target,
    fallbackChain: settings.fallbackChain ?? inherited,
    inheritedUntrusted: context.untrusted,
  });
}

/** Listeners hear of every child once; what they do wrong or late changes nothing for it. */
async function tellEnd(spec: ChildSpec, entry: ChildEntry, { ports, clock, logger }: DelegationDeps): Promise<void> {
  const outcome = entry.summary ?? entry.error ?? "";
  const stop = {
    parent_session_id: spec.parent.sessionId,
    child_role: spec.role,
    child_summary: outcome,
    child_status: entry.status,
    duration_ms: Math.round(entry.duration_seconds * 1000),
  };
  try {
    ports.onEnded?.(spec.conversation.sessionId, entry.status);
    ports.onDelegation?.(spec.task.goal, outcome, { childSessionId: spec.conversation.sessionId });
    await within(() => ports.onChildStop?.(stop), { clock, timeoutMs: hookMs, signal: never });
  } catch (error) {
    logger.warn("what follows a child failed", { child: spec.id, reason: describe(error) });
  }
}

async function withHeartbeat<T>(
  work: () => Promise<T>,
  runs: readonly ChildRun[],
  { deps, context }: { readonly deps: DelegationDeps; readonly context: ToolContext },
): Promise<T> {
  const over = new AbortController();
  const standings = () =>
    new Map(runs.flatMap((run) => (run.standing === undefined ? [] : [[run.id, run.standing] as const])));
  const { clock, logger } = deps;
  const beating = keepHeartbeat({ clock, logger, standings, beat: (text) => context.progress(text) }, over.signal);
  try {
    return await work();
  } finally {
    over.abort();
    await beating;
  }
}

function previewOf(entries: readonly ChildEntry[]): string {
  const [only] = entries;
  if (entries.length === 1 && only !== undefined) return `${only.status}: ${only.summary ?? only.error ?? ""}`;
  const done = entries.filter(({ status }) => status === "completed").length;
  return `${done} of ${entries.length} tasks completed`;
}
