import { randomBytes } from "node:crypto";

declare const brand: unique symbol;

/** A `T` that only code which knows what it is doing may create: `value as SessionId`. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
const timeCharacters = 10;
const randomByteCount = 10;

/**
 * A prefixed id that sorts by the time it was made: `msg_` + 48 bits of milliseconds + 80 random
 * bits, in lower-case Crockford base 32. Two ids of the same millisecond sort in any order.
 */
export function newId(prefix: string): string {
  return `${prefix}_${encodeTime(Date.now())}${encodeBytes(randomBytes(randomByteCount))}`;
}

function encodeTime(timeMs: number): string {
  let rest = timeMs;
  let text = "";
  for (let i = 0; i < timeCharacters; i += 1) {
    text = alphabet.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

/** Ten bytes are exactly sixteen groups of five bits, so nothing is left over. */
function encodeBytes(bytes: Uint8Array): string {
  let text = "";
  let bits = 0;
  let bitCount = 0;
  for (const byte of bytes) {
    bits = (bits << 8) | byte;
    bitCount += 8;
    while (bitCount >= 5) {
      bitCount -= 5;
      text += alphabet.charAt((bits >> bitCount) & 31);
      bits &= (1 << bitCount) - 1;
    }
  }
  return text;
}
