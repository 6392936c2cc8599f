import { UserError } from "#foundation/errors";

/** Turns the text of a column into what only the holder of the key can read, and back. */
export interface Sealer {
  seal(text: string): string;
  /** Text that was written without a key is given as it is. */
  open(text: string): string;
}

/** What sealed text begins with; a column holds it as a JSON text. */
export const sealMark = "sealed:v1:";

/** A value as its column holds it. */
export function sealed(value: unknown, sealer: Sealer | undefined): string {
  const text = JSON.stringify(value ?? null);
  return sealer === undefined ? text : sealer.seal(text);
}

/** Whether a column holds what a sealer wrote. */
export function isSealed(text: string): boolean {
  return text.startsWith(`"${sealMark}`);
}

/** What a column says; without the key, what was sealed is no message and must not be taken for one. */
export function opened(text: string, sealer: Sealer | undefined): string {
  if (sealer !== undefined) return sealer.open(text);
  if (!isSealed(text)) return text;
  throw new UserError("A stored message is encrypted, and its key is not here.", {
    hint: "Name the key file: gateway.encryption_key_file",
  });
}
