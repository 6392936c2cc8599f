import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message } from "#conversation";
import { Issued } from "../../../test/fakes/model-server/issued.ts";
import { readRequest } from "../../../test/fakes/model-server/received-request.ts";
import { Inspector, type StrictOptions } from "../../../test/fakes/model-server/strict/index.ts";
import { prepareRequest } from "../prepare.ts";
import type { ModelRequest } from "../request.ts";
import type { ProtocolName, TargetQuirks } from "../target.ts";
import { arbitraryHistory } from "../testing/arbitrary-history.ts";
import { readFileTool, testRequest } from "../testing/target.ts";

const wires = { chat_completions: "chat", anthropic_messages: "anthropic", codex_responses: "responses" } as const;

/** The first rule of a strict provider that a request breaks; undefined when it is accepted. */
async function brokenRule(request: ModelRequest, options: StrictOptions = {}): Promise<string | undefined> {
  const { protocol } = request.target;
  if (protocol !== "chat_completions" && protocol !== "anthropic_messages" && protocol !== "codex_responses")
    throw new Error(`the strict server does not speak ${protocol}`);
  const { wire, url, headers } = await prepareRequest(request);
  const received = readRequest({
    number: 1,
    protocol: wires[protocol],
    url,
    headers,
    rawBytes: Buffer.from(wire.body),
    isTooLarge: false,
    receivedAt: 0,
  });
  const found = new Inspector(options).inspect({
    request: received,
    body: received.body,
    issued: new Issued(),
    extraFields: options.extraFields ?? [],
    extraMessageFields: options.extraMessageFields ?? [],
    promptTokens: 0,
  });
  return found === undefined ? undefined : `${found.rule.id}: ${found.complaint.message}`;
}

const strictWires = ["chat_completions", "anthropic_messages", "codex_responses"] as const;
const all: readonly ProtocolName[] = [...strictWires, "gemini_generate", "bedrock_converse"];

const optIn: Readonly<Record<(typeof strictWires)[number], readonly string[]>> = {
  chat_completions: ["chat/alternation", "chat/reasoning-content"],
  anthropic_messages: [],
  codex_responses: ["responses/codex-backend"],
};
const quirks: Readonly<Record<(typeof strictWires)[number], readonly TargetQuirks[]>> = {
  chat_completions: [
    { requiresReasoningContent: true },
    { requiresReasoningContent: true, cacheMarks: "message" },
    { requiresReasoningContent: true, contentAsParts: true },
  ],
  anthropic_messages: [
    { cacheMarks: "block", thinkingReplay: "signed", reasoning: "anthropic-budget" },
    { thinkingReplay: "none", reasoning: "anthropic-budget" },
    { reasoning: "anthropic-adaptive-max" },
    { thinkingReplay: "none", supportsImages: false },
  ],
  codex_responses: [{ outputLimitField: "none" }],
};

describe("any history", () => {
  it.each(strictWires)("is accepted by a strict server: %s [10:LOOP-12] [20:R1.42] [20:R1.67]", async (protocol) => {
    await fc.assert(
      fc.asyncProperty(arbitraryHistory, fc.constantFrom(...quirks[protocol]), async (messages, chosen) => {
        const target = { model: "claude-sonnet-4-5" };
        const request = testRequest({
          target,
          protocol,
          messages,
          quirks: chosen,
          tools: [readFileTool],
          system: "S",
          options: { temperature: 0.5 },
        });
        expect(await brokenRule(request, { also: optIn[protocol] })).toBeUndefined();
      }),
      { numRuns: 400 },
    );
  });

  it.each(all)(
    "is written without a throw, with the same bytes each time, and is not changed: %s [20:A1.14] [10:LOOP-12]",
    async (protocol) => {
      await fc.assert(
        fc.asyncProperty(arbitraryHistory, async (messages) => {
          const before = JSON.stringify(messages);
          const target = { model: "claude-sonnet-4-5" };
          const request = testRequest({
            target,
            protocol,
            messages,
            tools: [readFileTool],
          });
          const [first, second] = [await prepareRequest(request), await prepareRequest(request)];
          expect(first.wire.body).toBe(second.wire.body);
          expect(JSON.stringify(messages)).toBe(before);
          expect(first.wire.body).not.toMatch(/"(?:uid|_scaffold|timestamp|finish_reason|tool_name)"/);
        }),
        { numRuns: 150 },
      );
    },
  );

  it.each(all)("grows without changing what was sent before: %s [20:R1.67]", async (protocol) => {
    const turns = fc.array(fc.tuple(fc.string({ minLength: 1 }), fc.string(), fc.boolean()), {
      minLength: 2,
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(turns, async (supplied) => {
        const messages = supplied.flatMap(([question, answer, calls], at): readonly Message[] => {
          const id = `call_${at}`;
          const asked: Message = { role: "user", content: `q${question}` };
          if (!calls) return [asked, { role: "assistant", content: `a${answer}` }];
          const call = { id, type: "function" as const, function: { name: "read_file", arguments: '{"path":"x"}' } };
          return [
            asked,
            { role: "assistant", content: answer, tool_calls: [call] },
            { role: "tool", content: `r${answer}`, tool_call_id: id, tool_name: "read_file" },
            { role: "assistant", content: "done" },
          ];
        });
        const sent = async (count: number): Promise<string> => {
          const { wire } = await prepareRequest(testRequest({ protocol, messages: messages.slice(0, count) }));
          const body = JSON.parse(wire.body);
          return JSON.stringify(body.messages ?? body.input ?? body.contents).slice(0, -1);
        };
        // Up to a user's message, so that no call is open.
        const cuts = messages.flatMap((message, at) => (message.role === "user" ? [at + 1] : []));
        for (const [at, cut] of cuts.entries()) {
          const next = cuts[at + 1];
          if (next === undefined) break;
          expect((await sent(next)).startsWith(await sent(cut))).toBe(true);
        }
      }),
      { numRuns: 60 },
    );
  });
});
