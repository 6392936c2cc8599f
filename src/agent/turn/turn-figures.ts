import { type AgentEvent, addCost, addUsage, type Cost, type TurnToolCall, type Usage, zeroUsage } from "#conversation";

/** What one turn took and showed: tokens, money, tool calls, whether another model had to help, the visible text of its last step. */
export class TurnFigures {
  readonly #toolCalls: TurnToolCall[] = [];
  #usage: Usage = zeroUsage;
  #cost: Cost | undefined;
  #fallbackUsed = false;
  #shown = "";

  get usage(): Usage {
    return this.#usage;
  }

  get cost(): Cost | undefined {
    return this.#cost;
  }

  get toolCalls(): readonly TurnToolCall[] {
    return this.#toolCalls;
  }

  get fallbackUsed(): boolean {
    return this.#fallbackUsed;
  }

  /** One model call, also one that nobody counted the tokens of. */
  count(usage: Usage, cost: Cost): void {
    this.#usage = addUsage(this.#usage, usage);
    this.#cost = this.#cost === undefined ? cost : addCost(this.#cost, cost);
  }

  /** Every event of the turn passes here. */
  note(event: AgentEvent): void {
    if (event.type === "step-start") this.#shown = "";
    else if (event.type === "text-delta") this.#shown += event.text;
    else if (event.type === "target-change") this.#fallbackUsed = true;
    else if (event.type === "tool-end")
      this.#toolCalls.push({ name: event.name, ok: !event.isError, durationMs: event.durationMs });
  }

  /** Whether these words were the last to be streamed, so that nobody prints them twice; a continued answer counts as one. */
  hasShown(text: string): boolean {
    const words = text.trim();
    return words !== "" && this.#shown.trimEnd().endsWith(words);
  }
}
