import { collectSecrets, type LoadedConfig } from "#config";
import { Redactor } from "#foundation/secrets/redact";
import { MaskMemory } from "#tools";

export interface Redaction {
  readonly redactor: Redactor;
  /** What tool output passes; nothing is changed with `security.redact_secrets: false`. */
  redact(text: string): string;
  /** A mask that was shown and comes back to be written. */
  findMask(text: string): string | undefined;
}

/** Teaches a redactor every credential this run knows: from the environment and from the settings. */
export function openRedaction(loaded: LoadedConfig, redactor: Redactor = new Redactor()): Redaction {
  for (const { name, secret } of loaded.secrets.all()) redactor.add(secret, name);
  for (const secret of [...collectSecrets(loaded.config), ...collectSecrets(loaded.unknown)]) redactor.add(secret);
  const masks = new MaskMemory(redactor);
  const isOn = loaded.config.security.redact_secrets;
  return { redactor, redact: isOn ? masks.redact : (text) => text, findMask: masks.find };
}
