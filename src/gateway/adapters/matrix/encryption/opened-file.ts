import { createDecipheriv, createHash } from "node:crypto";
import { isRecord, parseJson } from "#foundation/text/json";
import { type Fields, fieldsAt, textAt } from "../../support/fields.ts";

const largestFile = 100 * 1024 * 1024;

/** The bytes of an encrypted file, given when all of it has the hash that the message names. */
export async function* openedFile(bytes: AsyncIterable<Uint8Array>, keyText: string): AsyncIterable<Uint8Array> {
  const parsed = parseJson(keyText);
  const info: Fields = parsed.ok && isRecord(parsed.value) ? parsed.value : {};
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > largestFile) throw new Error("an encrypted file is too large");
    chunks.push(chunk);
  }
  const whole = Buffer.concat(chunks);
  const expected = textAt(fieldsAt(info, "hashes"), "sha256").replace(/=+$/u, "");
  const found = createHash("sha256").update(whole).digest("base64").replace(/=+$/u, "");
  if (expected === "" || found !== expected) throw new Error("an encrypted file is not what was sent");
  const key = Buffer.from(textAt(fieldsAt(info, "key"), "k"), "base64url");
  const decipher = createDecipheriv("aes-256-ctr", key, Buffer.from(textAt(info, "iv"), "base64"));
  yield decipher.update(whole);
  yield decipher.final();
}
