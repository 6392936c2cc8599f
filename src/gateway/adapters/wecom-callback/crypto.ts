import { createDecipheriv, createHash } from "node:crypto";

const blockSize = 32;

/** What stands in every call: SHA-1 over the sorted parts. */
export function wecomSignature(
  ...parts: readonly [token: string, timestamp: string, nonce: string, cipher: string]
): string {
  return createHash("sha1")
    .update([...parts].sort().join(""))
    .digest("hex");
}

/** WeCom's envelope: 16 random bytes, the length, the text, and whom it is for. Undefined when the key is another one. */
export function openEnvelope(
  encodingKey: string,
  cipher: string,
): { readonly text: string; readonly receiver: string } | undefined {
  const key = keyOf(encodingKey);
  if (key === undefined) return undefined;
  const bytes = Buffer.from(cipher, "base64");
  if (bytes.length === 0 || bytes.length % 16 !== 0) return undefined;
  const decipher = createDecipheriv("aes-256-cbc", key, key.subarray(0, 16)).setAutoPadding(false);
  const padded = Buffer.concat([decipher.update(bytes), decipher.final()]);
  const padding = padded.at(-1) ?? 0;
  if (padding < 1 || padding > blockSize || padding > padded.length) return undefined;
  if (padded.subarray(-padding).some((byte) => byte !== padding)) return undefined;
  const plain = padded.subarray(0, padded.length - padding);
  if (plain.length < 20) return undefined;
  const end = 20 + plain.readUInt32BE(16);
  if (end > plain.length) return undefined;
  return { text: plain.subarray(20, end).toString("utf8"), receiver: plain.subarray(end).toString("utf8") };
}

function keyOf(encodingKey: string): Buffer | undefined {
  const key = Buffer.from(`${encodingKey}=`, "base64");
  return key.length === 32 ? key : undefined;
}
