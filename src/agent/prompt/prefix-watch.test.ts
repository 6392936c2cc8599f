import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assistantMessage, type Message, type RequestMessage, userMessage } from "#conversation";
import { SentMessages } from "../turn/request/sent-messages.ts";
import { describeBreak, type PrefixReport, PrefixWatch } from "./prefix-watch.ts";

const tool = { name: "terminal", description: "Run a command", parameters: { type: "object" } };
const request = (messages: readonly RequestMessage[], system = "S") => ({ system, tools: [tool], messages });

function broken(report: PrefixReport): PrefixReport & { kind: "break" } {
  if (report.kind !== "break") throw new Error(`expected a break, got ${report.kind}`);
  return report;
}

describe("the prefix watch", () => {
  it("sees the first request, then one that extends it", () => {
    const watch = new PrefixWatch();
    const hello = userMessage("hello");
    const first = watch.observe(request([hello]));
    expect(first).toMatchObject({ kind: "first", sharedBytes: 0 });
    const second = watch.observe(request([{ ...hello }, assistantMessage("hi"), userMessage("more")]));
    expect(second).toMatchObject({ kind: "extends", sharedBytes: first.totalBytes });
    expect(second.totalBytes).toBeGreaterThan(first.totalBytes);
  });

  it("ignores what is never sent", () => {
    const watch = new PrefixWatch();
    watch.observe(request([userMessage("a", { uid: "1", timestamp: 1 })]));
    const report = watch.observe(request([userMessage("a", { uid: "2", timestamp: 2, _scaffold: true })]));
    expect(report.kind).toBe("extends");
  });

  it("names a changed system text with the place and both wordings", () => {
    const watch = new PrefixWatch();
    watch.observe(request([], "You are Hermes. It is Monday."));
    expect(watch.observe(request([], "You are Hermes. It is Tuesday."))).toMatchObject({
      kind: "break",
      at: "system",
      offset: 22,
      was: "Monday.",
      is: "Tuesday.",
      cause: undefined,
      sharedBytes: 22,
    });
  });

  it("counts words for one call as part of the system text", () => {
    const watch = new PrefixWatch();
    watch.observe({ ...request([]), ephemeral: "9 calls left" });
    expect(watch.observe({ ...request([]), ephemeral: "8 calls left" }, "budget note")).toMatchObject({
      kind: "break",
      at: "system",
      offset: 3,
      was: "9 calls left",
      cause: "budget note",
    });
  });

  it("names changed tools", () => {
    const watch = new PrefixWatch();
    watch.observe(request([]));
    const report = watch.observe({ ...request([]), tools: [tool, { ...tool, name: "read_file" }] }, "tool change");
    expect(report).toMatchObject({ kind: "break", at: "tools", cause: "tool change" });
  });

  it("names the first message that changed, and goes on from the new request", () => {
    const watch = new PrefixWatch();
    const [one, two, three] = [userMessage("one"), assistantMessage("two"), userMessage("three")];
    watch.observe(request([one, two, three]));
    const changed = [one, assistantMessage("zwei"), three];
    const report = broken(watch.observe(request(changed), "compression"));
    expect(report).toMatchObject({ at: 1, is: 'zwei"}', was: 'two"}', cause: "compression" });
    expect(describeBreak(report)).toContain("of message 1, because of compression");
    expect(watch.observe(request(changed)).kind).toBe("extends");
  });

  it("calls it a break when the history got shorter", () => {
    const watch = new PrefixWatch();
    watch.observe(request([userMessage("one"), assistantMessage("two")]));
    const report = broken(watch.observe(request([userMessage("one")])));
    expect(report).toMatchObject({ at: 1, offset: 0, is: "" });
    expect(describeBreak(report)).toContain("without a known cause");
  });

  it("keeps excerpts short", () => {
    const watch = new PrefixWatch();
    watch.observe(request([], "a".repeat(500)));
    const report = broken(watch.observe(request([], "b".repeat(500))));
    expect([report.was.length, report.is.length]).toEqual([60, 60]);
  });

  it("finds no break over turns whose additions stay with their messages", () => {
    const watch = new PrefixWatch();
    const sent = new SentMessages();
    const history: Message[] = [];
    for (let turn = 0; turn < 5; turn += 1) {
      history.push(userMessage(`question ${turn}`, { sent: { suffix: `memory of turn ${turn}` } }));
      expect(watch.observe(request(sent.view(history))).kind).not.toBe("break");
      history.push(assistantMessage(`answer ${turn}`));
      expect(watch.observe(request(sent.view(history))).kind).toBe("extends");
    }
  });

  it("agrees with a comparison of the whole texts", () => {
    const message = fc.record({ role: fc.constant("user" as const), content: fc.constantFrom("a", "b", "ü👍") });
    fc.assert(
      fc.property(fc.array(message, { maxLength: 4 }), fc.array(message, { maxLength: 4 }), (before, after) => {
        const watch = new PrefixWatch();
        watch.observe(request(before));
        const isPrefix = before.every(({ content }, index) => content === after[index]?.content);
        expect(watch.observe(request(after)).kind).toBe(isPrefix ? "extends" : "break");
      }),
    );
  });
});
