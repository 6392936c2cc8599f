import type { Capability } from "../model-facts.ts";
import { familyName } from "./model-name.ts";

/**
 * What can be said about a model nobody lists, from its name alone. A key matches where its pieces
 * (between the `*`) occur in this order; the longest key that matches wins.
 */
const windows: readonly (readonly [key: string, tokens: number])[] = [
  ["claude*4-6", 1_000_000],
  ["claude*4-7", 1_000_000],
  ["claude", 200_000],
  ["gpt-5-5", 1_050_000],
  ["gpt-5-4", 1_050_000],
  ["gpt-5-4-mini", 400_000],
  ["gpt-5-4-nano", 400_000],
  ["gpt-5", 400_000],
  ["gpt-5-1-chat", 128_000],
  ["gpt-4-1", 1_047_576],
  ["gpt-4", 128_000],
  ["gemini", 1_048_576],
  ["gemma-4", 256_000],
  ["gemma-3", 131_072],
  ["gemma", 8_192],
  ["deepseek-v4", 1_000_000],
  ["deepseek-chat", 1_000_000],
  ["deepseek-reasoner", 1_000_000],
  ["deepseek", 128_000],
  ["llama", 131_072],
  ["qwen3-coder-plus", 1_000_000],
  ["qwen3-coder", 262_144],
  ["qwen", 131_072],
  ["minimax", 204_800],
  ["glm", 202_752],
  ["grok-4-20", 2_000_000],
  ["grok-4-fast", 2_000_000],
  ["grok-4-1-fast", 2_000_000],
  ["grok-4", 256_000],
  ["grok-code-fast", 256_000],
  ["grok", 131_072],
  ["kimi", 262_144],
  ["nemotron", 131_072],
  ["trinity", 262_144],
  ["mimo-v2-5", 1_048_576],
  ["mimo-v2-pro", 1_048_576],
  ["mimo-v2", 262_144],
];

/** The window of the family a name belongs to; undefined when the name says nothing. */
export function familyWindow(model: string): number | undefined {
  return longestMatch(windows, familyName(model));
}

/** Largest outputs on the Anthropic wire, which always wants a limit. */
const outputs: readonly (readonly [key: string, tokens: number])[] = [
  ["opus-4-7", 128_000],
  ["opus-4-6", 128_000],
  ["sonnet-4-6", 64_000],
  ["*-4-5", 64_000],
  ["opus-4-5", 64_000],
  ["sonnet-4-5", 64_000],
  ["haiku-4-5", 64_000],
  ["sonnet-4", 64_000],
  ["opus-4", 32_000],
  ["claude-3-7-sonnet", 128_000],
  ["claude-3-5", 8_192],
  ["claude-3", 4_096],
  ["minimax", 131_072],
];

/** What to ask for on the Anthropic wire when nobody knows the model. */
export const unknownAnthropicOutput = 128_000;

/** The largest output of a family on the Anthropic wire; undefined for a name that says nothing. */
export function anthropicOutputLimit(model: string): number | undefined {
  return longestMatch(outputs, familyName(model));
}

/** Families whose models read images; a name that matches none is taken not to. */
const seeing =
  /claude-(?:3|opus|sonnet|haiku)|gpt-4o|gpt-4-1|gpt-4-turbo|gpt-5|^o[134](?!-mini)|o4-mini|gemini|gemma-[34]|grok-4|grok-2-vision|kimi-k2-[56]|llama-4|llama-3-2-(?:11|90)b|qwen.*vl|qwen3-5|pixtral|mistral-(?:small|medium)-3|glm-\d(?:-\d)?v|nova-(?:pro|lite|premier)|llava|-vision/;
const thinking =
  /claude-(?:3-7|opus-4|sonnet-4|haiku-4)|gpt-5|gpt-oss|^o[134](?:-|$)|gemini-(?:2-5|3)|grok-(?:3-mini|4|code)|deepseek-(?:r|v4|reasoner)|reasoner|thinking|qwq|qwen3|glm-[45]|kimi-k2-[56]|minimax-m|mimo|magistral|nemotron|trinity/;

/** What a family can usually do. Tools are assumed: a model without them is of no use here and says so at once. */
export function familyCapabilities(model: string): readonly Capability[] {
  const name = familyName(model);
  return [
    "tools",
    ...(seeing.test(name) ? (["vision"] as const) : []),
    ...(thinking.test(name) ? (["reasoning"] as const) : []),
  ];
}

function longestMatch(table: readonly (readonly [string, number])[], name: string): number | undefined {
  let best: { readonly length: number; readonly tokens: number } | undefined;
  for (const [key, tokens] of table) {
    if (!contains(name, key.split("*"))) continue;
    if (best === undefined || key.length > best.length) best = { length: key.length, tokens };
  }
  return best?.tokens;
}

function contains(name: string, pieces: readonly string[]): boolean {
  let from = 0;
  for (const piece of pieces) {
    const at = name.indexOf(piece, from);
    if (at < 0) return false;
    from = at + piece.length;
  }
  return true;
}
