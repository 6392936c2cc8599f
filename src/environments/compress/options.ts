import { readFile } from "node:fs/promises";
import { UserError } from "#foundation/errors";
import { isRecord } from "#foundation/text/json";
import { nearest } from "#foundation/text/similarity";
import type { ProtectedTurns } from "./plan.ts";

/** How trajectories are compressed; the names are those of existing files. */
export interface CompressionOptions {
  readonly tokenizer: { readonly name: string; readonly trust_remote_code: boolean };
  readonly compression: {
    readonly target_max_tokens: number;
    readonly summary_target_tokens: number;
    readonly align_to_pairs: boolean;
  };
  readonly protected_turns: ProtectedTurns;
  readonly summarization: {
    readonly model: string;
    readonly base_url: string;
    readonly api_key_env: string;
    readonly temperature: number;
    readonly max_retries: number;
    readonly retry_delay: number;
  };
  readonly output: {
    readonly add_summary_notice: boolean;
    readonly summary_notice_text: string;
    readonly output_suffix: string;
  };
  readonly processing: {
    readonly num_workers: number;
    readonly max_concurrent_requests: number;
    readonly skip_under_target: boolean;
    readonly save_over_limit: boolean;
    readonly per_trajectory_timeout: number;
  };
  readonly metrics: { readonly enabled: boolean; readonly per_trajectory: boolean; readonly output_file: string };
}

export const usualCompression: CompressionOptions = {
  tokenizer: { name: "moonshotai/Kimi-K2-Thinking", trust_remote_code: true },
  compression: { target_max_tokens: 15_250, summary_target_tokens: 750, align_to_pairs: true },
  protected_turns: { first_system: true, first_human: true, first_gpt: true, first_tool: true, last_n_turns: 4 },
  summarization: {
    model: "google/gemini-3-flash-preview",
    base_url: "https://openrouter.ai/api/v1",
    api_key_env: "OPENROUTER_API_KEY",
    temperature: 0.3,
    max_retries: 3,
    retry_delay: 2,
  },
  output: {
    add_summary_notice: true,
    // A data format: existing training sets have exactly these words.
    summary_notice_text: "\n\nSome of your previous tool responses may be summarized to preserve context.",
    output_suffix: "_compressed",
  },
  processing: {
    num_workers: 4,
    max_concurrent_requests: 50,
    skip_under_target: true,
    save_over_limit: true,
    per_trajectory_timeout: 300,
  },
  metrics: { enabled: true, per_trajectory: true, output_file: "compression_metrics.json" },
};

/** The options of a YAML file over the usual ones. What they do not know or cannot be is an error. */
export async function readCompressionOptions(file: string): Promise<CompressionOptions> {
  const { parse } = await import("yaml");
  const value: unknown = parse(await readFile(file, "utf8")) ?? {};
  if (!isRecord(value)) throw problem(file, "it holds no options");
  const groups = Object.entries(usualCompression).map(([name, usual]) => {
    const own = value[name] ?? {};
    if (!isRecord(own)) throw problem(file, `${name} is no group of options`);
    return [name, { ...usual, ...checked({ file, name }, own, usual as Readonly<Record<string, unknown>>) }];
  });
  const unknown = Object.keys(value).find((name) => !(name in usualCompression));
  if (unknown !== undefined) throw problem(file, `there is no group ${unknown}`);
  return Object.fromEntries(groups) as CompressionOptions;
}

function checked(
  { file, name }: { readonly file: string; readonly name: string },
  own: Readonly<Record<string, unknown>>,
  usual: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  for (const [key, value] of Object.entries(own)) {
    if (!(key in usual)) {
      const meant = nearest(key, Object.keys(usual));
      throw problem(file, `there is no ${name}.${key}${meant === undefined ? "" : `; did you mean ${meant}?`}`);
    }
    if (typeof value !== typeof usual[key])
      throw problem(file, `${name}.${key} cannot be ${JSON.stringify(value)}; it is a ${typeof usual[key]}`);
  }
  return own;
}

function problem(file: string, what: string): UserError {
  return new UserError(`${file}: ${what}.`, { exitCode: 2 });
}
