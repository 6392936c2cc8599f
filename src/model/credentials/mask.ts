import { Secret } from "#foundation/secrets/secret";

/** A key as people may see it: the first and last four characters, or nothing of a short one. */
export function maskKey(key: Secret | string): string {
  const value = key instanceof Secret ? key.reveal() : key;
  return value.length < 12 ? "***" : `${value.slice(0, 4)}...${value.slice(-4)}`;
}
