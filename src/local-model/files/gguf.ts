import { type FileHandle, open } from "node:fs/promises";
import { systemErrorCode } from "#foundation/errors";
import { tensorBytes } from "./tensor-types.ts";

/** What the head of a model file says about the model. */
export interface GgufFacts {
  readonly architecture: string;
  readonly name?: string | undefined;
  readonly license?: string | undefined;
  /** The window it was trained for. */
  readonly contextLength: number;
  /** What one token of context costs in memory, with 16-bit keys and values. */
  readonly bytesPerToken: number;
  readonly chatTemplate?: string | undefined;
  readonly sizeBytes: number;
}

export type GgufReading =
  | { readonly kind: "model"; readonly facts: GgufFacts }
  /** A sentence about what is wrong with the file, for people. */
  | { readonly kind: "fault"; readonly fault: string };

/** Heads are a few megabytes, most of it vocabulary; nobody writes one this large. */
const maxHeadBytes = 256 * 1024 * 1024;
const maxEntries = 100_000;

/** Reads the head of a GGUF file and checks that everything it announces is in the file. Nothing is loaded. */
export async function readGguf(path: string): Promise<GgufReading> {
  let file: FileHandle;
  try {
    file = await open(path, "r");
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === undefined) throw error;
    return fault(code === "ENOENT" ? "there is no such file" : `it cannot be read (${code})`);
  }
  try {
    const stat = await file.stat();
    if (!stat.isFile()) return fault("it is not a file");
    return await readHead(new HeadReader(file, stat.size), stat.size);
  } catch (error) {
    if (error instanceof GgufFault) return fault(error.message);
    throw error;
  } finally {
    await file.close();
  }
}

function fault(text: string): GgufReading {
  return { kind: "fault", fault: text };
}

class GgufFault extends Error {}

async function readHead(head: HeadReader, size: number): Promise<GgufReading> {
  if (size < 24 || (await head.bytes(4)).toString("latin1") !== "GGUF") {
    return fault("it is not a GGUF file (models for llama.cpp begin with the letters GGUF)");
  }
  const version = await head.u32();
  if (version < 2 || version > 3) return fault(`it is GGUF version ${version}; versions 2 and 3 can be used`);
  const tensorCount = await head.count();
  const entryCount = await head.count();
  const metadata = new Map<string, Value>();
  for (let index = 0; index < entryCount; index += 1) {
    const key = await head.text();
    metadata.set(key, await head.value(await head.u32()));
  }
  const end = await tensorsEnd(head, tensorCount);
  const alignment = numberOf(metadata.get("general.alignment")) ?? 32;
  const needed = Math.ceil(head.position / alignment) * alignment + end;
  if (size < needed) return fault(`it is cut off: ${size} bytes of ${needed}`);
  return factsOf(metadata, { size, tensorCount });
}

function factsOf(
  metadata: ReadonlyMap<string, Value>,
  { size, tensorCount }: { readonly size: number; readonly tensorCount: number },
): GgufReading {
  const architecture = textOf(metadata.get("general.architecture"));
  if (architecture === undefined) return fault("it does not say which kind of model it is");
  const number = (key: string): number | undefined => numberOf(metadata.get(`${architecture}.${key}`));
  const contextLength = number("context_length");
  const layers = number("block_count");
  const type = textOf(metadata.get("general.type"));
  if (
    contextLength === undefined ||
    layers === undefined ||
    tensorCount === 0 ||
    (type !== undefined && type !== "model")
  )
    return fault(`it holds no language model (${type ?? architecture})`);
  const heads = number("attention.head_count") ?? 1;
  const keyHeads = number("attention.head_count_kv") ?? heads;
  const headSize = (number("embedding_length") ?? 0) / heads;
  const keySize = number("attention.key_length") ?? headSize;
  const valueSize = number("attention.value_length") ?? headSize;
  return {
    kind: "model",
    facts: {
      architecture,
      name: textOf(metadata.get("general.name")),
      license: textOf(metadata.get("general.license")),
      contextLength,
      bytesPerToken: Math.ceil(layers * keyHeads * (keySize + valueSize) * 2),
      chatTemplate: textOf(metadata.get("tokenizer.chat_template")),
      sizeBytes: size,
    },
  };
}

/** Where the last tensor ends, counted from the beginning of the data. */
async function tensorsEnd(head: HeadReader, count: number): Promise<number> {
  let end = 0;
  for (let index = 0; index < count; index += 1) {
    await head.text();
    const dimensions = await head.u32();
    if (dimensions > 8) throw new GgufFault("its list of tensors is damaged");
    let elements = 1;
    for (let dimension = 0; dimension < dimensions; dimension += 1) elements *= await head.u64();
    const type = await head.u32();
    const offset = await head.u64();
    end = Math.max(end, offset + (tensorBytes(type, elements) ?? 0));
  }
  return end;
}

/** Lists are walked over and kept only as their length: vocabularies are large and nobody here needs them. */
type Value = string | number | boolean | { readonly length: number };

function textOf(value: Value | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function numberOf(value: Value | undefined): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : undefined;
}

const fixedSizes: Readonly<Record<number, number>> = {
  0: 1,
  1: 1,
  2: 2,
  3: 2,
  4: 4,
  5: 4,
  6: 4,
  7: 1,
  10: 8,
  11: 8,
  12: 8,
};

/** Reads numbers and texts one after the other, a megabyte of the file at a time. */
class HeadReader {
  position = 0;
  readonly #file: FileHandle;
  readonly #size: number;
  #chunk: Buffer = Buffer.alloc(0);
  #chunkStart = 0;

  constructor(file: FileHandle, size: number) {
    this.#file = file;
    this.#size = size;
  }

  async bytes(length: number): Promise<Buffer> {
    const end = this.position + length;
    if (end > this.#size) throw new GgufFault("it is cut off within its head");
    if (end > maxHeadBytes) throw new GgufFault("its head is larger than any real one");
    let at = this.position - this.#chunkStart;
    if (at < 0 || at + length > this.#chunk.length) {
      const buffer = Buffer.alloc(Math.min(Math.max(length, 1 << 20), this.#size - this.position));
      await this.#file.read(buffer, 0, buffer.length, this.position);
      this.#chunk = buffer;
      this.#chunkStart = this.position;
      at = 0;
    }
    this.position = end;
    return this.#chunk.subarray(at, at + length);
  }

  async u32(): Promise<number> {
    return (await this.bytes(4)).readUInt32LE();
  }

  async u64(): Promise<number> {
    const value = (await this.bytes(8)).readBigUInt64LE();
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new GgufFault("its head is damaged");
    return Number(value);
  }

  async count(): Promise<number> {
    const value = await this.u64();
    if (value > maxEntries) throw new GgufFault("its head is damaged");
    return value;
  }

  async text(): Promise<string> {
    const length = await this.u64();
    if (length > 16 * 1024 * 1024) throw new GgufFault("its head is damaged");
    return (await this.bytes(length)).toString("utf8");
  }

  async value(type: number): Promise<Value> {
    if (type === 8) return this.text();
    if (type === 9) return this.#list();
    const size = fixedSizes[type];
    if (size === undefined) throw new GgufFault("its head is damaged");
    const bytes = await this.bytes(size);
    switch (type) {
      case 6:
        return bytes.readFloatLE();
      case 12:
        return bytes.readDoubleLE();
      case 10:
        return Number(bytes.readBigUInt64LE());
      case 11:
        return Number(bytes.readBigInt64LE());
      case 7:
        return bytes[0] !== 0;
      case 1:
      case 3:
      case 5:
        return bytes.readIntLE(0, size);
      default:
        return bytes.readUIntLE(0, size);
    }
  }

  /** A list of numbers gives its largest one where the head says something layer by layer, as for the heads of attention. */
  async #list(): Promise<Value> {
    const type = await this.u32();
    const length = await this.u64();
    const size = fixedSizes[type];
    if (size !== undefined && (type === 4 || type === 5) && length <= 1024) {
      const bytes = await this.bytes(size * length);
      let most = 0;
      for (let at = 0; at < bytes.length; at += 4) most = Math.max(most, bytes.readInt32LE(at));
      return most;
    }
    if (size !== undefined) this.#skip(size * length);
    else if (type === 8) for (let index = 0; index < length; index += 1) this.#skip(await this.u64());
    else throw new GgufFault("its head is damaged");
    return { length };
  }

  #skip(length: number): void {
    this.position += length;
    if (this.position > this.#size) throw new GgufFault("it is cut off within its head");
  }
}
