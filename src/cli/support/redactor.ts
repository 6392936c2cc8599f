import { collectSecrets, type LoadedConfig } from "#config";
import { Redactor } from "#foundation/secrets/redact";
import { mapStrings } from "#foundation/text/json";
import type { Invocation } from "../command.ts";
import { loadSettings } from "./settings.ts";

export interface Redaction {
  redact(text: string): string;
  /** The same for every text inside a value, so that JSON stays JSON. */
  redactValue(value: unknown): unknown;
}

/** Masks every credential of the home and whatever has the shape of one, for text that leaves the house. */
export async function openRedactor(invocation: Invocation): Promise<Redaction> {
  const { loaded } = await loadSettings(invocation, { isQuiet: true });
  return redactionOf(loaded);
}

export function redactionOf(loaded: LoadedConfig): Redaction {
  const redactor = new Redactor();
  for (const { name, secret } of loaded.secrets.all()) redactor.add(secret, name);
  for (const secret of [...collectSecrets(loaded.config), ...collectSecrets(loaded.unknown)]) redactor.add(secret);
  return {
    redact: (text) => redactor.redact(text),
    redactValue: (value) => mapStrings(value, (text) => redactor.redact(text)),
  };
}
