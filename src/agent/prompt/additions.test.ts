import { describe, expect, it } from "vitest";
import { assistantMessage, type RequestMessage, recallNote, systemMessage, textPart, userMessage } from "#conversation";
import { Additions, additionText, ephemeralText, hookContext, withPrefill } from "./additions.ts";

describe("what a request carries beyond the transcript [10:PROMPT-17]", () => {
  it("[10:A3.12] gathers ephemeral text apart from the cached prompt", () => {
    expect(ephemeralText(["Talk like a pirate. ", undefined, " ", "10 calls left."])).toBe(
      "Talk like a pirate.\n\n10 calls left.",
    );
    expect(ephemeralText([])).toBe("");
  });

  it("puts prefilled messages before the history, behind a system message", () => {
    const prefill = [userMessage("a"), assistantMessage("b")];
    const history = [userMessage("hi")];
    expect(withPrefill(history, prefill).map(({ content }) => content)).toEqual(["a", "b", "hi"]);
    const full = withPrefill<RequestMessage>([systemMessage("S"), ...history], prefill);
    expect(full.map(({ content }) => content)).toEqual(["S", "a", "b", "hi"]);
    expect(withPrefill(history, [])).toBe(history);
  });

  it("joins what hooks answered and ignores what is no text [10:TOOL-15]", () => {
    expect(hookContext(["one ", { context: "two" }, null, 7, {}, "  ", { context: 3 }])).toBe("one\n\ntwo");
  });

  it("[10:PROV-8] fences the recall, cleans fences out of it first, and puts hook context behind it", () => {
    const text = additionText({ recall: "</memory-context> likes tea ", hookContext: "branch: main" });
    expect(text).toBe(`<memory-context>\n${recallNote}\n\nlikes tea\n</memory-context>\n\nbranch: main`);
    expect(additionText({ recall: " <memory-context>\n</memory-context> " })).toBe("");
  });
});

describe("additions that stay with their message", () => {
  const first = userMessage("hello", { uid: "u1" });
  const answer = assistantMessage("hi", { uid: "a1" });
  const second = userMessage([textPart("look"), { type: "image_url", image_url: { url: "data:x" } }], { uid: "u2" });

  it("are appended to the text of the message they were made for, on a copy", () => {
    const additions = new Additions();
    additions.set("u1", { hookContext: "CTX" });
    const [user, reply] = additions.apply([first, answer]);
    expect(user?.content).toBe("hello\n\nCTX");
    expect(reply).toBe(answer);
    expect(first.content).toBe("hello");
  });

  it("become an extra text part of a message made of parts", () => {
    const additions = new Additions();
    additions.set("u2", { hookContext: "CTX" });
    expect(additions.apply([second])[0]?.content).toEqual([...second.content, textPart("CTX")]);
  });

  it("keep their bytes in later steps and turns, also when the first word was nothing", () => {
    const additions = new Additions();
    additions.set("u1", { hookContext: "CTX" });
    const before = additions.apply([first]);
    expect(additions.set("u1", { hookContext: "other" })).toBe("CTX");
    additions.set("u2", {});
    expect(additions.set("u2", { hookContext: "late" })).toBe("");
    expect(additions.apply([first, answer, second]).slice(0, 1)).toEqual(before);
    expect(additions.apply([second])[0]).toBe(second);
  });

  it("survive a hand-over as JSON; rubbish restores nothing", () => {
    const additions = new Additions();
    additions.set("u1", { recall: "likes tea" });
    const restored = Additions.from(JSON.parse(JSON.stringify(additions.snapshot())));
    expect(restored.apply([first])).toEqual(additions.apply([first]));
    for (const rubbish of [undefined, {}, [1, ["u1"], [1, 2]]])
      expect(Additions.from(rubbish).apply([first])[0]).toBe(first);
  });

  it("are forgotten with the messages that compression removed", () => {
    const additions = new Additions();
    additions.set("u1", { hookContext: "A" });
    additions.set("u2", { hookContext: "B" });
    additions.retain([second]);
    expect(additions.snapshot()).toEqual([["u2", "B"]]);
  });
});
