import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { readCompressionOptions } from "./options.ts";

it("what a file of options leaves out is as documented [50:3.2]", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "hermes-options-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = path.join(folder, "o.yaml");
  await writeFile(file, "summarization: {model: other}\n");
  expect(await readCompressionOptions(file)).toMatchObject({
    tokenizer: { name: "moonshotai/Kimi-K2-Thinking" },
    compression: { target_max_tokens: 15_250, summary_target_tokens: 750, align_to_pairs: true },
    protected_turns: { first_system: true, first_human: true, first_gpt: true, first_tool: true, last_n_turns: 4 },
    summarization: {
      ...{ model: "other", base_url: "https://openrouter.ai/api/v1", api_key_env: "OPENROUTER_API_KEY" },
      ...{ temperature: 0.3, max_retries: 3, retry_delay: 2 },
    },
    output: { add_summary_notice: true, output_suffix: "_compressed" },
    processing: { max_concurrent_requests: 50, save_over_limit: true, per_trajectory_timeout: 300 },
    metrics: { enabled: true, per_trajectory: true, output_file: "compression_metrics.json" },
  });
});
