import { UserError } from "#foundation/errors";
import { withFileLock, writeFileAtomic } from "#foundation/files/files";
import type { HermesHome } from "#foundation/files/paths";
import { never } from "#foundation/lifecycle/abort";
import type { Secret } from "#foundation/secrets/secret";
import { removeFromEnv, setInEnv } from "../load/env-file.ts";
import { decodeEnvBytes, secretFileMode } from "../load/variables.ts";
import { managedBy, managedError } from "../managed.ts";
import { readBytes } from "../source.ts";

export interface SecretWriteOptions {
  readonly home: HermesHome;
  readonly env: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal | undefined;
}

/** Writes one variable to the home's `.env`; all other lines stay as they are. */
export async function writeSecret(name: string, value: Secret, options: SecretWriteOptions): Promise<void> {
  checkName(name);
  if (value.reveal().includes("\0")) {
    throw new UserError(`The value for ${name} holds a NUL character.`, { exitCode: 2 });
  }
  await changeEnvFile(options, (text) => setInEnv(text, name, value.reveal()));
}

/** Removes variables from the home's `.env`. True when at least one was there. */
export async function removeSecrets(names: readonly string[], options: SecretWriteOptions): Promise<boolean> {
  names.forEach(checkName);
  return await changeEnvFile(options, (text) => names.reduce((current, name) => removeFromEnv(current, name), text));
}

async function changeEnvFile(options: SecretWriteOptions, change: (text: string) => string): Promise<boolean> {
  const { home, env } = options;
  const manager = managedBy(home, env);
  if (manager !== undefined) throw managedError(manager, home.envFile);
  const work = async () => {
    const before = decodeEnvBytes(readBytes(home.envFile) ?? Buffer.alloc(0)).text;
    const after = change(before);
    if (after !== before) await writeFileAtomic(home.envFile, after, { mode: secretFileMode });
    return after !== before;
  };
  return await withFileLock(home.at(".env.lock"), work, { signal: options.signal ?? never });
}

function checkName(name: string): void {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return;
  throw new UserError(`"${name}" is not the name of a variable.`, { exitCode: 2, hint: "Use letters, digits and _." });
}
