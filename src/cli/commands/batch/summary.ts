import path from "node:path";
import type { BatchOutcome } from "#environments";
import { shortDuration } from "#foundation/text/figures";
import type { Output } from "../../output/output.ts";

export interface BatchSummary {
  readonly outcome: BatchOutcome;
  readonly folder: string;
  readonly report: string;
}

/** What a batch came to. */
export function printSummary(out: Output, { outcome, folder, report }: BatchSummary): void {
  const { statistics, merged, ran, isStopped } = outcome;
  const { total_assistant_turns: turns, turns_with_reasoning: thinking } = statistics.reasoning_statistics;
  out.document({ ...statistics, ran, trajectories: merged.entries, folder, report, stopped: isStopped });
  if (ran === 0 && !isStopped) out.line("All prompts are already done.");
  if (isStopped) out.line("Stopped. To resume, run the same command with --resume.");
  out.line(`Prompts run now     ${ran}`);
  out.line(`Trajectories        ${merged.entries} from ${merged.files} batch files`);
  out.line(`Duration            ${shortDuration(statistics.duration_seconds * 1000)}`);
  if (statistics.cost_usd > 0) out.line(`Cost                $${statistics.cost_usd.toFixed(4)}`);
  const share = turns === 0 ? 0 : (thinking / turns) * 100;
  out.line(`With reasoning      ${thinking} of ${turns} replies (${share.toFixed(1)}%)`);
  if (statistics.discarded_no_reasoning > 0)
    out.line(`Left out            ${statistics.discarded_no_reasoning} without any reasoning`);
  if (merged.filtered > 0) out.line(`Left out            ${merged.filtered} with tools that do not exist`);
  if (statistics.failed_prompts > 0)
    out.line(`Failed              ${statistics.failed_prompts}; run them again with --resume`);
  const tools = Object.entries(statistics.tool_statistics).sort(([, left], [, right]) => right.count - left.count);
  if (tools.length > 0) {
    out.line();
    out.table(
      [{ title: "tool" }, { title: "count" }, { title: "success" }, { title: "failure" }, { title: "success rate" }],
      tools.map(([name, { count, success, failure, success_rate }]) =>
        [name, count, success, failure, `${success_rate.toFixed(1)}%`].map(String),
      ),
    );
  }
  out.line();
  for (const name of ["trajectories.jsonl", "statistics.json", "checkpoint.json"]) out.line(path.join(folder, name));
  out.line(report);
}
