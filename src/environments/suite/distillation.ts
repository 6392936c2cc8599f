import { type Message, textOf } from "#conversation";
import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import type { Distillation, DistilledSequence, EnvironmentContext, GroupRollout } from "../env/environment.ts";
import type { ManagedModel, ScoredReply } from "../managed/managed-model.ts";
import { mean } from "../statistics.ts";

interface DistillationDeps {
  readonly judge: EnvironmentContext["judge"];
  readonly scoreReply: NonNullable<ManagedModel["scoreReply"]>;
  readonly logger: Logger;
  readonly system: string;
  /** How often a judge is asked about one reply. */
  readonly votes: number;
  readonly topK: number;
  /** So much of each message that followed a reply is shown. */
  readonly mostChars: number;
}

/** A reply, what stood before it, and what came of it. */
export interface ReplyInContext {
  readonly before: readonly Message[];
  readonly reply: string;
  readonly next: string;
}

const shortestHint = 10;

/**
 * On-policy distillation: a judge sees what came of each reply and may say what would have helped to know. The reply is then
 * scored as the model would have written it with that hint, and the trainer gets the tokens it would have chosen among.
 */
export async function distillGroup(
  rollouts: readonly GroupRollout[],
  deps: DistillationDeps,
  signal: AbortSignal,
): Promise<Distillation> {
  const done = await Promise.all(rollouts.map((rollout) => distillRollout(rollout, deps, signal)));
  const hints = done.map((one) => one.hints);
  const scored = done.map((one) => one.scored);
  const sum = (values: readonly number[]): number => values.reduce((total, one) => total + one, 0);
  return {
    sequences: done.map(({ sequence }) => sequence),
    metrics: {
      "opd/mean_hints_per_rollout": mean(hints),
      "opd/mean_turns_scored": mean(scored),
      "opd/hint_rate": mean(hints.map((one) => (one > 0 ? 1 : 0))),
      "opd/total_hints": sum(hints),
      "opd/total_scored_turns": sum(scored),
    },
  };
}

interface DistilledRollout {
  readonly sequence: DistilledSequence | undefined;
  readonly hints: number;
  readonly scored: number;
}

async function distillRollout(
  { result, tools, sequence }: GroupRollout,
  deps: DistillationDeps,
  signal: AbortSignal,
): Promise<DistilledRollout> {
  const target = new DistilledTokens(sequence.tokens, deps.topK);
  let hints = 0;
  for (const one of repliesIn(result?.messages ?? [], deps.mostChars)) {
    const hint = await hintFor(one, deps, signal);
    if (hint === undefined) continue;
    hints += 1;
    try {
      const messages = withHint(one.before, hint);
      const question = { system: deps.system, messages, tools, reply: one.reply, topK: deps.topK };
      target.put(await deps.scoreReply(question, signal));
    } catch (error) {
      signal.throwIfAborted();
      deps.logger.warn("a reply could not be scored with its hint", { error: describe(error) });
    }
  }
  return { sequence: target.sequence, hints, scored: target.count };
}

/** Every reply with words that something followed: results of tools, or what a person said. */
export function repliesIn(messages: readonly Message[], mostChars: number): readonly ReplyInContext[] {
  return messages.flatMap((message, index) => {
    const reply = message.role === "assistant" ? textOf(message.content) : "";
    if (reply.trim() === "") return [];
    const rest = messages.slice(index + 1);
    const end = rest.findIndex(({ role }) => role === "assistant");
    const followers = end < 0 ? rest : rest.slice(0, end);
    if (followers.length === 0) return [];
    const next = followers.map(({ content }) => textOf(content).slice(0, mostChars)).join("\n---\n");
    return [{ before: messages.slice(0, index), reply, next }];
  });
}

/** The longest hint among the votes that say one would have helped. */
async function hintFor(one: ReplyInContext, deps: DistillationDeps, signal: AbortSignal): Promise<string | undefined> {
  const prompt = judgePrompt(one);
  const votes = await Promise.all(
    Array.from({ length: deps.votes }, () => deps.judge(prompt, { maxTokens: 500, temperature: 0.7 }, signal)),
  );
  const hints = votes.flatMap((vote) => (vote === undefined ? [] : (readHint(vote) ?? [])));
  return hints.sort((left, right) => right.length - left.length)[0];
}

/** What stands between the marks of a judgement that is positive. */
export function readHint(judgement: string): string | undefined {
  const verdicts = [...judgement.matchAll(/\\boxed\{\s*(-?1)\s*\}/g)].map(([, value]) => value);
  if (verdicts.at(-1) !== "1") return undefined;
  const hint = /\[HINT_START\]([\s\S]*?)\[HINT_END\]/.exec(judgement)?.[1]?.trim();
  return hint !== undefined && hint.length > shortestHint ? hint : undefined;
}

function judgePrompt({ reply, next }: ReplyInContext): string {
  return `An assistant wrote this reply:\n${reply}\n\nThen this happened (results of its tools, or words of the user):\n${next}\n\nDoes what happened show something that would have made the reply better, had the assistant known it? If so, answer \\boxed{1} and write the hint in one to three sentences between [HINT_START] and [HINT_END]: concrete, and without quoting what happened. If not, answer \\boxed{-1}.`;
}

/** Under a heading of its own in the last words of the user. */
export function withHint(messages: readonly Message[], hint: string): readonly Message[] {
  const last = messages.findLastIndex(({ role }) => role === "user");
  return messages.map((message, index) =>
    index === last && message.role === "user"
      ? { ...message, content: `${textOf(message.content)}\n\n## Hint\n${hint}` }
      : message,
  );
}

/** What is learned of a sequence, position by position; zeros where nothing was scored. */
export class DistilledTokens {
  readonly #tokens: readonly number[];
  readonly #width: number;
  readonly #ids: (readonly number[])[];
  readonly #logprobs: (readonly number[])[];
  #count = 0;

  constructor(tokens: readonly number[], width: number) {
    this.#tokens = tokens;
    this.#width = width;
    const zeros = Array.from({ length: width }, () => 0);
    this.#ids = tokens.map(() => zeros);
    this.#logprobs = tokens.map(() => zeros);
  }

  /** Writes the scores where the reply stands in the sequence; a reply that was tokenised otherwise is not there. */
  put({ ids, scores }: ScoredReply): void {
    const start = lastSpan(this.#tokens, ids);
    if (start < 0) return;
    this.#count += 1;
    for (const [offset, score] of scores.entries()) {
      this.#ids[start + offset] = this.#filled(score.ids);
      this.#logprobs[start + offset] = this.#filled(score.logprobs);
    }
  }

  get count(): number {
    return this.#count;
  }

  get sequence(): DistilledSequence | undefined {
    return this.#count === 0 ? undefined : { tokenIds: this.#ids, logprobs: this.#logprobs };
  }

  #filled(values: readonly number[]): readonly number[] {
    return Array.from({ length: this.#width }, (_, index) => values[index] ?? 0);
  }
}

/** Where some ids stand in others, looked for from the end; -1 where they do not. */
function lastSpan(tokens: readonly number[], ids: readonly number[]): number {
  if (ids.length === 0) return -1;
  for (let start = tokens.length - ids.length; start >= 0; start -= 1)
    if (ids.every((id, offset) => tokens[start + offset] === id)) return start;
  return -1;
}
