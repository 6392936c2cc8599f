import type { Message } from "#conversation";
import { textOf } from "#conversation";
import { noLogprob } from "../tokens/sequence.ts";
import type { Attempt } from "./attempt.ts";
import type { DistilledSequence } from "./environment.ts";
import type { AttemptedGroup } from "./environment-run.ts";

/** Scored rollouts of one item, as trainers read them. Absent lists are null, never empty. */
export interface ScoredGroup {
  readonly tokens: readonly (readonly number[])[];
  readonly masks: readonly (readonly number[])[];
  readonly scores: readonly number[];
  readonly inference_logprobs: readonly (readonly number[])[] | null;
  readonly messages: readonly (readonly GroupMessage[])[] | null;
  readonly advantages: null;
  readonly ref_logprobs: null;
  readonly generation_params: Readonly<Record<string, unknown>> | null;
  readonly overrides: readonly Readonly<Record<string, unknown>>[] | null;
  readonly group_overrides: Readonly<Record<string, unknown>> | null;
  readonly images: null;
  readonly env_id: number | null;
  readonly distill_token_ids?: readonly (readonly (readonly number[])[])[];
  readonly distill_logprobs?: readonly (readonly (readonly number[])[])[];
}

interface GroupMessage {
  readonly role: string;
  readonly content: string;
  readonly [field: string]: unknown;
}

export interface GroupOptions {
  readonly temperature: number;
  readonly hasMessages: boolean;
  /** Some trainers cannot do without log-probabilities; unknown ones are filled up. */
  readonly fillsLogprobs: boolean;
}

export function scoredGroup({ attempts, distillation }: AttemptedGroup, options: GroupOptions): ScoredGroup {
  const logprobs = attempts.map(({ sequence: { tokens, logprobs: known } }) => known ?? tokens.map(() => noLogprob));
  const areKnown = attempts.every(({ sequence }) => sequence.logprobs !== null);
  return {
    tokens: attempts.map(({ sequence }) => sequence.tokens),
    masks: attempts.map(({ sequence }) => sequence.masks),
    scores: attempts.map(({ reward }) => reward),
    inference_logprobs: areKnown || options.fillsLogprobs ? logprobs : null,
    messages: options.hasMessages ? attempts.map(({ result }) => groupMessages(result?.messages ?? [])) : null,
    advantages: null,
    ref_logprobs: null,
    generation_params: { temperature: options.temperature },
    overrides: null,
    group_overrides: null,
    images: null,
    env_id: null,
    ...distilled(attempts, distillation?.sequences ?? []),
  };
}

/** Only when at least one sequence has something; the others are zeros of the same width. */
function distilled(attempts: readonly Attempt[], sequences: readonly (DistilledSequence | undefined)[]) {
  const width = sequences.find((one) => one !== undefined)?.tokenIds[0]?.length;
  if (width === undefined) return {};
  const zeros = Array.from({ length: width }, () => 0);
  const nothing = attempts.map(({ sequence }) => sequence.tokens.map(() => zeros));
  return {
    distill_token_ids: attempts.map((_, index) => sequences[index]?.tokenIds ?? nothing[index] ?? []),
    distill_logprobs: attempts.map((_, index) => sequences[index]?.logprobs ?? nothing[index] ?? []),
  };
}

/** In the chat-completions form; every message has a role and a content. */
export function groupMessages(messages: readonly Message[]): readonly GroupMessage[] {
  return messages.map((message) => ({
    role: message.role,
    content: textOf(message.content),
    ...(message.role === "assistant" && message.reasoning ? { reasoning_content: message.reasoning } : {}),
    ...(message.role === "assistant" && message.tool_calls?.length ? { tool_calls: message.tool_calls } : {}),
    ...(message.role === "tool" ? { tool_call_id: message.tool_call_id } : {}),
  }));
}

export type GroupVerdict = { readonly kind: "sent" } | { readonly kind: "skipped"; readonly why: string };

export interface GroupRules {
  readonly groupSize: number;
  readonly refusesEqualScores: boolean;
  /** The trainer's limit; undefined: none. */
  readonly maxTokens: number | undefined;
}

/** Whether a trainer gets this group. */
export function judgeGroup({ tokens, scores }: ScoredGroup, rules: GroupRules): GroupVerdict {
  if (tokens.length !== rules.groupSize)
    return { kind: "skipped", why: `it has ${tokens.length} rollouts instead of ${rules.groupSize}` };
  if (rules.refusesEqualScores && scores.length > 1 && scores.every((score) => score === scores[0]))
    return { kind: "skipped", why: "all its scores are the same" };
  const { maxTokens } = rules;
  if (maxTokens !== undefined && maxTokens > 0 && tokens.some((sequence) => sequence.length >= maxTokens))
    return { kind: "skipped", why: `a rollout is as long as the trainer's limit of ${maxTokens} tokens` };
  return { kind: "sent" };
}
