import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { finishSplit, splitDelta, startSplit } from "./think-split.ts";

function feed(chunks: readonly string[]): { text: string; reasoning: string } {
  let split = startSplit;
  let text = "";
  let reasoning = "";
  for (const chunk of chunks) {
    const step = splitDelta(split, chunk);
    split = step.split;
    text += step.text;
    reasoning += step.reasoning;
  }
  return { text: text + finishSplit(split).text, reasoning };
}

describe("inline reasoning", () => {
  it("is taken out also when its tags are split over chunks [20:A10.5]", () => {
    expect(feed(["<thi", "nk>secret</th", "ink>Hi"])).toEqual({ text: "Hi", reasoning: "secret" });
  });

  it("in mid-sentence is prose [20:A10.6]", () => {
    expect(feed(["use the <think> tag", " here"])).toEqual({ text: "use the <think> tag here", reasoning: "" });
  });

  it("that is never closed is printed as text [20:R10.8]", () => {
    expect(feed(["<think>half a ", "thought"])).toEqual({ text: "<think>half a thought", reasoning: "half a thought" });
  });

  it("inside a code fence is code [20:R10.8]", () => {
    const source = "```xml\n<think>x</think>\n```\n";
    expect(feed([...source])).toEqual({ text: source, reasoning: "" });
  });

  it("at a later line's start counts, and what follows is text again [20:R10.8]", () => {
    expect(feed(["Hello.\n", "<thinking>a<b", "</thinking>\n\nBye"])).toEqual({
      text: "Hello.\nBye",
      reasoning: "a<b",
    });
  });

  it("splits the same wherever the chunks end [20:R10.8]", () => {
    const sample = "Hi <think> x\n<think>deep\n<b> </think>\n\nDone <i>\n```\n<think>\n```\nend <thi";
    fc.assert(
      fc.property(fc.array(fc.nat({ max: sample.length }), { maxLength: 10 }), (cuts) => {
        const sorted = [0, ...cuts.sort((a, b) => a - b), sample.length];
        const chunks = sorted.slice(1).map((end, index) => sample.slice(sorted[index], end));
        expect(feed(chunks)).toEqual(feed([sample]));
      }),
    );
  });
});
