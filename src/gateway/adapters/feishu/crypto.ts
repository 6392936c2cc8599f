import { createDecipheriv, createHash } from "node:crypto";

/** What Feishu signs a call with: the hash of its parts, one after the other. */
export function feishuSignature(
  timestamp: string,
  nonce: string,
  rest: { readonly key: string; readonly body: Buffer },
) {
  return createHash("sha256").update(`${timestamp}${nonce}${rest.key}`).update(rest.body).digest("hex");
}

/** The text of an encrypted call; undefined when it is not for this key. */
export function openEncrypted(key: string, encrypted: string): string | undefined {
  const bytes = Buffer.from(encrypted, "base64");
  if (bytes.length < 32 || bytes.length % 16 !== 0) return undefined;
  const hash = createHash("sha256").update(key).digest();
  const decipher = createDecipheriv("aes-256-cbc", hash, bytes.subarray(0, 16));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(16)), decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}
