import type { FinishReason } from "#conversation";

type Words = Readonly<Record<string, FinishReason>>;

/** What each wire calls the end of an answer. A word that is not listed, or none, means `stop`. */
const chat: Words = {
  stop: "stop",
  tool_calls: "tool_calls",
  function_call: "tool_calls",
  length: "length",
  content_filter: "content_filter",
};

const anthropic: Words = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "tool_calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  refusal: "content_filter",
  pause_turn: "incomplete",
};

const gemini: Words = {
  STOP: "stop",
  OTHER: "stop",
  MAX_TOKENS: "length",
  SAFETY: "content_filter",
  RECITATION: "content_filter",
  BLOCKLIST: "content_filter",
  PROHIBITED_CONTENT: "content_filter",
  SPII: "content_filter",
  IMAGE_SAFETY: "content_filter",
};

const bedrock: Words = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "tool_calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  content_filtered: "content_filter",
  guardrail_intervened: "content_filter",
};

const vocabularies = { chat, anthropic, gemini, bedrock };

/** `hasCalls`: an answer that holds calls ended with them, whatever mild word the server used. */
export function finishOf(
  wire: keyof typeof vocabularies,
  word: string | undefined,
  hasCalls: boolean,
): Exclude<FinishReason, "error" | "interrupted"> {
  const words = vocabularies[wire];
  const known = word !== undefined && Object.hasOwn(words, word) ? words[word] : undefined;
  const finish = (known ?? "stop") as Exclude<FinishReason, "error" | "interrupted">;
  if (wire === "gemini") return hasCalls ? "tool_calls" : finish;
  if (hasCalls && finish === "stop") return "tool_calls";
  return finish === "tool_calls" && !hasCalls ? "stop" : finish;
}
