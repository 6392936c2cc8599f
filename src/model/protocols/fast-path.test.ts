import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { protocolFor } from "../prepare.ts";
import type { ProtocolName } from "../target.ts";
import { testRequest } from "../testing/target.ts";
import type { Frame, Lifted } from "./protocol.ts";

/** Blanks, another number of them in every frame: no frame looks like another, so that each is parsed. */
function unlike(frame: Frame, at: number): Frame {
  return { ...frame, data: frame.data.replace("{", `{${" ".repeat(at + 1)}`) };
}

async function lift(name: ProtocolName, frames: readonly Frame[]): Promise<readonly Lifted[]> {
  const protocol = await protocolFor(name);
  const lift = protocol.openLift(testRequest({ protocol: name }));
  return [...frames.flatMap((frame) => lift.step(frame)), ...lift.end()];
}

const words = fc.oneof(
  fc.constantFrom(
    "a",
    " b",
    "\n",
    'say "hi"',
    "\\",
    "ü",
    "🎉",
    "\ud83c",
    "\udf89",
    "",
    "<think>",
    "</think>",
    "x\ty",
    "\u0000",
    "end}",
  ),
  fc.string({ maxLength: 6 }),
  fc.string({ unit: "binary", maxLength: 4 }),
);
const piece = fc.record({
  kind: fc.constantFrom("text", "text", "text", "thought", "arguments"),
  text: words,
  index: fc.constantFrom(0, 0, 1),
});
type Piece = { readonly kind: string; readonly text: string; readonly index: number };

const frame = (value: unknown, event?: string): Frame => ({ event, data: JSON.stringify(value) });

const chat = ({ kind, text, index }: Piece, at: number): Frame => {
  const delta =
    kind === "text"
      ? { content: text }
      : kind === "thought"
        ? { content: null, reasoning_content: text }
        : { tool_calls: [{ index, function: { arguments: text } }] };
  const extra = at % 7 === 6 ? { usage: { prompt_tokens: at } } : {};
  return frame({ id: "c", choices: [{ index: 0, delta, finish_reason: null }], ...extra });
};
const anthropic = ({ kind, text, index }: Piece): Frame => {
  const delta =
    kind === "text"
      ? { type: "text_delta", text }
      : kind === "thought"
        ? { type: "thinking_delta", thinking: text }
        : { type: "input_json_delta", partial_json: text };
  return frame({ type: "content_block_delta", index: kind === "arguments" ? index + 2 : index, delta });
};
const responses = ({ kind, text, index }: Piece, at: number): Frame => {
  const type =
    kind === "text" ? "output_text" : kind === "thought" ? "reasoning_summary_text" : "function_call_arguments";
  const location = { sequence_number: at, output_index: kind === "arguments" ? index + 4 : index };
  return frame({ type: `response.${type}.delta`, ...location, delta: text, obfuscation: "xY9".slice(at % 4) });
};

const wires: readonly (readonly [ProtocolName, (piece: Piece, at: number) => Frame])[] = [
  ["chat_completions", chat],
  ["anthropic_messages", anthropic],
  ["codex_responses", responses],
];

describe("frames that are recognised without parsing", () => {
  it.each(wires)("come to exactly what parsing them comes to: %s", async (name, write) => {
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 40 }), async (pieces) => {
        const frames = pieces.map(write);
        expect(await lift(name, frames)).toEqual(await lift(name, frames.map(unlike)));
      }),
      { numRuns: 300 },
    );
  });
});
