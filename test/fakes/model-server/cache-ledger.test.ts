import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type LedgerEntry,
  type ModelServer,
  type ModelServerOptions,
  rateLimited,
  says,
  startModelServer,
} from "./index.ts";
import { ask, smallest, type Wire } from "./testing/ask.ts";

/*
 * Sizes are made by hand: a block's bytes are its JSON. `{"text":""}` has 11 bytes, `{"role":"user","text":""}` 25,
 * `{"role":"assistant","text":""}` 30; the rest is filled so that every block has a round size. 4 bytes are 1 token.
 */
const system = (bytes: number, letter = "s") => ({ type: "text", text: letter.repeat(bytes - 11) });
const user = (bytes: number, letter = "u") => ({ type: "text", text: letter.repeat(bytes - 25) });
const assistant = (bytes: number) => ({ type: "text", text: "a".repeat(bytes - 30) });
const mark = { cache_control: { type: "ephemeral" } };
const hour = { cache_control: { type: "ephemeral", ttl: "1h" } };

class Hands {
  nowMs = 0;
  now(): number {
    return this.nowMs;
  }
}

interface Story {
  readonly server: ModelServer;
  readonly clock: Hands;
  readonly say: (body: object, wire?: Wire) => Promise<LedgerEntry>;
}

async function story(options: ModelServerOptions, tell: (story: Story) => Promise<void>): Promise<void> {
  const clock = new Hands();
  await using server = await startModelServer({ clock, ...options });
  server.otherwise(says("ok"));
  await tell({
    server,
    clock,
    say: async (body, wire = "anthropic") => {
      await ask(server, wire, { body: { ...smallest[wire], ...body } });
      const entry = server.ledger.entries.at(-1);
      if (entry === undefined) throw new Error("Nothing was recorded.");
      return entry;
    },
  });
}

const first = {
  system: [{ ...system(4100), ...mark }],
  messages: [{ role: "user", content: [{ ...user(100), ...mark }] }],
};
const second = {
  system: [{ ...system(4100), ...mark }],
  messages: [
    { role: "user", content: [user(100)] },
    { role: "assistant", content: [assistant(100)] },
    { role: "user", content: [{ ...user(100, "v"), ...mark }] },
  ],
};

describe("the cache ledger with marks", () => {
  test("writes up to the last mark, reads it back, and pays only for what is new", async () => {
    await story({}, async ({ say, server }) => {
      expect(await say(first)).toEqual({
        requestNumber: 1,
        protocol: "anthropic",
        model: "m",
        mode: "explicit",
        inputTokens: 1050,
        cacheRead: 0,
        cacheWrite: 1050,
        cacheWrite1h: 0,
        uncached: 0,
        missed: 0,
        bytes: 4200,
        prefixBytesShared: 0,
        cost: 1312.5,
        idealCost: 1312.5,
      });
      expect(await say(second)).toEqual({
        requestNumber: 2,
        protocol: "anthropic",
        model: "m",
        mode: "explicit",
        inputTokens: 1100,
        cacheRead: 1050,
        cacheWrite: 50,
        cacheWrite1h: 0,
        uncached: 0,
        missed: 0,
        bytes: 4400,
        prefixBytesShared: 4200,
        cost: 167.5,
        idealCost: 167.5,
      });
      expect(server.ledger.totals()).toEqual({
        requests: 2,
        inputTokens: 2150,
        uncached: 0,
        cacheRead: 1050,
        cacheWrite: 1100,
        missed: 0,
        cost: 1480,
        idealCost: 1480,
        costRatio: 1,
        readShare: 1050 / 2150,
      });
    });
  });

  test("the reply's usage is the ledger's", async () => {
    await story({}, async ({ server }) => {
      await ask(server, "anthropic", { body: { ...smallest.anthropic, ...first } });
      const answer = (await ask(server, "anthropic", { body: { ...smallest.anthropic, ...second } })).json();
      expect(answer.usage).toMatchObject({
        input_tokens: 0,
        cache_read_input_tokens: 1050,
        cache_creation_input_tokens: 50,
        cache_creation: { ephemeral_5m_input_tokens: 50, ephemeral_1h_input_tokens: 0 },
      });
    });
  });

  test("what lies behind the last mark is paid in full", async () => {
    await story({}, async ({ say }) => {
      const entry = await say({
        system: [{ ...system(4100), ...mark }],
        messages: [{ role: "user", content: [user(100)] }],
      });
      expect([entry.cacheWrite, entry.uncached, entry.cost]).toEqual([1025, 25, 1306.25]);
    });
  });

  test("without marks nothing is cached, and the ledger says what that cost", async () => {
    await story({}, async ({ say, server }) => {
      const strip = (body: object) =>
        JSON.parse(JSON.stringify(body).replaceAll(',"cache_control":{"type":"ephemeral"}', ""));
      await say(strip(first));
      const entry = await say(strip(second));
      expect([entry.cacheRead, entry.cacheWrite, entry.uncached, entry.missed]).toEqual([0, 0, 1100, 1050]);
      expect([entry.cost, entry.idealCost]).toEqual([1100, 167.5]);
      expect(server.ledger.totals().costRatio).toBeCloseTo(2150 / 1480, 10);
    });
  });

  test("prefixes below the minimum are not cached", async () => {
    const small = { messages: [{ role: "user", content: [{ ...user(4092), ...mark }] }] };
    const exact = { messages: [{ role: "user", content: [{ ...user(4096), ...mark }] }] };
    await story({}, async ({ say }) => {
      expect((await say(small)).cacheWrite).toBe(0);
      expect((await say(exact)).cacheWrite).toBe(1024);
    });
    await story({ cacheMinimumTokens: 0 }, async ({ say }) => {
      expect((await say(small)).cacheWrite).toBe(1023);
    });
  });

  test("names the first difference, down to the field and the letters", async () => {
    await story({}, async ({ say }) => {
      await say(first);
      const changed = { ...second, system: [{ type: "text", text: `${"s".repeat(4080)}X${"s".repeat(8)}`, ...mark }] };
      const entry = await say(changed);
      expect(entry).toMatchObject({ cacheRead: 0, cacheWrite: 1100, missed: 1050, prefixBytesShared: 9 + 4080 });
      expect(entry.firstDifference).toEqual({
        path: "system[0].text",
        before: `...${"s".repeat(29)}`,
        after: `...${"s".repeat(20)}X${"s".repeat(8)}`,
      });
    });
  });

  test("names a changed tool, a dropped message and a changed setting", async () => {
    const tools = (description: string) => [
      { name: "a", description: "one", input_schema: { type: "object" } },
      { name: "b", description, input_schema: { type: "object" } },
    ];
    const hi = { messages: [{ role: "user", content: "hi" }] };
    await story({}, async ({ say }) => {
      await say({ ...hi, tools: tools("two") });
      expect((await say({ ...hi, tools: tools("three") })).firstDifference).toEqual({
        path: "tools[1].description",
        before: "two",
        after: "three",
      });
      expect((await say({ ...hi, tools: tools("three").slice(0, 1) })).firstDifference).toEqual({
        path: "tools[1]",
        before: '{"name":"b","description":"three","input...',
        after: "(nothing)",
      });
      const one = tools("three").slice(0, 1);
      expect((await say({ ...hi, tools: one, system: "S" })).firstDifference).toEqual({
        path: "system[0]",
        before: "(nothing)",
        after: '{"text":"S"}',
      });
      await say({ ...hi, tools: one });
      const forced = await say({ ...hi, tools: one, tool_choice: { type: "any" } });
      expect(forced.firstDifference).toEqual({
        path: "tool_choice or thinking",
        before: "[null,null]",
        after: '[{"type":"any"},null]',
      });
    });
  });

  test("a changed setting keeps tools and system cached and loses the messages", async () => {
    await story({}, async ({ say }) => {
      await say(first);
      const entry = await say({ ...first, tool_choice: { type: "any" } });
      expect([entry.cacheRead, entry.cacheWrite]).toEqual([1025, 25]);
    });
  });

  test("another order of keys is another prompt", async () => {
    const tool = (schema: object) => ({ tools: [{ name: "a", input_schema: schema }] });
    await story({}, async ({ say }) => {
      await say(tool({ type: "object", properties: {} }));
      const entry = await say(tool({ properties: {}, type: "object" }));
      expect(entry.firstDifference?.path).toBe("tools[0].input_schema");
    });
  });

  test("a mark does not change the prompt, nor does a string turned into a part", async () => {
    await story({ cacheMinimumTokens: 0 }, async ({ say }) => {
      const marked = { messages: [{ role: "user", content: [{ type: "text", text: "hi", ...mark }] }] };
      await say(marked);
      const plain = await say({
        messages: [
          { role: "user", content: "hi" },
          { role: "assistant", content: "yes" },
          { role: "user", content: [{ type: "text", text: "more", ...mark }] },
        ],
      });
      expect(plain.firstDifference).toBeUndefined();
      // {"role":"user","text":"hi"} has 27 bytes.
      expect([plain.cacheRead, plain.prefixBytesShared, plain.missed]).toEqual([7, 27, 0]);
    });
  });

  test("entries live five minutes, counted from their last use", async () => {
    await story({}, async ({ say, clock }) => {
      await say(first);
      clock.nowMs = 299_999;
      expect((await say(first)).cacheRead).toBe(1050);
      clock.nowMs = 599_998;
      expect((await say(first)).cacheRead).toBe(1050);
      clock.nowMs = 899_998;
      const late = await say(first);
      expect([late.cacheRead, late.missed, late.firstDifference]).toEqual([0, 1050, undefined]);
    });
  });

  test("reading an entry that is no longer marked keeps it alive, too", async () => {
    await story({}, async ({ say, clock }) => {
      await say(first);
      clock.nowMs = 299_999;
      expect((await say(second)).cacheRead).toBe(1050);
      clock.nowMs = 599_998;
      expect((await say(first)).cacheRead).toBe(1050);
    });
  });

  test("entries marked 1h live an hour and cost twice", async () => {
    const long = { ...first, system: [{ ...system(4100), ...hour }] };
    await story({}, async ({ say, clock }) => {
      const entry = await say(long);
      expect([entry.cacheWrite, entry.cacheWrite1h, entry.cost]).toEqual([1050, 1025, 25 * 1.25 + 1025 * 2]);
      clock.nowMs = 3_599_999;
      const later = await say(long);
      expect([later.cacheRead, later.cacheWrite, later.cacheWrite1h]).toEqual([1025, 25, 0]);
      clock.nowMs = 7_199_999;
      expect((await say(long)).cacheRead).toBe(0);
    });
  });

  test("a mark looks back twenty blocks, not further", async () => {
    const many = (count: number) => ({
      messages: [
        {
          role: "user",
          content: [
            { ...user(4100), ...mark },
            ...Array.from({ length: count }, (_, index) => ({ type: "text", text: `${index}` })),
            { type: "text", text: "end", ...mark },
          ].map((block, index) => (index === 0 && count > 0 ? { ...user(4100) } : block)),
        },
      ],
    });
    const seed = { messages: [{ role: "user", content: [{ ...user(4100), ...mark }] }] };
    await story({}, async ({ say }) => {
      await say(seed);
      expect((await say(many(18))).cacheRead).toBe(1025);
    });
    await story({}, async ({ say }) => {
      await say(seed);
      expect((await say(many(19))).cacheRead).toBe(0);
    });
  });

  test("models do not share a cache", async () => {
    await story({}, async ({ say }) => {
      await say({ ...first, model: "one" });
      expect((await say({ ...first, model: "two" })).cacheRead).toBe(0);
      expect((await say({ ...first, model: "one" })).cacheRead).toBe(1050);
    });
  });

  test("a shorter history is a fresh start that may still share its head", async () => {
    await story({}, async ({ say }) => {
      await say(second);
      const fresh = await say({
        system: [{ ...system(4100), ...mark }],
        messages: [{ role: "user", content: [{ ...user(60, "w"), ...mark }] }],
      });
      expect(fresh).toMatchObject({ cacheRead: 1025, cacheWrite: 15, missed: 0, prefixBytesShared: 4100 + 23 });
      expect(fresh.firstDifference).toBeUndefined();
    });
  });

  test("the same opening with fewer messages is a fresh start, not a break", async () => {
    await story({}, async ({ say }) => {
      await say(first);
      await say(second);
      const again = await say(first);
      expect([again.cacheRead, again.missed, again.firstDifference]).toEqual([1050, 0, undefined]);
    });
  });

  test("refused and failed requests cost nothing and cache nothing", async () => {
    await using server = await startModelServer({ strict: true });
    server.script(rateLimited(), says("ok"));
    const body = { ...smallest.anthropic, ...first };
    await ask(server, "anthropic", { body });
    await ask(server, "anthropic", { body: { ...body, nonsense: 1 } });
    await ask(server, "anthropic", { body });
    expect(server.ledger.entries.map(({ requestNumber, cacheRead }) => [requestNumber, cacheRead])).toEqual([[3, 0]]);
  });

  test("reads marks on the parts and on the messages of a chat body", async () => {
    const text = "s".repeat(4100);
    const onPart = { messages: [{ role: "user", content: [{ type: "text", text, ...mark }] }] };
    const onMessage = { messages: [{ role: "user", content: text, ...mark }] };
    await story({ chatDialect: "openrouter" }, async ({ say }) => {
      // {"role":"user","text":"..."} with 4100 letters has 4125 bytes.
      expect(await say(onPart, "chat")).toMatchObject({ mode: "explicit", cacheRead: 0, cacheWrite: 1032 });
      expect(await say(onMessage, "chat")).toMatchObject({ mode: "explicit", cacheRead: 1032, cacheWrite: 0 });
    });
  });

  test("reports in a table that a person can read", async () => {
    await story({}, async ({ say, server }) => {
      await say(first);
      await say({ ...second, system: [{ ...system(4100, "t"), ...mark }] });
      const s20 = "s".repeat(40);
      expect(server.ledger.report()).toBe(
        [
          "   #       wire    prompt      read   written    missed  shared bytes",
          "   1  anthropic      1050         0      1050         0             0",
          "   2  anthropic      1100         0      1100      1050             9",
          "     differs at system[0].text",
          `       before "${s20}..."`,
          `       after  "${s20.replaceAll("s", "t")}..."`,
          "2 requests, 2150 prompt tokens, 0.0 % read from cache, 1050 missed",
          "cost 2687.5, ideal 1480.0, ratio 1.82",
        ].join("\n"),
      );
    });
  });
});

describe("the cache ledger without marks", () => {
  const message = (role: string, bytes: number, letter = "x") => ({
    role,
    content: letter.repeat(bytes - (role === "user" ? 25 : 30)),
  });

  test.each([
    ["chat", (messages: object[]) => ({ messages })],
    ["responses", (input: object[]) => ({ input })],
  ] as const)("reads whole steps of 128 tokens on the %s wire", async (wire, make) => {
    await story({}, async ({ say }) => {
      const one = await say(make([message("user", 5000)]), wire);
      expect(one).toMatchObject({ mode: "automatic", inputTokens: 1250, cacheRead: 0, cacheWrite: 0, cost: 1250 });
      const two = await say(make([message("user", 5000), message("assistant", 100), message("user", 100)]), wire);
      // 5000 bytes hold 9 steps of 512 bytes; 9 * 128 = 1152. 1300 - 1152 = 148; 148 + 115.2 = 263.2.
      expect(two).toMatchObject({
        inputTokens: 1300,
        cacheRead: 1152,
        uncached: 148,
        missed: 0,
        prefixBytesShared: 5000,
      });
      expect([two.cost, two.idealCost].map((cost) => cost.toFixed(1))).toEqual(["263.2", "263.2"]);
    });
  });

  test("reads nothing below 1024 tokens", async () => {
    await story({}, async ({ say }) => {
      await say({ messages: [message("user", 4095)] }, "chat");
      expect((await say({ messages: [message("user", 4095)] }, "chat")).cacheRead).toBe(0);
      await say({ messages: [message("user", 4096, "y")] }, "chat");
      expect((await say({ messages: [message("user", 4096, "y")] }, "chat")).cacheRead).toBe(1024);
    });
  });

  test("counts what a break in the middle loses", async () => {
    await story({}, async ({ say }) => {
      const tail = message("user", 1000);
      await say(
        { messages: [{ role: "system", content: "one" }, message("user", 8000), message("assistant", 100), tail] },
        "chat",
      );
      const entry = await say(
        { messages: [{ role: "system", content: "two" }, message("user", 8000), message("assistant", 100), tail] },
        "chat",
      );
      expect([entry.cacheRead, entry.firstDifference?.path]).toEqual([0, "messages[0].content[0].text"]);
      // {"role":"system","text":"one"} has 30 bytes: 9130 bytes hold 17 steps, 17 * 128 = 2176.
      expect(entry.missed).toBe(2176);
    });
  });

  test("forgets after five minutes, or a day when asked to keep", async () => {
    const long = { messages: [message("user", 5000)] };
    await story({}, async ({ say, clock }) => {
      await say(long, "chat");
      clock.nowMs = 300_000;
      expect((await say(long, "chat")).cacheRead).toBe(0);
      await say({ ...long, prompt_cache_retention: "24h" }, "chat");
      clock.nowMs += 86_399_999;
      expect((await say(long, "chat")).cacheRead).toBe(1152);
    });
  });

  test("what a message says about itself counts once, however many parts it has", async () => {
    const content = ["a", "b"].map((text) => ({ type: "text", text }));
    await story({}, async ({ say }) => {
      const entry = await say({ messages: [{ role: "tool", tool_call_id: "c", content }] }, "chat");
      expect(entry.bytes).toBe('{"role":"tool","tool_call_id":"c","text":"a"}{"role":"tool","text":"b"}'.length);
    });
  });

  test("tool calls, results and reasoning are part of the prompt", async () => {
    const history = [
      { role: "user", content: "hi" },
      {
        role: "assistant",
        content: null,
        reasoning_content: "hm",
        tool_calls: [{ id: "c", type: "function", function: { name: "t", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "c", content: "out" },
    ];
    await story({}, async ({ say }) => {
      await say({ messages: history }, "chat");
      const changed = structuredClone(history) as typeof history & { content: string }[];
      changed[2] = { role: "tool", tool_call_id: "c", content: "other" };
      expect((await say({ messages: changed }, "chat")).firstDifference).toEqual({
        path: "messages[2].content[0].text",
        before: "out",
        after: "other",
      });
      const renamed = JSON.parse(JSON.stringify(changed).replace('"hm"', '"hmm"')) as object[];
      expect((await say({ messages: renamed }, "chat")).firstDifference?.path).toBe(
        "messages[1].content.reasoning_content",
      );
    });
  });
});

describe("the cache ledger in general", () => {
  test("read, written and uncached tokens always add up to the prompt, and a prefix is never read twice over", async () => {
    const turn = fc.record({
      size: fc.integer({ min: 30, max: 3000 }),
      isMarked: fc.boolean(),
      waitMs: fc.integer({ min: 0, max: 400_000 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(turn, { minLength: 1, maxLength: 6 }),
        fc.constantFrom<Wire>("anthropic", "chat"),
        async (turns, wire) => {
          await story({}, async ({ say, clock }) => {
            const messages: object[] = [];
            for (const { size, isMarked, waitMs } of turns) {
              clock.nowMs += waitMs;
              messages.push({ role: "user", content: [{ ...user(size), ...(isMarked ? mark : {}) }] });
              const entry = await say({ messages }, wire);
              expect(entry.uncached + entry.cacheRead + entry.cacheWrite).toBe(entry.inputTokens);
              expect(Math.min(entry.uncached, entry.cacheRead, entry.cacheWrite, entry.missed)).toBeGreaterThanOrEqual(
                0,
              );
              expect(entry.cacheRead).toBeLessThanOrEqual(Math.ceil(entry.prefixBytesShared / 4));
              expect(entry.firstDifference).toBeUndefined();
            }
          });
        },
      ),
      { numRuns: 40 },
    );
  });
});
