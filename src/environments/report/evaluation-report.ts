import { isRecord, parseJson } from "#foundation/text/json";
import { wilson } from "../statistics.ts";
import { type Comparison, comparisonTables } from "./comparison.ts";
import { type ReportRow, type ReportTable, reportPage } from "./page.ts";
import type { EvaluationFolder, Sample } from "./samples.ts";
import { barChart, formatted, histogram, scatter } from "./svg.ts";

/** The page of an evaluation, made of what is in its files alone; with others beside it, what differs. */
export function evaluationReport(
  { title, model, metrics, samples }: Omit<EvaluationFolder, "folder">,
  comparison?: Comparison,
): string {
  const passed = samples.filter(({ reward }) => reward === 1).length;
  const { low, high } = wilson(passed, samples.length);
  return reportPage({
    title,
    subtitle: `${model}, ${samples.length} attempts`,
    cards: [
      {
        label: `passed (95%: ${(low * 100).toFixed(0)}–${(high * 100).toFixed(0)}%)`,
        value: `${passed}/${samples.length}`,
      },
      ...Object.entries(metrics).map(([label, value]) => ({ label, value: formatted(value) })),
    ],
    charts: charts(samples),
    tables: [...(comparison === undefined ? [] : comparisonTables(comparison)), ...tables(samples)],
    rows: samples.map(rowOf),
  });
}

function charts(samples: readonly Sample[]): readonly string[] {
  const shown = samples.slice(0, 50);
  return [
    histogram(
      "Rewards",
      samples.map(({ reward }) => reward),
    ),
    histogram(
      "Turns",
      samples.map(({ turns }) => turns),
    ),
    barChart(
      "Seconds",
      shown.map(({ task, seconds }) => ({ label: task.slice(0, 24), value: seconds })),
    ),
    scatter(
      "Reward and tokens",
      samples.map(({ task, tokens, reward }) => ({ x: tokens, y: reward, label: task })),
      { x: "tokens written", y: "reward" },
    ),
  ];
}

function tables(samples: readonly Sample[]): readonly ReportTable[] {
  const errors = new Map<string, number>();
  for (const { error } of samples)
    if (error !== undefined) errors.set(kindOf(error), (errors.get(kindOf(error)) ?? 0) + 1);
  const tools = toolUse(samples);
  return [
    ...(errors.size === 0
      ? []
      : [{ title: "Errors", head: ["error", "attempts"], rows: mostFirst([...errors]).map(([k, n]) => [k, `${n}`]) }]),
    ...(tools.size === 0
      ? []
      : [
          {
            title: "Tools",
            head: ["tool", "calls", "failed"],
            rows: mostFirst([...tools].map(([name, { calls }]) => [name, calls] as const)).map(([name, calls]) => {
              const failed = tools.get(name)?.failed ?? 0;
              return [name, String(calls), `${failed} (${((failed / calls) * 100).toFixed(0)}%)`];
            }),
          },
        ]),
  ];
}

function mostFirst(pairs: readonly (readonly [string, number])[]): readonly (readonly [string, number])[] {
  return [...pairs].sort(([, one], [, other]) => other - one);
}

/** Errors of one kind stand together: what follows the first colon, and numbers, differ from task to task. */
function kindOf(error: string): string {
  return (error.split(/[:\n]/)[0] ?? "").replaceAll(/\d+/g, "N").slice(0, 120);
}

function toolUse(samples: readonly Sample[]): ReadonlyMap<string, { calls: number; failed: number }> {
  const use = new Map<string, { calls: number; failed: number }>();
  for (const { messages } of samples) {
    const names = new Map<unknown, string>();
    for (const message of messages.filter(isRecord)) {
      for (const { id, name } of callsOf(message)) {
        names.set(id, name);
        const counted = use.get(name) ?? { calls: 0, failed: 0 };
        use.set(name, { ...counted, calls: counted.calls + 1 });
      }
      const called = message["role"] === "tool" ? use.get(names.get(message["tool_call_id"]) ?? "") : undefined;
      if (called !== undefined && isFailure(message["content"])) called.failed += 1;
    }
  }
  return use;
}

function isFailure(content: unknown): boolean {
  const parsed = parseJson(String(content));
  return parsed.ok && isRecord(parsed.value) && (parsed.value["error"] ?? null) !== null;
}

function callsOf(message: Readonly<Record<string, unknown>>) {
  const calls = Array.isArray(message["tool_calls"]) ? message["tool_calls"] : [];
  return calls.filter(isRecord).map((call) => {
    const called = isRecord(call["function"]) ? call["function"] : {};
    return { id: call["id"], name: String(called["name"]), args: String(called["arguments"]) };
  });
}

function rowOf({ task, attempt, status, reward, turns, seconds, error, messages }: Sample): ReportRow {
  return {
    title: attempt === 0 ? task : `${task}, attempt ${attempt + 1}`,
    status,
    facts: [`reward ${reward}`, `${turns} turns`, `${seconds.toFixed(1)} s`, error ?? ""],
    turns: messages.filter(isRecord).map((message) => ({
      from: String(message["role"]),
      value: [
        ...(typeof message["reasoning_content"] === "string" ? [`(thinking) ${message["reasoning_content"]}`] : []),
        ...(typeof message["content"] === "string" && message["content"] !== "" ? [message["content"]] : []),
        ...callsOf(message).map(({ name, args }) => `${name}(${args})`),
      ].join("\n"),
    })),
  };
}
