import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message } from "#conversation";
import { protocolFor } from "../prepare.ts";
import type { ModelRequest } from "../request.ts";
import type { ProtocolName, Target, TargetQuirks } from "../target.ts";
import { arbitraryHistory } from "../testing/arbitrary-history.ts";
import { readFileTool, testRequest } from "../testing/target.ts";
import { WireMemo } from "./wire-memo.ts";

const protocols: readonly ProtocolName[] = [
  "chat_completions",
  "anthropic_messages",
  "codex_responses",
  "gemini_generate",
  "bedrock_converse",
];

/** Targets between which everything differs that may go into a message. */
const settings = fc.record({
  quirks: fc.record(
    {
      requiresReasoningContent: fc.boolean(),
      cacheMarks: fc.constantFrom("none", "block", "message"),
      contentAsParts: fc.boolean(),
      thinkingReplay: fc.constantFrom("signed", "unsigned", "none"),
      reasoning: fc.constant("anthropic-budget"),
      supportsImages: fc.boolean(),
      toolSchema: fc.constantFrom("standard", "moonshot", "gemini"),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<TargetQuirks>,
  target: fc.record(
    {
      model: fc.constantFrom("claude-sonnet-4-5", "gemini-3-pro", "gpt-5"),
      baseUrl: fc.constantFrom("https://model.example/v1", "https://model.example/anthropic", "cloudcode-pa://google"),
      isLocal: fc.boolean(),
    },
    { requiredKeys: ["model"] },
  ) as fc.Arbitrary<Partial<Target>>,
  system: fc.constantFrom("", "Be brief."),
  options: fc.record({
    stream: fc.boolean(),
    reasoning: fc.constant("high" as const),
    cacheTtl: fc.constantFrom("5m" as const, "1h" as const),
  }),
});

const picture = { type: "image_url" as const, image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } };

/** What the arbitrary list lacks: signed thinking, encrypted reasoning that comes twice, pictures in results. */
function workedStep(at: number): readonly Message[] {
  const call = { type: "function" as const, function: { name: "read_file", arguments: '{"b": 1, "a": 2}' } };
  return [
    { role: "user", content: [{ type: "text", text: `look ${at}` }, picture] },
    {
      role: "assistant",
      content: "",
      tool_calls: [
        { ...call, id: "call_same" },
        { ...call, id: `call_${at}|fc_${at}`, extra_content: { google: { thought_signature: "s" } } },
      ],
      reasoning_details: [{ type: "thinking", thinking: "hm", signature: `signed ${at}` }],
      codex_reasoning_items: [{ type: "reasoning", id: `rs_${at % 2}`, encrypted_content: "e", summary: [] }],
      codex_message_items: [{ id: "msg_1", content: [{ type: "output_text", text: "so" }], phase: "final" }],
    },
    { role: "tool", tool_call_id: "call_same", tool_name: "read_file", content: [picture] },
    { role: "tool", tool_call_id: `call_${at}|fc_${at}`, tool_name: "read_file", content: '{"a": 1}' },
    { role: "assistant", content: ` done ${at} ` },
  ];
}

const history = fc
  .tuple(arbitraryHistory, fc.nat({ max: 3 }), arbitraryHistory)
  .map(([before, steps, after]): readonly Message[] => [
    ...before,
    ...Array.from({ length: steps }, (_, at) => workedStep(at)).flat(),
    ...after,
  ]);

describe("a request written from what is remembered", () => {
  it.each(protocols)(
    "has the bytes of one written anew, as messages are added and replaced and targets change: %s [20:A1.14] [20:R1.67]",
    async (name) => {
      const protocol = await protocolFor(name);
      const tools = [readFileTool];
      fc.assert(
        fc.property(history, fc.array(settings, { minLength: 1, maxLength: 3 }), fc.nat(), (all, targets, seed) => {
          const memo = new WireMemo();
          const compare = (messages: readonly Message[]): void => {
            for (const input of targets) {
              const request = testRequest({ ...input, protocol: name, messages, tools });
              const plain = protocol.lower(request);
              expect(protocol.lower(request, memo)).toEqual(plain);
              expect(protocol.lower(request, memo)).toEqual(plain);
            }
          };
          const cut = seed % (all.length + 1);
          compare(all.slice(0, cut));
          compare(all);
          const replaced: Message = { role: "user", content: "in its place" };
          compare(all.map((message, at) => (at === cut ? replaced : message)));
          compare(all.filter((_, at) => at !== cut));
          compare(all);
        }),
        { numRuns: 60 },
      );
    },
  );

  it.each(protocols)("is the JSON of what it says, with nothing lost between the pieces: %s", async (name) => {
    const protocol = await protocolFor(name);
    fc.assert(
      fc.property(history, settings, (messages, input) => {
        const request = testRequest({ ...input, protocol: name, messages, tools: [readFileTool] });
        const { body } = protocol.lower(request, new WireMemo());
        expect(JSON.stringify(JSON.parse(body))).toBe(body);
      }),
      { numRuns: 60 },
    );
  });
});

/** A value that counts how often it is written. */
function counted(): { readonly value: { toJSON(): string }; times(): number } {
  let times = 0;
  return {
    value: {
      toJSON() {
        times += 1;
        return "x";
      },
    },
    times: () => times,
  };
}

describe("the memo of what was written", () => {
  const memo = new WireMemo();
  const lower = async (input: Partial<ModelRequest>): Promise<string> =>
    (await protocolFor("chat_completions")).lower({ ...testRequest(), ...input }, memo).body;

  it("writes a message once, however many requests hold it [10:D7]", async () => {
    const { value, times } = counted();
    const call = { id: "a", type: "function" as const, function: { name: "f", arguments: "{}" }, extra_content: value };
    const messages: Message[] = [
      { role: "user", content: "hi" },
      { role: "assistant", content: "", tool_calls: [call] },
      { role: "tool", content: "ok", tool_call_id: "a", tool_name: "f" },
    ];
    await lower({ messages });
    await lower({ messages: [...messages, { role: "assistant", content: "done" }] });
    expect(times()).toBe(1);
  });
});
