import path from "node:path";
import { compareEvaluations, evaluationReport, readEvaluation } from "#environments";
import { writeFileAtomic } from "#foundation/files/files";
import type { Invocation } from "../../command.ts";
import { Output } from "../../output/output.ts";

/** Makes the page of an evaluation again, or compares several. */
export async function envReport(invocation: Invocation): Promise<number> {
  const { io, args } = invocation;
  const out = new Output(invocation);
  const folders = [];
  for (const name of args) folders.push(await readEvaluation(path.resolve(io.cwd, name), io.signal));
  const [first] = folders;
  if (first === undefined) throw new TypeError("the command line wants at least one folder");
  const comparison = folders.length > 1 ? compareEvaluations(folders) : undefined;
  const file = path.join(first.folder, comparison === undefined ? "report.html" : "comparison.html");
  await writeFileAtomic(file, evaluationReport(first, comparison));
  out.document({ report: file, ...(comparison === undefined ? {} : { runs: comparison.runs }) });
  if (comparison !== undefined)
    out.table(
      [
        { title: "run" },
        ...["passed", "reward", "won", "lost", "p"].map((title) => ({ title, align: "right" as const })),
      ],
      comparison.runs.map(({ name, passRate, meanReward, won, lost, pValue }) => [
        path.relative(io.cwd, name),
        ...[passRate.toFixed(4), meanReward.toFixed(4), String(won.length), String(lost.length), pValue.toFixed(4)],
      ]),
    );
  out.line(file);
  return 0;
}
