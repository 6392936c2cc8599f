import type { FinishReason, ModelEvent, Usage } from "#conversation";
import { defined } from "#foundation/defined";
import type { Lifted, StreamFault } from "../protocol.ts";

const none: readonly Lifted[] = Object.freeze([]);

/**
 * Writes the events of one response in a valid order. Invariants:
 *
 * 1. `attempt-start` is first; every text and reasoning segment that starts also ends, once.
 * 2. After `attempt-end` or a fault nothing more is written.
 * 3. A character that is split over two deltas (an emoji in two halves) comes out in one.
 */
export class EventWriter {
  #out: Lifted[] = [];
  #open: "none" | "text" | "reasoning" = "none";
  #hasStarted = false;
  #isOver = false;
  #isReasoningOpen = false;
  /** The first half of a character whose second half is still to come. */
  #half = "";
  #hasText = false;

  get isOver(): boolean {
    return this.#isOver;
  }

  get hasText(): boolean {
    return this.#hasText;
  }

  start(facts: { readonly model?: string | undefined; readonly responseId?: string | undefined } = {}): void {
    if (this.#hasStarted) return;
    this.#hasStarted = true;
    const { model, responseId } = facts;
    this.#out.push({
      type: "attempt-start",
      ...(model === undefined || model === "" ? {} : { model }),
      ...(responseId === undefined || responseId === "" ? {} : { responseId }),
    });
  }

  text(text: string): void {
    if (text === "") return;
    this.#enter("text");
    this.#hasText = true;
    const whole = this.#joinHalves(text);
    if (whole !== "") this.#out.push({ type: "text-delta", text: whole });
  }

  reasoning(text: string): void {
    if (text === "") return;
    this.#enter("reasoning");
    const whole = this.#joinHalves(text);
    if (whole !== "") this.#out.push({ type: "reasoning-delta", text: whole });
  }

  /** Any other event; text and reasoning that are open end before a tool's input begins. */
  add(event: ModelEvent): void {
    if (this.#isOver) return;
    this.start();
    if (event.type === "tool-input-start") this.close();
    this.#out.push(event);
  }

  usage(usage: Usage | undefined, costUsd?: number): void {
    if (usage !== undefined) this.add({ type: "usage", usage, ...defined({ costUsd }) });
  }

  finish(finish: FinishReason, rawFinish: string | undefined): void {
    if (this.#isOver) return;
    this.start();
    this.close();
    this.#out.push({
      type: "attempt-end",
      finish,
      ...defined({ rawFinish }),
      ...(this.#isReasoningOpen ? { isReasoningOpen: true } : {}),
    });
    this.#isOver = true;
  }

  /** The answer ended inside a scratchpad. */
  leaveReasoningOpen(): void {
    this.#isReasoningOpen = true;
  }

  fail(fault: Omit<StreamFault, "type">): void {
    if (this.#isOver) return;
    this.close();
    this.#out.push({ type: "stream-fault", ...fault });
    this.#isOver = true;
  }

  /** Ends the segment that is open. */
  close(): void {
    if (this.#open === "none") return;
    this.#flushHalf();
    this.#out.push({ type: this.#open === "text" ? "text-end" : "reasoning-end" });
    this.#open = "none";
  }

  /** What was written since the last time. */
  take(): readonly Lifted[] {
    if (this.#out.length === 0) return none;
    const out = this.#out;
    this.#out = [];
    return out;
  }

  #enter(kind: "text" | "reasoning"): void {
    if (this.#open === kind) return;
    this.start();
    this.close();
    this.#open = kind;
    this.#out.push({ type: kind === "text" ? "text-start" : "reasoning-start" });
  }

  #joinHalves(text: string): string {
    const joined = this.#half === "" ? text : this.#half + text;
    const last = joined.charCodeAt(joined.length - 1);
    if (last < 0xd800 || last > 0xdbff) {
      this.#half = "";
      return joined;
    }
    this.#half = joined.slice(-1);
    return joined.slice(0, -1);
  }

  #flushHalf(): void {
    if (this.#half === "") return;
    this.#half = "";
    this.#out.push({ type: this.#open === "text" ? "text-delta" : "reasoning-delta", text: "\uFFFD" });
  }
}
