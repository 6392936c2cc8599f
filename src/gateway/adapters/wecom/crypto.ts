import { createDecipheriv } from "node:crypto";

const block = 32;

/** A file as WeCom encrypts it: AES-256-CBC, filled up to 32 bytes, the beginning of the key as the vector. */
export async function* decrypted(bytes: AsyncIterable<Uint8Array>, key: string): AsyncIterable<Uint8Array> {
  const raw = Buffer.from(key, "base64");
  if (raw.length !== 32) throw new Error("WeCom sent a key for the file that is none");
  const decipher = createDecipheriv("aes-256-cbc", raw, raw.subarray(0, 16)).setAutoPadding(false);
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of bytes) {
    const plain = Buffer.concat([held, decipher.update(chunk)]);
    // The filling is in the last block; what is before it can go on.
    const whole = Math.max(0, plain.length - block);
    held = plain.subarray(whole);
    if (whole > 0) yield plain.subarray(0, whole);
  }
  held = Buffer.concat([held, decipher.final()]);
  const filling = held.at(-1) ?? 0;
  if (filling < 1 || filling > held.length || held.subarray(-filling).some((byte) => byte !== filling))
    throw new Error("the file of WeCom does not open with its key");
  if (filling < held.length) yield held.subarray(0, held.length - filling);
}
