import type { Fields } from "../support/fields.ts";
import type { FrameCodec } from "../support/socket.ts";

/** A frame of the long connection. Control frames keep it alive, data frames bring events and cards. */
export interface FeishuFrame {
  readonly seqId: bigint;
  readonly logId: bigint;
  readonly service: number;
  readonly method: "control" | "data";
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: Buffer;
}

const fieldNumbers = { seqId: 1, logId: 2, service: 3, method: 4, headers: 5, payload: 8 } as const;

/** Frames are protocol buffers of one flat shape; what is unknown in them is passed over. */
export const feishuCodec: FrameCodec = {
  read: (data) => readFrame(data) as Fields | undefined,
  write: (frame) => writeFrame(frame as unknown as FeishuFrame),
};

export function readFrame(data: Buffer): FeishuFrame | undefined {
  const numbers = new Map<number, bigint>();
  const headers: Record<string, string> = {};
  let payload: Buffer = Buffer.alloc(0);
  try {
    for (const { field, value } of fieldsOf(data)) {
      if (typeof value === "bigint") numbers.set(field, value);
      else if (field === fieldNumbers.payload) payload = value;
      else if (field === fieldNumbers.headers) {
        const [name = "", text = ""] = headerOf(value);
        headers[name] = text;
      }
    }
  } catch {
    return undefined;
  }
  const at = (field: number): bigint => numbers.get(field) ?? 0n;
  return {
    seqId: at(fieldNumbers.seqId),
    logId: at(fieldNumbers.logId),
    service: Number(at(fieldNumbers.service)),
    method: at(fieldNumbers.method) === 0n ? "control" : "data",
    headers,
    payload,
  };
}

export function writeFrame({ seqId, logId, service, method, headers, payload }: FeishuFrame): Buffer {
  return Buffer.concat([
    number(fieldNumbers.seqId, seqId),
    number(fieldNumbers.logId, logId),
    number(fieldNumbers.service, BigInt(service)),
    number(fieldNumbers.method, method === "control" ? 0n : 1n),
    ...Object.entries(headers).map(([name, value]) =>
      bytes(fieldNumbers.headers, Buffer.concat([bytes(1, Buffer.from(name)), bytes(2, Buffer.from(value))])),
    ),
    bytes(fieldNumbers.payload, payload),
  ]);
}

function headerOf(data: Buffer): readonly (string | undefined)[] {
  const parts: string[] = [];
  for (const { field, value } of fieldsOf(data))
    if (typeof value !== "bigint") parts[field - 1] = value.toString("utf8");
  return parts;
}

function number(field: number, value: bigint): Buffer {
  return Buffer.concat([varint(BigInt(field << 3)), varint(value)]);
}

function bytes(field: number, value: Buffer): Buffer {
  return Buffer.concat([varint(BigInt((field << 3) | 2)), varint(BigInt(value.length)), value]);
}

function varint(value: bigint): Buffer {
  const out: number[] = [];
  let rest = BigInt.asUintN(64, value);
  for (; rest > 127n; rest >>= 7n) out.push(Number(rest & 127n) | 128);
  out.push(Number(rest));
  return Buffer.from(out);
}

function* fieldsOf(data: Buffer): Generator<{ readonly field: number; readonly value: bigint | Buffer }> {
  let at = 0;
  const next = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = data[at];
      if (byte === undefined || shift > 63n) throw new Error("a number of a frame does not end");
      at += 1;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  const take = (length: number): Buffer => {
    if (at + length > data.length) throw new Error("a frame ends in the middle");
    at += length;
    return data.subarray(at - length, at);
  };
  while (at < data.length) {
    const tag = Number(next());
    const [field, kind] = [tag >> 3, tag & 7];
    if (kind === 0) yield { field, value: next() };
    else if (kind === 2) yield { field, value: take(Number(next())) };
    else if (kind === 1 || kind === 5) take(kind === 1 ? 8 : 4);
    else throw new Error("a frame has a field of an unknown kind");
  }
}
