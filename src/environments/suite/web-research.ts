import { textOf } from "#conversation";
import { isRecord, parseJson } from "#foundation/text/json";
import { taskRows } from "../datasets/task-rows.ts";
import { type AgentResult, cycle, defineEnvironment, type EnvironmentContext } from "../env/environment.ts";
import { mean } from "../statistics.ts";
import { researchQuestions } from "./research-questions.ts";

export interface Question {
  readonly question: string;
  readonly answer: string;
}

/** Questions that need several sources. */
export const webResearch = defineEnvironment<Question>({
  name: "web-research",
  about: "Questions that need several web sources",
  config: {
    enabled_toolsets: ["web", "file"],
    max_agent_turns: 15,
    group_size: 4,
    total_steps: 1000,
    steps_per_eval: 100,
    dataset_name: null,
    dataset_split: "test",
    correctness_weight: 0.6,
    tool_usage_weight: 0.2,
    efficiency_weight: 0.2,
    diversity_bonus: 0.1,
    efficient_max_calls: 5,
    heavy_penalty_calls: 10,
    eval_size: 20,
    eval_split_ratio: 0.1,
  },
  async open(context, signal) {
    const { own } = context.config;
    const questions = await questionsOf(context);
    const share = Math.floor(questions.length * Number(own["eval_split_ratio"]));
    const heldOut = context.config.env.dataset_name === null ? 2 : Math.max(Number(own["eval_size"]), share);
    return {
      next: cycle(questions.slice(heldOut)),
      evaluation: questions.slice(0, heldOut),
      prompt: ({ question }) =>
        `${question}\n\nResearch this with the web tools. Use at least two sources, answer in two to four sentences, and cite the addresses you used.`,
      nameOf: ({ question }) => question,
      async reward(item, result) {
        const answer = lastWords(result);
        const correctness = answer === "" ? 0 : await judged({ ...item, reply: answer }, context, signal);
        const tool = usesWeb(result) ? 1 : 0;
        const efficiency = efficiencyOf(
          result.turns_used,
          Number(own["efficient_max_calls"]),
          Number(own["heavy_penalty_calls"]),
        );
        const bonus = domainsIn(answer).size >= 2 ? Number(own["diversity_bonus"]) : 0;
        const sum =
          Number(own["correctness_weight"]) * correctness +
          Number(own["tool_usage_weight"]) * tool +
          Number(own["efficiency_weight"]) * efficiency +
          bonus;
        return {
          reward: Math.min(1, Math.max(0, sum)),
          details: { correctness, tool_usage: tool, efficiency, diversity: bonus },
        };
      },
      trainMetrics: (results) => {
        const figure = (name: string): readonly number[] => results.map(({ details }) => Number(details[name] ?? 0));
        const means = ["correctness", "tool_usage", "efficiency", "diversity"].map(
          (name) => [`train/mean_${name}`, mean(figure(name))] as const,
        );
        return {
          "train/mean_reward": mean(results.map(({ reward }) => reward)),
          ...Object.fromEntries(means),
          "train/correct_rate": mean(figure("correctness").map((one) => (one >= 0.7 ? 1 : 0))),
          "train/tool_usage_rate": mean(figure("tool_usage")),
          "train/total_rollouts": results.length,
        };
      },
      metrics: (results) => ({
        "eval/mean_correctness": mean(results.map(({ details }) => Number(details["correctness"] ?? 0))),
        "eval/mean_reward": mean(results.map(({ reward }) => reward)),
        "eval/tool_usage_rate": mean(results.map(({ details }) => Number(details["tool_usage"] ?? 0))),
        "eval/n_items": results.length,
      }),
    };
  },
});

async function questionsOf({ config, cwd, env }: EnvironmentContext): Promise<readonly Question[]> {
  if (config.env.dataset_name === null) return researchQuestions;
  const rows = await taskRows(config.env, { cwd, env });
  return rows.flatMap((row) => {
    const question = row["Prompt"] ?? row["question"];
    const answer = row["Answer"] ?? row["answer"];
    return typeof question === "string" && typeof answer === "string" ? [{ question, answer }] : [];
  });
}

function lastWords({ messages }: AgentResult): string {
  const last = messages.findLast((message) => message.role === "assistant" && textOf(message.content) !== "");
  return last === undefined ? "" : textOf(last.content);
}

function usesWeb({ messages }: AgentResult): boolean {
  return messages.some(
    (message) =>
      message.role === "assistant" &&
      message.tool_calls?.some((call) => call.function.name === "web_search" || call.function.name === "web_extract"),
  );
}

/** A model's judgement between 0 and 1, or the words that both answers have in common. */
async function judged(
  item: Question & { readonly reply: string },
  context: EnvironmentContext,
  signal: AbortSignal,
): Promise<number> {
  const prompt = `Question: ${item.question}\nReference answer: ${item.answer}\nAnswer to judge: ${item.reply}\n\nHow correct is the answer, between 0 and 1? Reply with JSON only: {"score": <number>, "reason": "<one sentence>"}`;
  const reply = await context.judge(prompt, { maxTokens: 150, temperature: 0 }, signal);
  return (reply === undefined ? undefined : readScore(reply)) ?? overlap(item.answer, item.reply);
}

export function readScore(reply: string): number | undefined {
  const parsed = parseJson(reply.replace(/^\s*```(?:json)?\s*|\s*```\s*$/g, ""));
  const named: unknown = parsed.ok && isRecord(parsed.value) ? parsed.value["score"] : undefined;
  const score = typeof named === "number" ? named : Number(/"score"\s*:\s*([\d.]+)/.exec(reply)?.[1] ?? Number.NaN);
  return score >= 0 && score <= 1 ? score : undefined;
}

const stopWords = new Set(
  "the and for are was were has had have not with that this from its which who what when where will would can could been but they their there into than then".split(
    " ",
  ),
);

export function overlap(reference: string, answer: string): number {
  const words = (text: string): ReadonlySet<string> =>
    new Set(
      (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => word.length > 2 && !stopWords.has(word)),
    );
  const [wanted, written] = [words(reference), words(answer)];
  if (wanted.size === 0) return 0.5;
  const shared = [...wanted].filter((word) => written.has(word)).length;
  const union = new Set([...wanted, ...written]).size;
  return Math.min(1, 0.4 * (shared / union) + 0.6 * (shared / wanted.size));
}

export function efficiencyOf(turns: number, free = 5, heavy = 10): number {
  if (turns <= free) return 1;
  return turns <= heavy ? 1 - 0.08 * (turns - free) : Math.max(0, 1 - 0.12 * (turns - free));
}

function domainsIn(text: string): ReadonlySet<string> {
  const hosts = [...text.matchAll(/https?:\/\/([^\s/)\]>"',]+)/g)].map(([, host = ""]) => host.toLowerCase());
  return new Set(hosts.map((host) => host.replace(/^www\./, "")));
}
