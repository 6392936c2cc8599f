import type { AgentEvent, ChildFacts, ChildMilestone, ExitReason } from "#conversation";
import { defined } from "#foundation/defined";
import type { ChildRecord } from "./child-record.ts";

export interface RelayFacts {
  readonly childId: string;
  readonly facts: Omit<ChildFacts, "toolCount">;
  readonly record: ChildRecord;
  emit(event: AgentEvent): void;
}

const toolsPerProgress = 5;

/**
 * A child's events, as its parent shows them.
 *
 * 1. `spawn-requested` comes first, `complete` last, each once for every child, whatever became of it.
 * 2. After `complete` nothing more of the child is shown, even if it should still be running.
 * 3. Events of the child's own children pass through as they are: each names its parent itself.
 */
export class Relay {
  readonly #facts: RelayFacts;
  #isOver = false;

  constructor(facts: RelayFacts) {
    this.#facts = facts;
  }

  spawnRequested(): void {
    const text = `Delegated: ${this.#facts.facts.goal}`;
    this.#send({ type: "notice", level: "info", text }, { kind: "spawn-requested" });
  }

  /** What the child's agent emits. */
  take(event: AgentEvent): void {
    if (event.type === "child-event") {
      if (!this.#isOver) this.#facts.emit(event);
      return;
    }
    this.#facts.record.observe(event);
    // The end is told once, by `complete`: a child that is cut off has none of its own.
    if (event.type !== "turn-end") this.#send(event, this.#milestoneOf(event));
  }

  complete(
    milestone: Extract<ChildMilestone, { kind: "complete" }>,
    end: { readonly exitReason: ExitReason; readonly error?: string },
  ): void {
    const error = defined({ error: end.error });
    this.#send({ type: "turn-end", exitReason: end.exitReason, text: milestone.summary, ...error }, milestone);
    this.#isOver = true;
  }

  #milestoneOf(event: AgentEvent): ChildMilestone | undefined {
    if (event.type === "turn-start") return { kind: "start" };
    const { toolNames } = this.#facts.record;
    if (event.type !== "tool-end" || toolNames.length === 0 || toolNames.length % toolsPerProgress !== 0)
      return undefined;
    return { kind: "progress", lastTools: toolNames.slice(-toolsPerProgress) };
  }

  #send(event: AgentEvent, milestone: ChildMilestone | undefined): void {
    if (this.#isOver) return;
    const { childId, facts, record, emit } = this.#facts;
    emit({
      type: "child-event",
      childId,
      task: facts.goal,
      event,
      child: { ...facts, toolCount: record.toolNames.length },
      ...defined({ milestone }),
    });
  }
}
