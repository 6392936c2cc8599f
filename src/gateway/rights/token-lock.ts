import { createHash } from "node:crypto";
import { homedir } from "node:os";
import path from "node:path";
import { readTextFile, withFileLock } from "#foundation/files/files";
import { ConnectionError } from "../platform/platform.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The file that stands for a credential. Its name says nothing about it. */
export function tokenLockFile(
  { scope, identity }: { readonly scope: string; readonly identity: string },
  env: Environment,
): string {
  const state = env["XDG_STATE_HOME"] ?? path.join(env["HOME"] ?? homedir(), ".local", "state");
  const folder = env["HERMES_GATEWAY_LOCK_DIR"] ?? path.join(state, "hermes", "gateway-locks");
  const hash = createHash("sha256").update(identity).digest("hex").slice(0, 16);
  return path.join(folder, `${scope}-${hash}.lock`);
}

/** Works while no other process of this machine uses the credential; refuses at once when one does. */
export async function withTokenLock<T>(
  lock: { readonly scope: string; readonly identity: string } | undefined,
  { env, signal }: { readonly env: Environment; readonly signal: AbortSignal },
  work: () => Promise<T>,
): Promise<T> {
  if (lock === undefined || lock.identity === "") return await work();
  const file = tokenLockFile(lock, env);
  let isHeld = false;
  try {
    return await withFileLock(
      file,
      () => {
        isHeld = true;
        return work();
      },
      { signal, timeoutMs: 500 },
    );
  } catch (error) {
    if (isHeld || signal.aborted) throw error;
    const [, pid = "?"] = /"pid":\s*(\d+)/u.exec((await readTextFile(file, { maxBytes: 4_096 })) ?? "") ?? [];
    throw new ConnectionError(`${lock.scope}_lock`, `Another gateway (process ${pid}) uses this account already.`, {
      isRetryable: false,
      cause: error,
    });
  }
}
