import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type AssistantMessage,
  imagePart,
  type Message,
  type ToolMessage,
  textPart,
  userMessage,
  wordsOf,
} from "#conversation";
import { fakeTool } from "#tools/testing";
import { calls, fails, reply, says, thinks } from "../../test/fakes/model-server/index.ts";
import { harnesses, protocols, withSteps } from "./testing/harnesses.ts";

const harness = harnesses();
const hi = { userMessage: "Hi" };

/** A sound transcript of a few turns, some with calls, as it stands in a store. */
const transcript = fc
  .array(fc.record({ said: fc.string({ maxLength: 8 }), callCount: fc.integer({ min: 0, max: 3 }) }), {
    minLength: 1,
    maxLength: 5,
  })
  .map((turns): readonly Message[] =>
    turns.flatMap(({ said, callCount }, turn) => {
      const ids = Array.from({ length: callCount }, (_, n) => `call_${turn}_${n}`);
      const asked: AssistantMessage = {
        role: "assistant",
        content: said,
        uid: `a${turn}`,
        tool_calls: ids.map((id) => ({
          id,
          type: "function",
          function: { name: "terminal", arguments: '{"b":1,"a":2}' },
        })),
      };
      const results = ids.map(
        (id): ToolMessage => ({ role: "tool", content: said, tool_call_id: id, tool_name: "terminal", uid: `t${id}` }),
      );
      const user: Message = { role: "user", content: said, uid: `u${turn}` };
      const closing: Message = { role: "assistant", content: `end ${said}`, uid: `e${turn}` };
      return ids.length === 0 ? [user, closing] : [user, asked, ...results, closing];
    }),
  );

const damage = fc.array(fc.record({ kind: fc.constantFrom("drop", "repeat", "swap"), at: fc.nat(), to: fc.nat() }), {
  minLength: 1,
  maxLength: 6,
});

function damaged(
  messages: readonly Message[],
  blows: readonly { kind: string; at: number; to: number }[],
): readonly Message[] {
  return blows.reduce<readonly Message[]>((list, { kind, at, to }) => {
    if (list.length === 0) return list;
    const first = at % list.length;
    const second = to % list.length;
    const one = list[first] as Message;
    if (kind === "drop") return list.filter((_, index) => index !== first);
    if (kind === "repeat") return [...list.slice(0, second), one, ...list.slice(second)];
    const other = list[second] as Message;
    return list.map((message, index) => (index === first ? other : index === second ? one : message));
  }, messages);
}

describe.each(protocols)("requests over %s", (protocol) => {
  it("are sound whatever happened to the stored messages, which stay as they are [10:A12.5] [10:LOOP-12] [10:LOOP-11] [10:D9] [10:COMP-9]", async () => {
    const { agent, server, conversation } = await harness({ protocol, target: { quirks: { cacheMarks: "block" } } });
    server.otherwise(says("ok"));
    await fc.assert(
      fc.asyncProperty(transcript, damage, async (messages, blows) => {
        const history = damaged(messages, blows);
        const before = JSON.stringify(history);
        const ended = await agent.runConversation({ userMessage: "go on", history });
        expect(server.rejections).toEqual([]);
        expect(ended.completed).toBe(true);
        expect(JSON.stringify(history)).toBe(before);
        expect(conversation.history.slice(0, history.length)).toEqual(history);
      }),
      { numRuns: 60 },
    );
  });

  it("are the same bytes when a run of two hundred steps is repeated [10:A12.2] [10:LOOP-13]", async () => {
    const run = async (): Promise<readonly string[]> => {
      const { agent, server } = await harness({ protocol, server: { strict: false }, deps: withSteps(250) });
      server.onRequest(({ number }) => (number <= 200 ? calls("terminal", { z: number, a: "x" }) : says("End")));
      expect((await agent.runConversation({ userMessage: "Go" })).apiCalls).toBe(201);
      return server.requests.map((request) => request.rawBody);
    };
    const first = await run();
    expect(await run()).toEqual(first);
  }, 60_000);

  it("only grow, over steps and turns, thinking included [10:LOOP-13] [10:D31]", async () => {
    const quirks = protocol === "anthropic_messages" ? { thinkingReplay: "signed" as const } : {};
    const { agent, server } = await harness({ protocol, target: { quirks } });
    const thought = (text: string) => thinks(text, { encrypted: true });
    server.script(
      reply([thought("One."), calls("terminal", { n: 1 })]),
      reply([thought("Two."), says(" spaced out \n")]),
      reply([thought("Three."), calls("terminal", { n: 2 })]),
      says("Done"),
    );
    await agent.runConversation({ userMessage: "First" });
    await agent.runConversation({ userMessage: "  Second  " });
    const sent = server.requests.map((request) => request.messages.map((message) => JSON.stringify(message)));
    for (const [index, messages] of sent.entries()) {
      const before = sent[index - 1] ?? [];
      expect(messages.slice(0, before.length)).toEqual(before);
      expect(messages.length).toBeGreaterThan(before.length);
    }
    expect(server.rejections).toEqual([]);
  });

  it("hold no internal field and no half of a character [10:LOOP-9] [10:LOOP-42] [10:ERR-16]", async () => {
    const history: readonly Message[] = [
      { role: "user", content: "a\ud83d", uid: "secret-uid", timestamp: 1 },
      {
        role: "assistant",
        content: "b\udc00",
        uid: "secret-uid2",
        reasoning: "private",
        finish_reason: "stop",
        tool_calls: [
          {
            id: "c1",
            call_id: "c1",
            response_item_id: "fc_1",
            type: "function",
            function: { name: "terminal", arguments: '{"x":"\\ud83d \ud83d"}' },
          },
        ],
      },
      { role: "tool", content: "r\ud83d \u{1F600}", tool_call_id: "c1", tool_name: "secret-name", uid: "secret-uid3" },
      { role: "assistant", content: "c", uid: "secret-uid4" },
    ];
    const { agent, server } = await harness({ protocol, history });
    server.script(says("ok"));
    await agent.runConversation({ userMessage: "\udfff \u{1F600}" });
    const { rawBody } = await server.received(1);
    expect(rawBody).not.toMatch(/secret-uid|secret-name|finish_reason|_scaffold/);
    expect(rawBody).not.toMatch(/\\ud[89ab]/i);
    expect(rawBody).toContain("\u{1F600}");
    expect(server.rejections).toEqual([]);
  });
});

describe("what goes out besides the history", () => {
  it("is no part of the words that are stored: the whole skill, recalled words, prefill, words for one call [10:LOOP-2] [10:LOOP-8] [10:D18]", async () => {
    const { agent, server, recorded } = await harness({
      deps: {
        prefill: [userMessage("Prefilled question"), { role: "assistant", content: "Prefilled answer" }],
        ephemeral: () => "Only now.",
        memory: { onTurnStart: () => undefined, recall: () => Promise.resolve("likes tea"), sync: () => undefined },
        hooks: { turnContext: () => Promise.resolve("from a plugin") },
      },
    });
    server.script(calls("terminal", {}), says("ok"));
    await agent.runConversation({ userMessage: "The whole skill text", persistUserMessage: "/skill" });
    for (const request of server.requests) {
      const text = JSON.stringify(request.messages);
      for (const words of ["Prefilled question", "The whole skill text", "likes tea", "from a plugin"])
        expect(text).toContain(words);
      expect(request.systemText).toContain("Only now.");
    }
    expect(recorded[0]?.content).toBe("/skill");
    expect(JSON.stringify(recorded.map(wordsOf))).not.toMatch(/Prefilled|skill text|likes tea|plugin|Only now/);
    expect(JSON.stringify(recorded)).not.toMatch(/Prefilled|Only now/);
  });

  it("is recalled once for a turn of five steps, fenced behind the words, and not in what is stored [10:A7.2] [10:PROV-9]", async () => {
    const queries: string[] = [];
    const recall = (query: string) => {
      queries.push(query);
      return Promise.resolve("likes tea");
    };
    const memory = { onTurnStart: () => undefined, recall, sync: () => undefined };
    const { agent, server, recorded } = await harness({ deps: { memory } });
    server.script(...[1, 2, 3, 4].map((n) => calls("terminal", { n })), says("ok"));
    await agent.runConversation({ userMessage: "What do I drink?" });
    expect(queries).toEqual(["What do I drink?"]);
    expect(server.requests).toHaveLength(5);
    for (const { messages } of server.requests) {
      const asked = String(messages.find(({ role }) => role === "user")?.["content"]);
      expect(asked).toMatch(/^What do I drink\?\n\n<memory-context>\n[\s\S]*likes tea\n<\/memory-context>$/);
    }
    expect(recorded[0]).toMatchObject({ role: "user", content: "What do I drink?" });
  });

  it("goes out again, byte for byte, when the session is taken up by another process [10:PROMPT-18]", async () => {
    const memory = { onTurnStart: () => undefined, recall: () => Promise.resolve("likes tea"), sync: () => undefined };
    const first = await harness({ deps: { memory } });
    first.server.script(says("ok"), says("again"));
    await first.agent.runConversation({ userMessage: "The whole skill text", persistUserMessage: "/skill" });
    const stored = JSON.parse(JSON.stringify(first.recorded)) as Message[];
    await first.agent.runConversation({ userMessage: "go on" });
    const second = await harness({ history: stored, deps: { memory } });
    second.server.script(says("again"));
    await second.agent.runConversation({ userMessage: "go on" });
    expect(second.server.requests[0]?.rawBody).toBe(first.server.requests[1]?.rawBody);
  });

  it("stays with its message in the next turn, so that the beginning of a request never changes", async () => {
    const turns: number[] = [];
    const { agent, server } = await harness({
      deps: {
        memory: {
          onTurnStart: () => undefined,
          recall: () => Promise.resolve(`recall ${turns.push(1)}`),
          sync: () => undefined,
        },
      },
    });
    server.script(says("one"), says("two"));
    await agent.runConversation(hi);
    await agent.runConversation(hi);
    const [first, second] = server.requests.map((request) =>
      request.messages.map((message) => JSON.stringify(message)),
    );
    expect(second?.slice(0, first?.length)).toEqual(first);
    expect(second?.at(-1)).toContain("recall 2");
  });

  it("counts repairs in the log, once for each kind of damage [10:LOOP-12]", async () => {
    const history: readonly Message[] = [
      { role: "user", content: "a" },
      { role: "user", content: "b" },
      { role: "tool", content: "lost", tool_call_id: "none", tool_name: "x" },
    ];
    const { agent, server, logger } = await harness({ history });
    server.script(calls("terminal", {}), says("ok"));
    await agent.runConversation(hi);
    const lines = logger.lines.filter((line) => line.message.includes("repaired"));
    expect(lines).toHaveLength(1);
    expect(lines[0]?.fields).toMatchObject({ orphanResult: 1, mergedUser: 2 });
  });
});

describe("header values", () => {
  it("lose what cannot be sent, with a warning; the request goes out [10:LOOP-44] [10:ERR-16]", async () => {
    const { agent, server, logger } = await harness({
      target: { headers: { "x-title": "H\u00e9rm\u2013es\n", "x-plain": "ok" } },
    });
    server.script(says("ok"));
    expect((await agent.runConversation(hi)).completed).toBe(true);
    expect((await server.received(1)).headers).toMatchObject({ "x-title": "Hrmes", "x-plain": "ok" });
    expect(logger.lines.find((line) => line.level === "warn")?.fields).toEqual({ headers: ["x-title"] });
  });
});

describe("the list of tools", () => {
  it("is the same in every request, also the last words [10:LOOP-17] [10:LOOP-13]", async () => {
    const { agent, server } = await harness({ tools: [fakeTool("b"), fakeTool("a")], deps: withSteps(1) });
    server.script(calls("a", {}), says("End"));
    await agent.runConversation(hi);
    const lists = server.requests.map((request) => JSON.stringify(request.body["tools"]));
    expect(new Set(lists).size).toBe(1);
  });
});

describe("images", () => {
  const pixel = "data:image/png;base64,iVBORw0KGgo=";
  const shown = { userMessage: [textPart("Look"), imagePart(pixel)] };

  it.each(protocols)("go to a model over %s that takes them [10:ERR-15] [20:R1.68]", async (protocol) => {
    const { agent, server } = await harness({
      protocol,
      deps: { images: { describe: () => Promise.resolve("a cat") } },
    });
    server.script(says("ok"));
    await agent.runConversation(shown);
    expect((await server.received(1)).rawBody).toContain("iVBORw0KGgo=");
  });

  it.each(protocols)("are described once, in words, over %s for one that takes none [10:ERR-15]", async (protocol) => {
    let looked = 0;
    const describeImage = () => {
      looked += 1;
      return Promise.resolve("a cat on a mat");
    };
    const { agent, server, recorded } = await harness({
      protocol,
      target: { quirks: { supportsImages: false } },
      deps: { images: { describe: describeImage } },
    });
    server.script(calls("terminal", {}), says("ok"), says("again"));
    await agent.runConversation(shown);
    await agent.runConversation(shown);
    expect(looked).toBe(1);
    for (const request of server.requests) {
      expect(request.rawBody).toContain("a cat on a mat");
      expect(request.rawBody).not.toContain("iVBORw0KGgo=");
    }
    expect(JSON.stringify(recorded)).toContain("iVBORw0KGgo=");
    expect(server.rejections).toEqual([]);
  });

  it("that nobody can describe leave a note, never an error [10:ERR-15]", async () => {
    for (const images of [
      { describe: () => Promise.reject(new Error("no vision")) },
      { describe: () => Promise.resolve(undefined) },
      {},
    ]) {
      const { agent, server } = await harness({ target: { quirks: { supportsImages: false } }, deps: { images } });
      server.script(says("ok"));
      expect((await agent.runConversation(shown)).completed).toBe(true);
      expect((await server.received(1)).rawBody).toMatch(/takes no images/);
    }
  });

  it("that a model turns out not to take become words for the rest of the session [20:R1.68] [10:ERR-15]", async () => {
    const { agent, server } = await harness({ deps: { images: { describe: () => Promise.resolve("a cat") } } });
    server.script(fails(400, { message: "This model does not support images" }), says("ok"), says("again"));
    expect((await agent.runConversation(shown)).completed).toBe(true);
    await agent.runConversation(hi);
    expect(server.requests.map((request) => request.rawBody.includes("iVBORw0KGgo="))).toEqual([true, false, false]);
    expect((await server.received(3)).rawBody).toContain("a cat");
  });

  it("above five megabytes are made smaller first, once [10:ERR-15]", async () => {
    const large = `data:image/png;base64,${"A".repeat(7_000_004)}`;
    let shrunk = 0;
    const shrink = () => {
      shrunk += 1;
      return Promise.resolve(pixel);
    };
    const { agent, server } = await harness({ deps: { images: { shrink } } });
    server.script(calls("terminal", {}), says("ok"));
    await agent.runConversation({ userMessage: [textPart("Look"), imagePart(large)] });
    expect(shrunk).toBe(1);
    expect(server.requests.every((request) => request.rawBody.length < 100_000)).toBe(true);
  });

  it("that the provider still finds too large are shrunk, or replaced by a note, once [10:ERR-6]", async () => {
    const { agent, server } = await harness({
      remedies: { shrinkImage: () => Promise.resolve("data:image/png;base64,AAAA") },
    });
    const tooLarge = fails(400, { message: "image exceeds 5 MB maximum size" });
    server.script(tooLarge, says("ok"));
    expect((await agent.runConversation(shown)).completed).toBe(true);
    expect((await server.received(2)).rawBody).toContain("base64,AAAA");
    const other = await harness();
    other.server.script(tooLarge, tooLarge);
    expect(await other.agent.runConversation(shown)).toMatchObject({
      exitReason: "non_retryable_error",
      errorClass: "media_too_large",
    });
    expect((await other.server.received(2)).rawBody).toContain("could not be made smaller");
  });
});
