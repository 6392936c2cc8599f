import { isRecord } from "#foundation/text/json";
import type { ShareGptTurn } from "./sharegpt.ts";

const roles: ReadonlySet<unknown> = new Set(["system", "human", "gpt", "tool"]);

export function isShareGptTurn(value: unknown): value is ShareGptTurn {
  return isRecord(value) && roles.has(value.from) && typeof value.value === "string";
}

/** What is wrong with an entry, one sentence each; none means that it can be used for training. */
export function trajectoryProblems(entry: Readonly<Record<string, unknown>>): readonly string[] {
  const turns: unknown = entry.conversations;
  if (!Array.isArray(turns)) return ["conversations is missing or not a list"];
  const problems: string[] = [];
  if (typeof entry.completed !== "boolean") problems.push("completed is missing or not true or false");
  turns.forEach((turn, index) => {
    if (!isShareGptTurn(turn)) problems.push(`turn ${index} needs a known "from" and a text "value"`);
    else if (turn.from === "gpt" && !turn.value.includes("<think>")) problems.push(`turn ${index} has no think block`);
  });
  const [first, second] = turns as readonly unknown[];
  if (!isShareGptTurn(first) || first.from !== "system") problems.push("the first turn is not the system's");
  if (!isShareGptTurn(second) || second.from !== "human") problems.push("the second turn is not a human's");
  return problems;
}

export interface TrajectoryStats {
  readonly entries: number;
  readonly completed: number;
  readonly invalid: number;
  readonly turns: number;
  readonly toolCalls: number;
  readonly models: Readonly<Record<string, number>>;
}

/** Counts over a whole file, reading one entry at a time. */
export async function trajectoryStats(
  entries: AsyncIterable<Readonly<Record<string, unknown>>>,
): Promise<TrajectoryStats> {
  const models = new Map<string, number>();
  const counts = { entries: 0, completed: 0, invalid: 0, turns: 0, toolCalls: 0 };
  for await (const entry of entries) {
    counts.entries += 1;
    if (entry.completed === true) counts.completed += 1;
    if (trajectoryProblems(entry).length > 0) counts.invalid += 1;
    const turns = Array.isArray(entry.conversations) ? entry.conversations.filter(isShareGptTurn) : [];
    counts.turns += turns.length;
    for (const { from, value } of turns)
      if (from === "gpt") counts.toolCalls += value.split("<tool_call>\n").length - 1;
    if (typeof entry.model === "string") models.set(entry.model, (models.get(entry.model) ?? 0) + 1);
  }
  return { ...counts, models: Object.fromEntries(models) };
}
