import { type Message, textOf } from "#conversation";
import type { ModelTokenizer } from "./tokenizer.ts";

/** The tokens of a conversation, and which of them the model wrote. All lists have the same length. */
export interface Sequence {
  readonly tokens: readonly number[];
  /** -100 where nothing is to be learned, else the token. */
  readonly masks: readonly number[];
  /** The log-probability each token was sampled with, 1 where it was not; null: nobody knows. */
  readonly logprobs: readonly number[] | null;
}

export const notTrained = -100;
/** Stands where a token was not sampled. */
export const noLogprob = 1;
const longestGuess = 128;

/**
 * Stands in for the tokens of a server that tells none, so that everything around them works: fit for evaluation and for
 * supervised data, not for training on rewards.
 */
export function placeholderSequence(messages: readonly Message[], tokenizer: ModelTokenizer | undefined): Sequence {
  const text = messages
    .map((message) => textOf(message.content))
    .filter((words) => words !== "")
    .join("\n");
  const guessed = Math.min(Math.floor(Array.from(text).length / 4), longestGuess);
  const ids = tokenizer?.encode(text) ?? Array.from({ length: guessed }, (_, index) => index);
  const tokens = ids.length === 0 ? [0] : ids;
  return { tokens, masks: tokens.map((id, index) => (index === 0 ? notTrained : id)), logprobs: null };
}

/** For tests of trainers: always the same. */
export const dummySequence: Sequence = {
  tokens: Array.from({ length: longestGuess }, (_, index) => index),
  masks: Array.from({ length: longestGuess }, (_, index) => (index === 0 ? notTrained : index)),
  logprobs: Array.from({ length: longestGuess }, () => -0.5),
};
