import { describe, expect, it } from "vitest";
import { userMessage } from "#conversation";
import { placeholderSequence } from "../tokens/sequence.ts";
import { SequenceTracker } from "./sequence-tracker.ts";

describe("the tokens of a rollout", () => {
  it("are those that were sampled; what the model did not write is masked [50:5.8.11]", () => {
    const tracker = new SequenceTracker();
    const ids: Readonly<Record<string, readonly number[]>> = { ab: [1, 2], e: [5] };
    const encode = (text: string): readonly number[] => ids[text] ?? [];
    const first = tracker.inputFor("ab", encode);
    tracker.add("ab", first, { ids: [3, 4], logprobs: [-0.1, -0.2], text: "cd" });
    const second = tracker.inputFor("abcde", encode);
    expect(second).toEqual([1, 2, 3, 4, 5]);
    tracker.add("abcde", second, { ids: [6], logprobs: [-0.3], text: "f" });
    expect(tracker.last).toEqual({
      tokens: [1, 2, 3, 4, 5, 6],
      masks: [-100, -100, 3, 4, -100, 6],
      logprobs: [1, 1, -0.1, -0.2, 1, -0.3],
    });
    expect(tracker.breaks).toBe(0);
    tracker.add("xy", [9], { ids: [8], logprobs: [], text: "z" });
    expect(tracker.breaks).toBe(1);
  });

  it("are made up where the server tells none [50:5.8.12]", () => {
    const messages = [userMessage("ab"), userMessage("cd")];
    expect(placeholderSequence(messages, undefined)).toEqual({ tokens: [0], masks: [-100], logprobs: null });
    expect(placeholderSequence([], undefined)).toEqual({ tokens: [0], masks: [-100], logprobs: null });
  });
});
