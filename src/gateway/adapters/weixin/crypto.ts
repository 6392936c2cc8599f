import { createCipheriv, createDecipheriv } from "node:crypto";

/** Files lie encrypted at Weixin: AES-128-ECB, each with a key of its own. */
export function encrypted(bytes: Uint8Array, key: Buffer): Buffer {
  const cipher = createCipheriv("aes-128-ecb", key, null);
  return Buffer.concat([cipher.update(bytes), cipher.final()]);
}

export async function* decrypted(bytes: AsyncIterable<Uint8Array>, key: Buffer): AsyncIterable<Uint8Array> {
  const decipher = createDecipheriv("aes-128-ecb", key, null);
  for await (const chunk of bytes) {
    const plain = decipher.update(chunk);
    if (plain.length > 0) yield plain;
  }
  const rest = decipher.final();
  if (rest.length > 0) yield rest;
}

/** A key comes as sixteen bytes or as their hexadecimal digits, either in Base64. */
export function readKey(text: string): Buffer | undefined {
  const raw = Buffer.from(text, "base64");
  if (raw.length === 16) return raw;
  const digits = raw.toString("latin1");
  return /^[0-9a-f]{32}$/iu.test(digits) ? Buffer.from(digits, "hex") : undefined;
}

/** As Weixin wants it beside a file. */
export function writtenKey(key: Buffer): string {
  return Buffer.from(key.toString("hex")).toString("base64");
}
