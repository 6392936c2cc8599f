import path from "node:path";
import { loadTrajectories } from "#agent";
import { writeFileAtomic } from "#foundation/files/files";
import { never } from "#foundation/lifecycle/abort";
import { shortDuration } from "#foundation/text/figures";
import { type ReportRow, reportPage } from "../report/page.ts";
import { barChart, formatted, histogram, scatter } from "../report/svg.ts";
import type { PromptFacts } from "./prompt-facts.ts";
import type { BatchOutcome } from "./run-batch.ts";

const maxEmbeddedCharacters = 2_000_000;

/** `report.html` in the folder of a run. */
export async function writeBatchReport(folder: string, { statistics, facts, merged }: BatchOutcome): Promise<string> {
  const last = [...new Map(facts.map((fact) => [fact.prompt_index, fact])).values()];
  const tools = Object.entries(statistics.tool_statistics).sort(([, left], [, right]) => right.count - left.count);
  const page = reportPage({
    title: `Batch ${statistics.run_name}`,
    subtitle: `${statistics.model}, toolsets ${statistics.distribution}, finished ${statistics.completed_at}`,
    cards: [
      { label: "prompts", value: formatted(statistics.total_prompts) },
      { label: "trajectories", value: formatted(merged.entries) },
      { label: "without reasoning", value: formatted(statistics.discarded_no_reasoning) },
      { label: "failed", value: formatted(statistics.failed_prompts) },
      { label: "duration", value: shortDuration(statistics.duration_seconds * 1000) },
      { label: "tokens", value: formatted(statistics.tokens) },
      { label: "cost", value: `$${statistics.cost_usd.toFixed(4)}` },
    ],
    charts: [
      barChart(
        "Tool calls",
        tools.map(([label, { count, failure }]) => ({ label, value: count, failed: failure })),
      ),
      histogram(
        "Model calls per prompt",
        last.map(({ api_calls }) => api_calls),
      ),
      histogram(
        "Seconds per prompt",
        last.map(({ seconds }) => seconds),
        " s",
      ),
      scatter(
        "Tokens and time",
        last.map(({ tokens, seconds, prompt_index }) => ({ x: seconds, y: tokens, label: `prompt ${prompt_index}` })),
        { x: "seconds", y: "tokens" },
      ),
    ],
    tables: [
      {
        title: "Tools",
        head: ["tool", "calls", "succeeded", "failed", "success rate"],
        rows: tools.map(([name, { count, success, failure, success_rate }]) =>
          [name, count, success, failure, `${success_rate.toFixed(1)}%`].map(String),
        ),
      },
      {
        title: "Failures",
        head: ["what went wrong", "prompts"],
        rows: failuresOf(last),
      },
    ],
    rows: await rowsOf(folder, last),
  });
  const file = path.join(folder, "report.html");
  await writeFileAtomic(file, page);
  return file;
}

function failuresOf(facts: readonly PromptFacts[]): readonly (readonly string[])[] {
  const counts = new Map<string, number>();
  for (const { status, error = "" } of facts) if (status === "failed") counts.set(error, (counts.get(error) ?? 0) + 1);
  return [...counts].map(([error, count]) => [error, String(count)]);
}

async function rowsOf(folder: string, facts: readonly PromptFacts[]): Promise<readonly ReportRow[]> {
  const turns = new Map<unknown, ReportRow["turns"]>();
  let characters = 0;
  for await (const entry of loadTrajectories(path.join(folder, "trajectories.jsonl"), {
    onInvalid: "skip",
    signal: never,
  })) {
    const conversation = entry["conversations"] as NonNullable<ReportRow["turns"]>;
    characters += conversation.reduce((sum, { value }) => sum + value.length, 0);
    if (characters > maxEmbeddedCharacters) break;
    turns.set(entry["prompt_index"], conversation);
  }
  return facts.map((fact) => ({
    title: `Prompt ${fact.prompt_index}`,
    status: fact.status,
    facts: [
      `${fact.api_calls} calls`,
      `${formatted(fact.tokens)} tokens`,
      shortDuration(fact.seconds * 1000),
      fact.error ?? "",
    ],
    turns: turns.get(fact.prompt_index),
  }));
}
