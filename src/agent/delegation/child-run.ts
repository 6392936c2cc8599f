import { type AgentEvent, EventBus, type ExitReason, promptTokens } from "#conversation";
import { defined } from "#foundation/defined";
import { describe } from "#foundation/errors";
import { never, onAbort } from "#foundation/lifecycle/abort";
import { Deferred } from "#foundation/lifecycle/deferred";
import type { Slot } from "#foundation/lifecycle/slots";
import { truncateEnd } from "#foundation/text/text";
import type { Tool } from "#tools";
import { Agent } from "../agent.ts";
import { within } from "../memory/bounded.ts";
import type { Transcript } from "../ports.ts";
import { sealedDeps } from "./child-deps.ts";
import { toolsetNames } from "./child-listing.ts";
import { ChildRecord } from "./child-record.ts";
import { type ChildEnding, type ChildEntry, childEntry, type StopCause } from "./child-result.ts";
import type { ChildSpec, DelegationDeps, DelegationParent } from "./child-spec.ts";
import type { Standing } from "./heartbeat.ts";
import { Relay } from "./relay.ts";
import { writeTimeoutReport } from "./timeout-report.ts";

export interface ChildPlan {
  readonly spec: ChildSpec;
  readonly index: number;
  readonly count: number;
  readonly prompt: string;
  readonly isBackground: boolean;
  /** Gives an orchestrator its own `delegate_task`. */
  delegateFor(parent: DelegationParent): Tool["execute"];
}

/** A turn that was told to stop ends at once, except for a tool that does not listen; the parent waits this long. */
const graceMs = 2_500;
const closingMs = 5_000;
const summaryCharacters = 500;

/**
 * One child from the wish to its last word.
 *
 * 1. `run` never rejects and always gives one entry, at most `graceMs` after the child was told to stop.
 * 2. The child's place, parts and clock are given back when its work has really ended, even when nobody waits then.
 */
export class ChildRun {
  readonly #plan: ChildPlan;
  readonly #deps: DelegationDeps;
  readonly #record = new ChildRecord();
  readonly #stop = new AbortController();
  readonly #relay: Relay;
  #agent: Agent | undefined;
  #stopped: StopCause | undefined;
  #startedAtMs: number;
  #isOver = false;

  constructor(plan: ChildPlan, deps: DelegationDeps) {
    this.#plan = plan;
    this.#deps = deps;
    this.#startedAtMs = deps.clock.now();
    const { spec, index, count } = plan;
    const { childId } = deps.parent;
    this.#relay = new Relay({
      childId: spec.id,
      record: this.#record,
      emit: (event) => deps.parent.emit(event),
      facts: {
        ...defined({ parentId: childId }),
        ...(plan.isBackground ? { isBackground: true } : {}),
        depth: spec.depth,
        taskIndex: index,
        taskCount: count,
        goal: spec.task.goal,
        model: spec.conversation.target.model,
        toolsets: toolsetNames(spec.listing),
      },
    });
  }

  get id(): string {
    return this.#plan.spec.id;
  }

  /** Undefined once it has ended. */
  get standing(): Standing | undefined {
    if (this.#isOver) return undefined;
    const { step, currentTool, toolNames } = this.#record;
    return { step, tool: currentTool, tools: toolNames.length };
  }

  /** Tells the child to stop; its own children stop with it. */
  interrupt(): void {
    this.#halt({ kind: "interrupted" });
  }

  async run(): Promise<ChildEntry> {
    this.#relay.spawnRequested();
    const ending = await this.#awaitEnd(this.#work());
    this.#isOver = true;
    const durationMs = this.#deps.clock.now() - this.#startedAtMs;
    const entry = await this.#entry(ending, durationMs);
    this.#showEnd(entry, { ending, durationMs });
    return entry;
  }

  #halt(cause: StopCause): void {
    this.#stopped ??= cause;
    this.#stop.abort();
  }

  async #work(): Promise<ChildEnding> {
    const { table, clock, settings, logger, parent, ports } = this.#deps;
    const { spec } = this.#plan;
    const ended = new AbortController();
    try {
      using slot = await table.slots.take(this.#stop.signal);
      this.#startedAtMs = clock.now();
      const shown = { id: spec.id, goal: spec.task.goal, depth: spec.depth, startedAtMs: this.#startedAtMs };
      const location = parent.childId === undefined ? shown : { ...shown, parentId: parent.childId };
      using _shown = table.add(location, (message) => {
        this.#agent?.interrupt(message);
        this.interrupt();
      });
      const afterMs = settings.childTimeoutMs;
      clock.sleep(afterMs, ended.signal).then(
        () => this.#halt({ kind: "timeout", afterMs }),
        () => undefined,
      );
      return await this.#think(slot);
    } catch (error) {
      if (this.#stop.signal.aborted) return { kind: "left" };
      const reason = describe(error);
      logger.warn("a child agent could not work", { child: spec.id, reason });
      return { kind: "broken", error: ports.redact?.(reason) ?? reason };
    } finally {
      ended.abort();
    }
  }

  async #think(slot: Slot): Promise<ChildEnding> {
    const { ports } = this.#deps;
    const { spec } = this.#plan;
    const open = await ports.openChild(spec, this.#stop.signal);
    try {
      this.#stop.signal.throwIfAborted();
      const transcript = await ports.openChildTranscript(spec.parent, {
        sessionId: spec.conversation.sessionId,
        source: "subagent",
        model: spec.conversation.target.model,
        goal: spec.task.goal,
      });
      const agent = new Agent(sealedDeps(open.deps, this.#seal(transcript, slot)));
      this.#agent = agent;
      const input = { userMessage: spec.task.goal, taskId: spec.id, signal: this.#stop.signal };
      return { kind: "ended", result: await agent.runConversation(input) };
    } finally {
      await this.#close(open);
    }
  }

  #seal(transcript: Transcript, slot: Slot) {
    const { settings, logger } = this.#deps;
    const { spec, prompt, delegateFor } = this.#plan;
    const events = new EventBus(logger);
    events.observe("usage", { note: (event) => void (event.type === "usage" && this.#noteCall(event)) });
    events.subscribe((event) => this.#relay.take(event));
    const own: DelegationParent = {
      conversation: spec.conversation,
      depth: spec.depth,
      childId: spec.id,
      treeId: spec.treeId,
      slot,
      listing: () => spec.listing,
      emit: (event) => events.emit(event),
    };
    return {
      spec,
      prompt,
      transcript,
      events,
      record: this.#record,
      maxSteps: settings.maxSteps,
      maxChildren: settings.maxConcurrentChildren,
      delegate: spec.role === "orchestrator" ? delegateFor(own) : undefined,
    };
  }

  #noteCall({ usage, cost }: Extract<AgentEvent, { readonly type: "usage" }>): void {
    const { sessionId, target } = this.#plan.spec.conversation;
    this.#deps.ports.onCall?.(sessionId, { target, usage, cost });
  }

  /** What a child held is given back, but its report does not wait for ever for that. */
  async #close(open: AsyncDisposable): Promise<void> {
    const { clock, logger } = this.#deps;
    try {
      await within(async () => open[Symbol.asyncDispose](), { clock, timeoutMs: closingMs, signal: never });
    } catch (error) {
      logger.warn("the parts of a child did not close", { child: this.id, reason: describe(error) });
    }
  }

  /** The ending, or `left` when the child was told to stop and does not. */
  async #awaitEnd(working: Promise<ChildEnding>): Promise<ChildEnding> {
    const { clock, table } = this.#deps;
    const over = new AbortController();
    const late = new Deferred<ChildEnding>();
    const giveUp = (): void => {
      table.linger(working);
      late.resolve({ kind: "left" });
    };
    using _grace = onAbort(this.#stop.signal, () => {
      clock.sleep(graceMs, over.signal).then(giveUp, () => undefined);
    });
    try {
      return await Promise.race([working, late.promise]);
    } finally {
      over.abort();
    }
  }

  async #entry(ending: ChildEnding, durationMs: number): Promise<ChildEntry> {
    const { ports, logger, clock } = this.#deps;
    const { spec, index } = this.#plan;
    const record = this.#record;
    const stopped = this.#stopped;
    const facts = { taskIndex: index, conversation: spec.conversation, record, ending, durationMs };
    const entry = childEntry(stopped === undefined ? facts : { ...facts, stopped });
    const note = staleFilesNote(ports.changedByOthers?.(spec.parent.taskId) ?? [], record.filesWritten);
    const summary = note === "" ? entry.summary : `${entry.summary ?? ""}${note}`.trim();
    if (entry.status !== "timeout" || record.replies > 0) return { ...entry, summary };
    const hasStarted = this.#agent !== undefined;
    const file = await writeTimeoutReport(
      { spec, record, durationMs, hasStarted, nowMs: clock.now() },
      { logsFolder: ports.logsFolder, logger, redact: (text) => ports.redact?.(text) ?? text },
    );
    const where = file === undefined ? "" : ` What is known about it: ${file}`;
    return { ...entry, summary, error: `${entry.error} The model never answered.${where}` };
  }

  #showEnd(entry: ChildEntry, end: { readonly ending: ChildEnding; readonly durationMs: number }): void {
    const { ending, durationMs } = end;
    const { usage, cost } = this.#plan.spec.conversation;
    const error = entry.error === null ? {} : { error: entry.error };
    this.#relay.complete(
      {
        kind: "complete",
        status: entry.status,
        summary: truncateEnd(entry.summary ?? "", summaryCharacters),
        tokens: { input: promptTokens(usage), output: usage.output },
        ...defined({ cost }),
        apiCalls: entry.api_calls,
        durationMs,
        filesRead: this.#record.filesRead,
        filesWritten: this.#record.filesWritten,
        outputs: this.#record.outputs,
      },
      { exitReason: ending.kind === "ended" ? ending.result.exitReason : exitWithout(ending), ...error },
    );
  }
}

function exitWithout(ending: Exclude<ChildEnding, { kind: "ended" }>): ExitReason {
  return ending.kind === "broken" ? "internal_error" : "interrupted_by_user";
}

const maxShown = 8;

/** A sentence for the parent about files it has read and this child has written; empty when there are none. */
export function staleFilesNote(changed: readonly string[], written: readonly string[]): string {
  const files = changed.filter((file) => written.some((one) => isSameFile(file, one)));
  if (files.length === 0) return "";
  const more = files.length > maxShown ? ` and ${files.length - maxShown} more` : "";
  return `\n\n[It changed files that you had read: ${files.slice(0, maxShown).join(", ")}${more}. Read them again before you edit them.]`;
}

/** `known` is whole; `given` is what a model wrote, perhaps relative or from the home directory. */
function isSameFile(known: string, supplied: string): boolean {
  const plain = supplied.replace(/^(?:\.\/|~\/)+/, "");
  return known === plain || known.endsWith(`/${plain}`);
}
