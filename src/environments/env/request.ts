import { type RequestSettings, readEffort } from "#agent";
import type { Target } from "#model";
import type { EnvConfig } from "./config.ts";

/** What every request of a rollout carries. */
export function requestOf(config: EnvConfig, target: Pick<Target, "baseUrl">): RequestSettings {
  const { agent_temperature: temperature, max_token_length: maxOutputTokens, extra_body: extraBody } = config;
  const plain = { temperature, maxOutputTokens };
  const body = extraBody ?? {};
  if (!thinks(config)) return { ...plain, extraBody: body };
  const effort = readEffort(config.reasoning_effort ?? "");
  // OpenAI's own models take an effort, and no temperature but 1; other servers take a group of fields.
  if (new URL(target.baseUrl).hostname === "api.openai.com")
    return { ...plain, temperature: 1, reasoning: effort ?? "medium", extraBody: body };
  const { max_reasoning_tokens: tokens } = config;
  const amount = effort === undefined ? (tokens === null ? {} : { max_tokens: tokens }) : { effort };
  return { ...plain, extraBody: { reasoning: { enabled: true, ...amount }, ...body } };
}

function thinks(config: EnvConfig): boolean {
  return config.thinking_mode || config.reasoning_effort !== null || config.max_reasoning_tokens !== null;
}

export function withThinking(config: EnvConfig, systemPrompt: string): string {
  const { custom_thinking_prompt: own } = config;
  if (own === null || !thinks(config)) return systemPrompt;
  return systemPrompt === "" ? own : `${own}\n\n${systemPrompt}`;
}
