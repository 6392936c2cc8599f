import type { Model, Sequence, Token } from "./llama.ts";

/** A text and the tokens that stand for it in the memory of the engine. */
interface Segment {
  readonly text: string;
  readonly tokens: readonly Token[];
}

export interface PromptPlan {
  readonly tokens: readonly Token[];
  readonly segments: readonly Segment[];
}

/**
 * One conversation in the memory of the engine. What it read and wrote stays there, so the next turn evaluates only what
 * is new. Text is compared in the pieces it came in and keeps the tokens it has: read again as a whole, the words of an
 * answer might be cut into other tokens than those the model wrote.
 */
export class Slot {
  readonly sequence: Sequence;
  readonly #model: Model;
  #segments: readonly Segment[] = [];
  isBusy = false;
  usedAt = 0;

  constructor(sequence: Sequence, model: Model) {
    this.sequence = sequence;
    this.#model = model;
  }

  /** How many characters of a prompt are known here. */
  overlap(text: string): number {
    return this.#known(text).length;
  }

  plan(text: string): PromptPlan {
    const known = this.#known(text);
    const rest = text.slice(known.length);
    const segments =
      rest === "" ? known.segments : [...known.segments, { text: rest, tokens: this.#model.tokenize(rest, true) }];
    return { segments, tokens: segments.flatMap((segment) => segment.tokens) };
  }

  /** Forgets everything that does not begin these tokens; returns how many of them need not be evaluated again. */
  async keepPrefix(tokens: readonly Token[]): Promise<number> {
    const held = this.sequence.contextTokens;
    let same = 0;
    while (same < held.length && same < tokens.length && held[same] === tokens[same]) same += 1;
    // Without at least one token to evaluate there is nothing to continue from.
    const kept = Math.min(same, tokens.length - 1);
    await this.truncate(kept);
    return kept;
  }

  async truncate(length: number): Promise<void> {
    const end = this.sequence.nextTokenIndex;
    if (length < end) await this.sequence.eraseContextTokenRanges([{ start: length, end }]);
  }

  /** The answer as it was written, for the turn after it. */
  remember(segments: readonly Segment[]): void {
    this.#segments = segments.filter((segment) => segment.text !== "");
  }

  #known(text: string): { readonly segments: readonly Segment[]; readonly length: number } {
    let length = 0;
    let count = 0;
    for (const segment of this.#segments) {
      if (!text.startsWith(segment.text, length)) break;
      length += segment.text.length;
      count += 1;
    }
    return { segments: this.#segments.slice(0, count), length };
  }
}
