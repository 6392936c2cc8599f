import { mean } from "../statistics.ts";
import type { ReportTable } from "./page.ts";
import type { EvaluationFolder, Sample } from "./samples.ts";
import { formatted } from "./svg.ts";

/** What another evaluation makes of the tasks that both attempted. */
export interface Comparison {
  readonly runs: readonly ComparedRun[];
}

export interface ComparedRun {
  readonly name: string;
  readonly passRate: number;
  readonly meanReward: number;
  /** Against the first run. */
  readonly common: number;
  readonly won: readonly string[];
  readonly lost: readonly string[];
  /** How likely so uneven a split is by chance alone. */
  readonly pValue: number;
}

/** Each run against the first, over the tasks they share; a task passes when its attempts pass more often than not. */
export function compareEvaluations(folders: readonly EvaluationFolder[]): Comparison {
  const outcomes = folders.map(({ samples }) => taskOutcomes(samples));
  const [base = new Map<string, boolean>()] = outcomes;
  return {
    runs: folders.map(({ folder, model, samples }, index) => {
      const own = outcomes[index] ?? base;
      const common = [...own.keys()].filter((task) => base.has(task));
      const won = common.filter((task) => own.get(task) === true && base.get(task) === false);
      const lost = common.filter((task) => own.get(task) === false && base.get(task) === true);
      return {
        name: `${folder} (${model})`,
        passRate: mean([...own.values()].map(Number)),
        meanReward: mean(samples.map(({ reward }) => reward)),
        ...{ common: common.length, won, lost, pValue: mcnemar(won.length, lost.length) },
      };
    }),
  };
}

function taskOutcomes(samples: readonly Sample[]): ReadonlyMap<string, boolean> {
  const tries = new Map<string, number[]>();
  for (const { task, reward } of samples) tries.set(task, [...(tries.get(task) ?? []), Number(reward === 1)]);
  return new Map([...tries].map(([task, passes]) => [task, mean(passes) >= 0.5]));
}

/** McNemar's test in its exact form: of all tasks that changed sides, is the split what a coin would give? */
export function mcnemar(won: number, lost: number): number {
  const changed = won + lost;
  if (changed === 0) return 1;
  let sum = 0;
  // Logarithms: the binomial coefficients of some thousand tasks are larger than any number.
  let logChoose = 0;
  for (let k = 0; k <= Math.min(won, lost); k += 1) {
    sum += Math.exp(logChoose - changed * Math.LN2);
    logChoose += Math.log(changed - k) - Math.log(k + 1);
  }
  return Math.min(1, 2 * sum);
}

export function comparisonTables({ runs }: Comparison): readonly ReportTable[] {
  const [base] = runs;
  const delta = (value: number, of: number): string =>
    value === of ? formatted(value) : `${formatted(value)} (${value > of ? "+" : ""}${formatted(value - of)})`;
  return [
    {
      title: "Compared with the first run",
      head: ["run", "passed", "mean reward", "tasks of both", "won", "lost", "p"],
      rows: runs.map((run) => [
        run.name,
        delta(run.passRate, base?.passRate ?? 0),
        delta(run.meanReward, base?.meanReward ?? 0),
        ...[run.common, run.won.length, run.lost.length].map(String),
        run.pValue.toFixed(4),
      ]),
    },
    {
      title: "Tasks that changed sides",
      head: ["task", "run", "now"],
      rows: runs.flatMap(({ name, won, lost }) => [
        ...won.map((task) => [task, name, "passes"]),
        ...lost.map((task) => [task, name, "fails"]),
      ]),
    },
  ];
}
