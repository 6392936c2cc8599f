import { appendFile, mkdir } from "node:fs/promises";
import path from "node:path";
import type { ApprovalChoice } from "#conversation";
import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";

/** One decision of the gate. */
export interface AuditEntry {
  readonly atMs: number;
  readonly sessionKey: string;
  readonly taskId: string;
  /** The call it was about, where there is one. */
  readonly callId?: string;
  readonly tool: string;
  readonly surface: string;
  readonly command: string;
  readonly keys: readonly string[];
  readonly verdict: "run" | "blocked";
  readonly why: string;
  readonly choice?: ApprovalChoice;
}

/** Appends decisions to a file, one JSON line each, in order and redacted. A full disk never stops a command. */
export function auditFile(
  file: string,
  deps: { readonly redact: (text: string) => string; readonly logger: Logger },
): ((entry: AuditEntry) => void) & AsyncDisposable {
  let tail = Promise.resolve();
  const write = (entry: AuditEntry): void => {
    const line = `${deps.redact(JSON.stringify({ ...entry, at: new Date(entry.atMs).toISOString() }))}\n`;
    tail = tail
      .then(() => mkdir(path.dirname(file), { recursive: true }))
      .then(() => appendFile(file, line, { mode: 0o600 }))
      .catch((error: unknown) =>
        deps.logger.warn("a decision could not be written to the audit file", { error: describe(error) }),
      );
  };
  return Object.assign(write, { [Symbol.asyncDispose]: () => tail });
}
