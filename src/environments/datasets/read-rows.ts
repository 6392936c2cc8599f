import { createReadStream } from "node:fs";
import { open, readFile } from "node:fs/promises";
import path from "node:path";
import { describe, UserError } from "#foundation/errors";
import { isRecord, parseJson } from "#foundation/text/json";
import { readLines } from "#foundation/text/lines";
import { parseCsv } from "./csv.ts";

export type DatasetRow = Readonly<Record<string, unknown>>;

export type ReadRow =
  | { readonly kind: "row"; readonly row: DatasetRow; readonly where: string }
  | { readonly kind: "invalid"; readonly where: string; readonly problem: string };

/** The rows of a dataset file, whatever its format; `where` names the line or row for people. */
export async function* readRows(file: string): AsyncGenerator<ReadRow, void> {
  switch (path.extname(file)) {
    case ".json":
      yield* jsonRows(file);
      return;
    case ".csv":
      yield* csvRows(file);
      return;
    case ".parquet":
      yield* parquetRows(file);
      return;
    default:
      yield* jsonLineRows(file);
  }
}

async function* jsonLineRows(file: string): AsyncGenerator<ReadRow, void> {
  let number = 0;
  for await (const line of readLines(createReadStream(file))) {
    number += 1;
    const text = (number === 1 ? line.replace(/^\uFEFF/, "") : line).trim();
    if (text !== "") yield rowOf(parseJson(text), `line ${number}`);
  }
}

function rowOf(parsed: ReturnType<typeof parseJson>, where: string): ReadRow {
  if (!parsed.ok) return { kind: "invalid", where, problem: `it is not JSON (${parsed.message})` };
  if (!isRecord(parsed.value)) return { kind: "invalid", where, problem: "it is not a JSON object" };
  return { kind: "row", where, row: parsed.value };
}

/** A list of objects, or an object with one in `data` or `rows`. */
async function* jsonRows(file: string): AsyncGenerator<ReadRow, void> {
  const parsed = parseJson(await readFile(file, "utf8"));
  if (!parsed.ok) throw new UserError(`${file} is not JSON: ${parsed.message}`, { exitCode: 2 });
  const value = isRecord(parsed.value) ? (parsed.value["data"] ?? parsed.value["rows"]) : parsed.value;
  if (!Array.isArray(value)) throw new UserError(`${file} holds no list of rows.`, { exitCode: 2 });
  for (const [index, row] of value.entries()) yield rowOf({ ok: true, value: row as unknown }, `row ${index + 1}`);
}

async function* csvRows(file: string): AsyncGenerator<ReadRow, void> {
  const [header = [], ...records] = parseCsv((await readFile(file, "utf8")).replace(/^\uFEFF/, ""));
  for (const [index, record] of records.entries())
    yield {
      kind: "row",
      where: `row ${index + 2}`,
      row: Object.fromEntries(header.map((name, column) => [name, record[column] ?? ""])),
    };
}

/** Row groups are read one after the other; bytes become base64, large integers numbers where they fit. */
async function* parquetRows(file: string): AsyncGenerator<ReadRow, void> {
  const { parquetMetadataAsync, parquetReadObjects } = await import("hyparquet");
  const { compressors } = await import("hyparquet-compressors");
  await using handle = await open(file, "r");
  const { size: byteLength } = await handle.stat();
  const source = {
    byteLength,
    async slice(start: number, end = byteLength): Promise<ArrayBuffer> {
      const bytes = new Uint8Array(end - start);
      await handle.read(bytes, 0, bytes.length, start);
      return bytes.buffer;
    },
  };
  try {
    const metadata = await parquetMetadataAsync(source);
    let rowStart = 0;
    for (const group of metadata.row_groups) {
      const rowEnd = rowStart + Number(group.num_rows);
      const rows = await parquetReadObjects({ file: source, metadata, compressors, rowStart, rowEnd });
      for (const [index, row] of rows.entries())
        yield { kind: "row", where: `row ${rowStart + index + 1}`, row: plainValue(row) as DatasetRow };
      rowStart = rowEnd;
    }
  } catch (error) {
    throw new UserError(`${file} could not be read as Parquet: ${describe(error)}`, { exitCode: 2, cause: error });
  }
}

function plainValue(value: unknown): unknown {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(plainValue);
  if (!isRecord(value)) return value ?? null;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plainValue(member)]));
}
