import { describe, expect, it } from "vitest";
import { type Message, textOf, userMessage } from "#conversation";
import { says } from "../../../test/fakes/model-server/index.ts";
import { withExcerpts } from "./excerpt.ts";
import { compressContext, group, stamped, testCompressor } from "./testing/builders.ts";
import { openStage } from "./testing/stage.ts";

const numbered = (count: number): string => Array.from({ length: count }, (_, index) => `line ${index}`).join("\n");
const sourceOf = (message: Message) => Promise.resolve(`context_recall ${message.uid}`);

describe("an excerpt", () => {
  it("shows beginning and end, says how much is missing and where it can be read", async () => {
    const text = numbered(500);
    const messages = stamped([userMessage("go"), ...group("c1", { content: text }), userMessage("and now?")]);
    const options = { longest: 1_000, longestWhenFull: 1_000, isFull: () => false, sourceOf };
    const [, , result] = await withExcerpts(messages, options);
    const content = textOf(result?.content);
    expect(content).toMatch(/^line 0\nline 1\n/);
    expect(content).toMatch(/\nline 499$/);
    const left = Number(/\[(\d+) characters left out; full text: context_recall m2\]/.exec(content)?.[1]);
    expect(left).toBe(text.length - 1_000);
    // Cut again, it still counts from the whole text.
    const again = await withExcerpts(result === undefined ? [] : [result], { ...options, longest: 400 });
    expect(textOf(again[0]?.content)).toContain(`[${text.length - 400} characters left out`);
  });

  it("is never made of the latest request, and gets shorter only while there is too little room", async () => {
    const request = userMessage("r".repeat(5_000));
    const messages = stamped([
      userMessage("u".repeat(5_000)),
      { role: "assistant", content: "a".repeat(5_000) },
      request,
    ]);
    const sizes = (list: readonly Message[]) =>
      list.map(({ sent, content }) => textOf(sent?.content ?? content).length);
    const isFull = (list: readonly Message[]) => sizes(list).reduce((sum, size) => sum + size, 0) > 7_200;
    const shorter = await withExcerpts(messages, {
      longest: Number.POSITIVE_INFINITY,
      longestWhenFull: 4_000,
      isFull,
      sourceOf,
    });
    const [first = 0, second = 0, third] = sizes(shorter);
    expect(third).toBe(5_000);
    expect(first).toBeLessThan(1_100);
    expect(second).toBeGreaterThan(900);
    expect(shorter[0]?.content).toBe(messages[0]?.content);
    const roomy = { longest: 6_000, longestWhenFull: 4_000, isFull: () => false, sourceOf };
    expect(await withExcerpts(messages, roomy)).toBe(messages);
  });
});

describe("a result that fills a small window", () => {
  const huge = stamped([userMessage("Read it."), ...group("c1", { content: numbered(4_000) })]);
  const small = { model: { contextLength: 8_192 } };

  it("goes on as an excerpt although there is nothing to summarise", async () => {
    const { engine, requests } = testCompressor(undefined, small);
    const { kind, messages } = await engine.prune(huge, compressContext({ currentTokens: 9_000 }));
    expect(kind).toBe("pruned");
    expect(textOf(messages[2]?.content)).toMatch(/line 0\n[\s\S]*full text: context_recall m2[\s\S]*line 3999$/);
    expect(requests).toEqual([]);
  });

  it("is kept in a file where messages cannot be read by their id", async () => {
    const kept: string[] = [];
    const { engine } = testCompressor(undefined, {
      ...small,
      canRecall: () => false,
      keepText: (id, text) => {
        kept.push(text);
        return Promise.resolve(`/tmp/results/${id}.txt`);
      },
    });
    const { messages } = await engine.prune(huge, compressContext({ currentTokens: 9_000 }));
    expect(textOf(messages[2]?.content)).toContain("full text: read_file /tmp/results/m2.txt");
    expect(kept).toEqual([numbered(4_000)]);
  });
});

describe("a session with a small window", () => {
  it("sends an excerpt of a long answer and stores all of it", async () => {
    await using stage = await openStage({ contextWindow: 6_000 });
    const { agent, server, conversation, records } = stage;
    const answer = numbered(2_400);
    server.script(says("One."), says("Two."), says(answer), says("Four."));
    for (const userMessage of ["First.", "Second.", "Third.", "Fourth."]) await agent.runConversation({ userMessage });
    expect(records).toMatchObject([{ summaryStatus: "skipped", messagesAfter: 7 }]);
    const wire = server.requests.at(-1)?.rawBody ?? "";
    expect(wire).toContain("characters left out; full text: context_recall");
    expect(wire).not.toContain("line 900");
    expect(records[0]?.savingsPct).toBeGreaterThan(80);
    expect(conversation.history.map(({ content }) => content)).toContain(answer);
    server.assertClean();
  });
});
