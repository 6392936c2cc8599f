import { UserError } from "#foundation/errors";
import { isRecord } from "#foundation/text/json";
import { type DatasetLocation, locateDataset } from "./locate.ts";
import { type DatasetRow, readRows } from "./read-rows.ts";

/** One prompt of a batch run. */
export interface PromptRow {
  /** Its number in the dataset, from 0. */
  readonly index: number;
  readonly prompt: string;
  readonly image: string | undefined;
  readonly cwd: string | undefined;
  readonly metadata: DatasetRow;
}

export interface PromptOptions extends DatasetLocation {
  readonly field: string;
  readonly limit?: number | undefined;
  /** A row that is left out, and why. */
  onSkipped(text: string): void;
}

/** The prompts of a dataset. Rows that have none are told of and left out. */
export async function readPrompts(name: string, options: PromptOptions): Promise<readonly PromptRow[]> {
  const prompts: PromptRow[] = [];
  for (const file of await locateDataset(name, options)) {
    for await (const read of readRows(file)) {
      if (options.limit !== undefined && prompts.length >= options.limit) return prompts;
      if (read.kind === "invalid") {
        options.onSkipped(`${file}, ${read.where}, is left out: ${read.problem}.`);
        continue;
      }
      const prompt = promptOf(read.row, options.field);
      if (prompt === undefined) options.onSkipped(`${file}, ${read.where}, is left out: it has no "${options.field}".`);
      else prompts.push(promptRow(read.row, { prompt, field: options.field, index: prompts.length }));
    }
  }
  if (prompts.length > 0) return prompts;
  throw new UserError(`${name} has no row with "${options.field}".`, {
    hint: "Name the column with the prompts: --prompt-field <name>",
    exitCode: 2,
  });
}

/** The column, or the first words of a person in a conversation. */
function promptOf(row: DatasetRow, field: string): string | undefined {
  const own = row[field];
  if (typeof own === "string" && own !== "") return own;
  const turns = [row["conversations"], row["messages"]].find(Array.isArray) as readonly unknown[] | undefined;
  const first = turns?.find((turn) => isRecord(turn) && (turn["from"] === "human" || turn["role"] === "user"));
  if (!isRecord(first)) return undefined;
  const text = first["value"] ?? first["content"];
  return typeof text === "string" && text !== "" ? text : undefined;
}

const taken = new Set(["image", "docker_image", "cwd", "conversations", "messages", "metadata"]);

function promptRow(
  row: DatasetRow,
  { prompt, field, index }: { readonly prompt: string; readonly field: string; readonly index: number },
): PromptRow {
  const columns = Object.entries(row).filter(([name]) => name !== field && !taken.has(name));
  return {
    index,
    prompt,
    image: textOr(row["image"]) ?? textOr(row["docker_image"]),
    cwd: textOr(row["cwd"]),
    metadata: { ...Object.fromEntries(columns), ...(isRecord(row["metadata"]) ? row["metadata"] : {}) },
  };
}

function textOr(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
