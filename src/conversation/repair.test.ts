import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assistantMessage, type Message, toolMessage, userMessage } from "./message.ts";
import { emptyToolText, emptyUserText, missingResult, repair, totalRepairs } from "./repair.ts";
import { newToolCall } from "./tool-call.ts";
import { isValid, violations } from "./transcript.ts";

const call = (id: string, name = "terminal") => newToolCall({ id, name, arguments: "{}" });
const withCalls = (...ids: string[]) => assistantMessage("", { tool_calls: ids.map((id) => call(id)) });
const result = (id: string, text = "ok") => toolMessage(call(id), text);

describe("repair of a request copy", () => {
  it("leaves a good list as it is, down to the objects [10:LOOP-11] [10:LOOP-12]", () => {
    const messages = [userMessage("hi"), withCalls("a", "b"), result("a"), result("b"), assistantMessage("done")];
    const repaired = repair(messages);
    expect(repaired.messages).toEqual(messages);
    for (const [index, message] of repaired.messages.entries()) expect(message).toBe(messages[index]);
    expect(totalRepairs(repaired.counts)).toBe(0);
  });

  it("drops messages of roles it does not know [10:LOOP-12]", () => {
    const odd = { role: "narrator", content: "x" } as unknown as Message;
    const repaired = repair([userMessage("hi"), odd, assistantMessage("yes")]);
    expect(repaired.messages.map((message) => message.role)).toEqual(["user", "assistant"]);
    expect(repaired.counts.unknownRole).toBe(1);
  });

  it("drops results nobody asked for and second results for one call, keeping the first [10:LOOP-12]", () => {
    const repaired = repair([
      userMessage("hi"),
      withCalls("a"),
      result("a", "first"),
      result("a", "second"),
      result("z"),
      assistantMessage("done"),
    ]);
    expect(repaired.messages.map((message) => message.content)).toEqual(["hi", "", "first", "done"]);
    expect(repaired.counts).toMatchObject({ duplicateResult: 1, orphanResult: 1 });
  });

  it("moves a late result behind the message that asked for it [10:LOOP-12]", () => {
    const repaired = repair([userMessage("hi"), withCalls("a"), userMessage("and?"), result("a", "late")]);
    expect(repaired.messages.map((message) => message.role)).toEqual(["user", "assistant", "tool", "user"]);
    expect(repaired.counts.movedResult).toBe(1);
  });

  it("moves a result that came before its call [10:LOOP-12]", () => {
    const repaired = repair([userMessage("hi"), result("a", "early"), withCalls("a"), assistantMessage("done")]);
    expect(repaired.messages.map((message) => message.content)).toEqual(["hi", "", "early", "done"]);
  });

  it("answers a call that has no result with one that says so [10:LOOP-12]", () => {
    const repaired = repair([userMessage("hi"), withCalls("a", "b"), result("b"), userMessage("go on")]);
    expect(repaired.messages.map((message) => message.content)).toEqual(["hi", "", missingResult, "ok", "go on"]);
    expect(repaired.counts.missingResult).toBe(1);
  });

  it("makes one message of user messages in a row, strings by newline and parts by concatenation [10:LOOP-12]", () => {
    expect(repair([userMessage("a"), userMessage("b")]).messages).toEqual([userMessage("a\nb")]);
    const image = { type: "image_url", image_url: { url: "data:image/png;base64,AA==" } } as const;
    expect(repair([userMessage("a"), userMessage([image])]).messages).toEqual([
      userMessage([{ type: "text", text: "a" }, image]),
    ]);
  });

  it("makes one message of assistant texts in a row and drops the later reasoning [10:LOOP-12]", () => {
    const repaired = repair([
      userMessage("hi"),
      assistantMessage("one", { reasoning: "first" }),
      assistantMessage("two", { reasoning: "second" }),
    ]);
    expect(repaired.messages[1]).toEqual(assistantMessage("one\ntwo", { reasoning: "first" }));
  });

  it("puts text before calls into the message that holds the calls, with its signatures", () => {
    const signed = { ...withCalls("a"), reasoning_details: [{ signature: "s" }] };
    const repaired = repair([userMessage("hi"), assistantMessage("let me look"), signed, result("a")]);
    expect(repaired.messages[1]).toEqual({ ...signed, content: "let me look" });
  });

  it("fills empty user and tool contents [10:LOOP-12]", () => {
    const repaired = repair([userMessage("  "), withCalls("a"), result("a", "")]);
    expect(repaired.messages.map((message) => message.content)).toEqual([emptyUserText, "", emptyToolText]);
  });

  it("keeps the pairs apart when a provider gives the same id in every step", () => {
    const repaired = repair([
      userMessage("hi"),
      withCalls("call_0"),
      result("call_0", "one"),
      withCalls("call_0"),
      result("call_0", "two"),
      assistantMessage("done"),
    ]);
    expect(repaired.messages.filter((message) => message.role === "tool")).toEqual([
      result("call_0", "one"),
      { ...result("call_0", "two"), tool_call_id: "call_0_2" },
    ]);
    expect(isValid(repaired.messages)).toBe(true);
  });

  it("never changes what it was given", () => {
    const messages = [userMessage(""), userMessage("b"), withCalls("a", "a"), result("x")];
    const before = structuredClone(messages);
    repair(messages);
    expect(messages).toEqual(before);
  });
});

const id = fc.constantFrom("a", "b", "c", "call_0");
const anyMessage: fc.Arbitrary<Message> = fc.oneof(
  fc.constantFrom("", " ", "hi").map((text) => userMessage(text)),
  fc.constantFrom("", "text").map((text) => assistantMessage(text)),
  fc.array(id, { maxLength: 3 }).map((ids) => withCalls(...ids)),
  id.map((one) => result(one)),
  fc.constant({ role: "function", content: "old" } as unknown as Message),
);

describe("repair of any list, however torn", () => {
  it("gives a list without violations that starts where the user speaks [10:LOOP-11] [10:LOOP-12]", () => {
    fc.assert(
      fc.property(fc.array(anyMessage, { maxLength: 30 }), (messages) => {
        const { messages: repaired } = repair([userMessage("start"), ...messages]);
        expect(violations(repaired)).toEqual([]);
        const ids = repaired.flatMap((message) => (message.role === "assistant" ? (message.tool_calls ?? []) : []));
        expect(new Set(ids.map((one) => one.id)).size).toBe(ids.length);
      }),
      { numRuns: 2_000 },
    );
  });

  it("passes over a list in order exactly as the rules would [10:LOOP-12]", () => {
    // A message of an unknown role is dropped by the first rule, and makes the rules look at all the others.
    const stranger = { role: "narrator", content: "x" } as unknown as Message;
    const inOrder = fc.array(anyMessage, { maxLength: 12 }).map((messages) => repair(messages).messages);
    fc.assert(
      fc.property(fc.oneof(fc.array(anyMessage, { maxLength: 6 }), inOrder), (messages) => {
        const [quick, full] = [repair(messages), repair([...messages, stranger])];
        expect(quick.messages).toEqual(full.messages);
        expect(totalRepairs(quick.counts)).toBe(totalRepairs(full.counts) - 1);
      }),
      { numRuns: 2_000 },
    );
  });

  it("gives a list of its own, so that one that grows later does not change what was sent [10:LOOP-12]", () => {
    const messages = [userMessage("hi"), assistantMessage("yes")];
    const repaired = repair(messages).messages;
    messages.push(userMessage("more"));
    expect(repaired).toHaveLength(2);
  });

  it("changes nothing when applied twice", () => {
    fc.assert(
      fc.property(fc.array(anyMessage, { maxLength: 30 }), (messages) => {
        const once = repair(messages).messages;
        expect(repair(once).messages).toEqual(once);
      }),
      { numRuns: 1_000 },
    );
  });

  it("loses no user word and no answered result", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1 }).filter((text) => text.trim() !== "")), (texts) => {
        const repaired = repair(texts.map((text) => userMessage(text))).messages;
        expect(repaired.map((message) => message.content).join("\n")).toBe(texts.join("\n"));
      }),
    );
  });

  it("extends: a longer list repairs to an extension of the shorter one while every step is whole [10:LOOP-13]", () => {
    const step = fc.tuple(fc.array(id, { minLength: 1, maxLength: 3 }), fc.boolean()).map(([ids, talks]): Message[] => {
      const distinct = [...new Set(ids)];
      const turn = [withCalls(...distinct), ...distinct.map((one) => result(one))];
      return talks ? [...turn, assistantMessage("so"), userMessage("next")] : turn;
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        let previous: readonly Message[] = [];
        const all: Message[] = [userMessage("start")];
        for (const one of steps) {
          all.push(...one);
          const now = repair(all).messages;
          expect(now.slice(0, previous.length)).toEqual(previous);
          previous = now;
        }
      }),
    );
  });
});
