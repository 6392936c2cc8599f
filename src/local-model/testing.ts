/** A GGUF file with one small tensor, for tests of everything that reads heads. */
export function tinyGguf(metadata: Readonly<Record<string, string | number>> = {}): Buffer {
  const entries = Object.entries({
    "general.architecture": "llama",
    "llama.context_length": 2048,
    "llama.block_count": 2,
    "llama.embedding_length": 64,
    "llama.attention.head_count": 4,
    "llama.attention.head_count_kv": 2,
    ...metadata,
  });
  const head = [Buffer.from("GGUF"), u32(3), u64(1), u64(entries.length)];
  for (const [key, value] of entries) {
    head.push(text(key), ...(typeof value === "string" ? [u32(8), text(value)] : [u32(4), u32(value)]));
  }
  head.push(text("token_embd.weight"), u32(1), u64(64), u32(0), u64(0));
  const bytes = Buffer.concat(head);
  const padding = Buffer.alloc((32 - (bytes.length % 32)) % 32);
  return Buffer.concat([bytes, padding, Buffer.alloc(64 * 4, 7)]);
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([u64(bytes.length), bytes]);
}
