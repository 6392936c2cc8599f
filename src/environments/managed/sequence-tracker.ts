import { noLogprob, notTrained, type Sequence } from "../tokens/sequence.ts";

/** What a server sampled. */
export interface Sampled {
  readonly ids: readonly number[];
  /** As many as there are ids; missing ones are unknown. */
  readonly logprobs: readonly number[];
  readonly text: string;
}

/** One model call, token by token. */
export interface TokenCall {
  readonly input: readonly number[];
  readonly ids: readonly number[];
  readonly logprobs: readonly number[];
}

interface Node {
  readonly text: string;
  readonly tokens: readonly number[];
  readonly masks: readonly number[];
  readonly logprobs: readonly number[];
}

/**
 * Keeps the exact tokens of a conversation over many calls. A prompt that begins with what is known already goes on with
 * the very ids that were sampled; only what is new is turned into tokens. So what the model wrote is trained on with the
 * log-probabilities it was sampled with, and prompts and results of tools are not.
 */
export class SequenceTracker {
  #nodes: readonly Node[] = [];
  readonly #calls: TokenCall[] = [];

  /** The ids of a prompt. `encode` turns text into ids, with or without what begins every prompt. */
  inputFor(prompt: string, encode: (text: string, isBeginning: boolean) => readonly number[]): readonly number[] {
    const known = this.#nodes.findLast(({ text }) => prompt.startsWith(text));
    if (known === undefined) return encode(prompt, true);
    return [...known.tokens, ...encode(prompt.slice(known.text.length), false)];
  }

  add(prompt: string, input: readonly number[], sampled: Sampled): void {
    const known = this.#nodes.findLast(({ tokens }) => startsWith(input, tokens));
    const fresh = input.slice(known?.tokens.length ?? 0);
    const logprobs = sampled.ids.map((_, index) => sampled.logprobs[index] ?? noLogprob);
    this.#calls.push({ input, ids: sampled.ids, logprobs });
    const node: Node = {
      text: prompt + sampled.text,
      tokens: [...input, ...sampled.ids],
      masks: [...(known?.masks ?? []), ...fresh.map(() => notTrained), ...sampled.ids],
      logprobs: [...(known?.logprobs ?? []), ...fresh.map(() => noLogprob), ...logprobs],
    };
    this.#nodes = [...this.#nodes.filter((one) => one !== known), node];
  }

  /** Every call so far, in order. */
  get calls(): readonly TokenCall[] {
    return this.#calls;
  }

  /** More than one means that a prompt did not go on with what was known. */
  get breaks(): number {
    return Math.max(0, this.#nodes.length - 1);
  }

  get last(): Sequence | undefined {
    const node = this.#nodes.at(-1);
    return node === undefined ? undefined : { tokens: node.tokens, masks: node.masks, logprobs: node.logprobs };
  }
}

function startsWith(ids: readonly number[], beginning: readonly number[]): boolean {
  return beginning.length <= ids.length && beginning.every((id, index) => ids[index] === id);
}
