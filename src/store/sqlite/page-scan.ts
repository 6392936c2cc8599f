import type { SqlValue } from "../database.ts";

/** A row as it stands in the file: where the number of the row is a column, the record holds nothing for it. */
export interface ScannedRow {
  readonly rowid: number;
  readonly values: readonly SqlValue[];
}

const leafTable = 0x0d;
const mostColumns = 200;
const smallestPage = 512;

/**
 * Rows read from a file's pages directly, without the tree that leads to them: what is left when the page that names
 * the tables, or the root of one, is damaged. Pages known to be free are left out, so that what was deleted stays so.
 * A record that makes no sense costs itself. The format is SQLite's published file format.
 */
export function* scanRows(file: Buffer): Generator<ScannedRow> {
  const pageSize = pageSizeOf(file);
  const free = freePages(file, pageSize);
  for (let page = 1; page * pageSize <= file.length; page += 1) {
    const start = (page - 1) * pageSize;
    if (file[start] !== leafTable || free.has(page)) continue;
    const cells = file.readUInt16BE(start + 3);
    for (let index = 0; index < cells; index += 1) {
      const pointer = start + 8 + index * 2;
      if (pointer + 2 > start + pageSize) break;
      const row = readCell(file, start + file.readUInt16BE(pointer), { pageSize, end: start + pageSize });
      if (row !== undefined) yield row;
    }
  }
}

/** The header says it; where the header is damaged, nearly every file has this one. */
function pageSizeOf(file: Buffer): number {
  const written = file.length < 100 ? 0 : file.readUInt16BE(16);
  const size = written === 1 ? 65_536 : written;
  return size >= smallestPage && (size & (size - 1)) === 0 ? size : 4_096;
}

function freePages(file: Buffer, pageSize: number): ReadonlySet<number> {
  const free = new Set<number>();
  let trunk = file.length < 100 ? 0 : file.readUInt32BE(32);
  while (trunk > 1 && trunk * pageSize <= file.length && !free.has(trunk)) {
    free.add(trunk);
    const start = (trunk - 1) * pageSize;
    const count = Math.min(file.readUInt32BE(start + 4), pageSize / 4 - 2);
    for (let index = 0; index < count; index += 1) free.add(file.readUInt32BE(start + 8 + index * 4));
    trunk = file.readUInt32BE(start);
  }
  return free;
}

function readCell(
  file: Buffer,
  at: number,
  page: { readonly pageSize: number; readonly end: number },
): ScannedRow | undefined {
  try {
    const size = readVarint(file, at);
    const rowid = readVarint(file, size.next);
    const payload = readPayload(file, rowid.next, { ...page, size: size.value });
    const values = payload === undefined ? undefined : readRecord(payload);
    return values === undefined ? undefined : { rowid: rowid.value, values };
  } catch (error) {
    if (error instanceof RangeError) return undefined; // It points outside the file, or is no number we can hold.
    throw error;
  }
}

/** What does not fit on the page goes on in a chain of pages of its own. */
function readPayload(
  file: Buffer,
  at: number,
  { size, pageSize, end }: { readonly size: number; readonly pageSize: number; readonly end: number },
): Buffer | undefined {
  if (size > file.length) return undefined;
  const most = pageSize - 35;
  if (size <= most) return at + size <= end ? file.subarray(at, at + size) : undefined;
  const least = Math.floor(((pageSize - 12) * 32) / 255) - 23;
  const wanted = least + ((size - least) % (pageSize - 4));
  const local = wanted <= most ? wanted : least;
  if (at + local + 4 > end) return undefined;
  const pieces = [file.subarray(at, at + local)];
  let missing = size - local;
  let next = file.readUInt32BE(at + local);
  for (; missing > 0; missing -= pageSize - 4) {
    const start = (next - 1) * pageSize;
    if (next < 2 || start + pageSize > file.length) return undefined;
    pieces.push(file.subarray(start + 4, start + 4 + Math.min(missing, pageSize - 4)));
    next = file.readUInt32BE(start);
  }
  return Buffer.concat(pieces);
}

function readRecord(payload: Buffer): readonly SqlValue[] | undefined {
  const header = readVarint(payload, 0);
  if (header.value > payload.length) return undefined;
  const types: number[] = [];
  let at = header.next;
  while (at < header.value) {
    const type = readVarint(payload, at);
    types.push(type.value);
    at = type.next;
  }
  if (at !== header.value || types.length > mostColumns) return undefined;
  const values: SqlValue[] = [];
  for (const type of types) {
    const length = lengthOf(type);
    if (at + length > payload.length) return undefined;
    values.push(readValue(payload.subarray(at, at + length), type));
    at += length;
  }
  return at === payload.length ? values : undefined;
}

const fixedLengths = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0];

function lengthOf(type: number): number {
  const fixed = fixedLengths[type];
  if (fixed !== undefined) return fixed;
  if (type < 12) throw new RangeError("reserved type");
  return Math.floor((type - 12) / 2);
}

const strictText = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function readValue(bytes: Buffer, type: number): SqlValue {
  if (type === 0) return null;
  if (type === 8 || type === 9) return type - 8;
  if (type === 7) return bytes.readDoubleBE(0);
  if (type === 6) return safeNumber(bytes.readBigInt64BE(0));
  if (type < 6) return bytes.readIntBE(0, bytes.length);
  if (type % 2 === 0) return bytes;
  try {
    return strictText.decode(bytes);
  } catch {
    throw new RangeError("not a text");
  }
}

function readVarint(bytes: Buffer, at: number): { readonly value: number; readonly next: number } {
  let value = 0n;
  for (let index = 0; index < 9; index += 1) {
    const byte = bytes.readUInt8(at + index);
    if (index === 8) return { value: safeNumber(BigInt.asIntN(64, (value << 8n) | BigInt(byte))), next: at + 9 };
    value = (value << 7n) | BigInt(byte & 0x7f);
    if (byte < 0x80) return { value: safeNumber(value), next: at + index + 1 };
  }
  throw new RangeError("unreachable");
}

function safeNumber(value: bigint): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new RangeError("a number too large");
  return number;
}
