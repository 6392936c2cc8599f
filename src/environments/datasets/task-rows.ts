import { createHash } from "node:crypto";
import { UserError } from "#foundation/errors";
import { locateDataset } from "./locate.ts";
import { type DatasetRow, readRows } from "./read-rows.ts";

/** The fields of an environment that say which rows. */
interface DatasetFields {
  readonly dataset_name: string | null;
  readonly dataset_split: string;
  readonly dataset_limit: number | null;
  readonly dataset_offset: number;
  readonly dataset_shuffle: number | null;
  readonly dataset_filter: string | null;
}

interface DatasetFolder {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The rows an environment works on: filtered, then shuffled the same way for the same number, then cut. */
export async function taskRows(fields: DatasetFields, { cwd, env }: DatasetFolder): Promise<readonly DatasetRow[]> {
  const rows: DatasetRow[] = [];
  const isWanted = rowFilter(fields.dataset_filter);
  for (const file of await locateDataset(fields.dataset_name ?? "", { cwd, env, split: fields.dataset_split }))
    for await (const read of readRows(file)) if (read.kind === "row" && isWanted(read.row)) rows.push(read.row);
  const ordered = fields.dataset_shuffle === null ? rows : shuffled(rows, fields.dataset_shuffle);
  const from = Math.max(0, fields.dataset_offset);
  return ordered.slice(from, fields.dataset_limit === null ? undefined : from + fields.dataset_limit);
}

function rowFilter(filter: string | null): (row: DatasetRow) => boolean {
  if (filter === null || filter === "") return () => true;
  const [, field = "", value = ""] = /^([^=]+)=(.*)$/su.exec(filter) ?? [];
  if (field === "")
    throw new UserError(`dataset_filter cannot be ${JSON.stringify(filter)}.`, {
      hint: "It names a column and its value: difficulty=hard",
      exitCode: 2,
    });
  return (row) => row[field] !== undefined && String(row[field]) === value;
}

/** By a hash of the number and each row's place: the same order on every machine. */
function shuffled(rows: readonly DatasetRow[], start: number): readonly DatasetRow[] {
  const key = (index: number): string => createHash("sha256").update(`${start}\n${index}`).digest("hex");
  const keyed = rows.map((row, index) => ({ row, key: key(index) }));
  return keyed.sort((left, right) => (left.key < right.key ? -1 : 1)).map(({ row }) => row);
}
