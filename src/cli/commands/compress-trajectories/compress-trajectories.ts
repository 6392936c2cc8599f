import { statSync } from "node:fs";
import path from "node:path";
import {
  type CompressionJob,
  type CompressionOptions,
  type CompressionOutcome,
  type CompressionProgress,
  compressFiles,
  modelSummarizer,
  openTokenizer,
  readCompressionOptions,
  summarizePlainly,
  usualCompression,
} from "#environments";
import { Secret } from "#foundation/secrets/secret";
import { exitCodes, type Invocation } from "../../command.ts";
import { flagNumber, flagText, hasFlag } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { openRolloutsFor } from "../../support/rollouts.ts";
import { usageError } from "../../usage-error.ts";

/** Shortens trajectories. 0: all of them; 1: some failed or took too long. */
export async function compressTrajectories(invocation: Invocation): Promise<number> {
  const { io } = invocation;
  const options = await optionsOf(invocation);
  const job = jobOf(invocation, options);
  const out = new Output(invocation);
  const tokenizer = await openTokenizer(options.tokenizer.name, { cwd: io.cwd, env: io.env });
  await using rollouts = await openRolloutsFor(invocation, []);
  const { machine, models } = rollouts.host;
  const { summarization, compression, output } = options;
  const key = machine.loaded.environment.variables[summarization.api_key_env];
  const outcome = await compressFiles(
    { ...job, onProgress: progressOn(invocation) },
    {
      limits: {
        targetTokens: compression.target_max_tokens,
        summaryTokens: compression.summary_target_tokens,
        protectedTurns: options.protected_turns,
        alignsToPairs: compression.align_to_pairs,
      },
      notice: output.add_summary_notice ? output.summary_notice_text : "",
      count: (text) => (text === "" ? 0 : tokenizer.encode(text).length),
      summarize:
        flagText(invocation, "summarizer") === "none"
          ? summarizePlainly
          : modelSummarizer({
              models,
              clock: machine.clock,
              model: summarization.model,
              baseUrl: summarization.base_url,
              apiKey: key === undefined ? undefined : new Secret(key),
              temperature: summarization.temperature,
              summaryTokens: compression.summary_target_tokens,
              maxAttempts: summarization.max_retries,
              retryDelayMs: summarization.retry_delay * 1000,
              onProblem: (text) => out.note(text),
            }),
    },
    io.signal,
  );
  report(out, outcome);
  return outcome.failed > 0 ? exitCodes.failed : exitCodes.ok;
}

async function optionsOf(invocation: Invocation): Promise<CompressionOptions> {
  const file = flagText(invocation, "options");
  const read =
    file === undefined ? usualCompression : await readCompressionOptions(path.resolve(invocation.io.cwd, file));
  const { target_max_tokens: usual } = read.compression;
  return {
    ...read,
    tokenizer: { ...read.tokenizer, name: flagText(invocation, "tokenizer") ?? read.tokenizer.name },
    compression: {
      ...read.compression,
      target_max_tokens: flagNumber(invocation, "target-max-tokens", { usual, max: 100_000_000 }),
    },
  };
}

function jobOf(
  invocation: Invocation,
  { output, processing, metrics }: CompressionOptions,
): Omit<CompressionJob, "onProgress"> {
  const named = flagText(invocation, "input");
  if (named === undefined) throw usageError("hermes compress-trajectories needs --input.", "Name a file or a folder.");
  const input = path.resolve(invocation.io.cwd, named);
  const found = statSync(input, { throwIfNoEntry: false });
  if (found === undefined) throw usageError(`There is no ${input}.`, "--input names a file or a folder that is there.");
  const isFolder = found.isDirectory();
  const stem = `${input.replace(/\.jsonl$/, "")}${output.output_suffix}`;
  const supplied = flagText(invocation, "output");
  const target =
    supplied === undefined ? (isFolder ? stem : `${stem}.jsonl`) : path.resolve(invocation.io.cwd, supplied);
  const percent = Number(flagText(invocation, "sample-percent") ?? "100");
  if (!(percent > 0 && percent <= 100)) throw usageError("--sample-percent is more than 0 and at most 100.", "Try: 10");
  const figures = isFolder ? path.join(target, metrics.output_file) : `${target.replace(/\.jsonl$/, "")}_metrics.json`;
  return {
    input,
    isFolder,
    output: target,
    metricsFile: metrics.enabled ? figures : undefined,
    writesMetrics: metrics.per_trajectory,
    dropsOverLimit: !processing.save_over_limit,
    isDryRun: hasFlag(invocation, "dry-run"),
    concurrency: processing.max_concurrent_requests,
    timeoutMs: processing.per_trajectory_timeout * 1000,
    sample:
      percent === 100
        ? undefined
        : { percent, seed: flagNumber(invocation, "seed", { usual: 42, min: 0, max: 0xffffffff }) },
    now: () => new Date(),
  };
}

function progressOn({ io }: Invocation): (progress: CompressionProgress) => void {
  if (io.stderr.isTTY !== true) return () => undefined;
  return ({ done, total, compressed, skipped, timedOut, calls, inFlight }) =>
    void io.stderr.write(
      `\r\x1b[K${done}/${total} · ${compressed} compressed · ${skipped} short enough · ${timedOut} timed out · ${calls} calls · ${inFlight} running${done === total ? "\n" : ""}`,
    );
}

function report(out: Output, { metrics, failed, files }: CompressionOutcome): void {
  const compressed = metrics.filter(({ region }) => region !== undefined);
  const ratios = compressed.map((one) => one.compressed_tokens / Math.max(one.original_tokens, 1));
  const saved = compressed.map((one) => one.original_tokens - one.compressed_tokens);
  const over = metrics.filter((one) => one.still_over_limit).length;
  const short = metrics.filter((one) => one.skipped_under_target).length;
  const total = saved.reduce((sum, one) => sum + one, 0);
  out.document({
    trajectories: metrics.length,
    compressed: compressed.length,
    short,
    over,
    failed,
    tokens_saved: total,
    files,
  });
  out.line(`Trajectories        ${metrics.length}`);
  out.line(`Compressed          ${compressed.length}, ${total} tokens saved`);
  out.line(`Short enough        ${short}`);
  if (over > 0) out.line(`Still too long      ${over}`);
  if (failed > 0) out.line(`Failed              ${failed}`);
  if (ratios.length > 0) {
    out.line(`Ratio               ${spread(ratios, 3)}`);
    out.line(`Tokens saved        ${spread(saved, 0)}`);
  }
  for (const file of files) out.line(file);
}

function spread(values: readonly number[], digits: number): string {
  const sorted = values.toSorted((left, right) => left - right);
  const [low = 0, middle = 0, high = 0] = [sorted[0], sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
  return `${low.toFixed(digits)} to ${high.toFixed(digits)}, median ${middle.toFixed(digits)}`;
}
