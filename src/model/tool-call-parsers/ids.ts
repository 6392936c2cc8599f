import { createHash } from "node:crypto";
import type { FoundCall } from "./parser.ts";

/** Ids are derived from what the call says: the same text gives the same ids, so request prefixes stay stable. */
export function hexId(length: number): (call: FoundCall, index: number) => string {
  return (call, index) => `call_${digest(call, index).toString("hex").slice(0, length)}`;
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** Nine letters and digits, the only form Mistral's templates accept. */
export function mistralId(call: FoundCall, index: number): string {
  return [...digest(call, index).subarray(0, 9)].map((byte) => alphabet[byte % alphabet.length]).join("");
}

function digest(call: FoundCall, index: number): Buffer {
  return createHash("sha256").update(`${call.name}:${call.arguments}:${index}`).digest();
}
