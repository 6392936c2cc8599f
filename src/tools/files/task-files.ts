import { readdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import { describe } from "#foundation/errors";
import { ensureDir, writeFileAtomic } from "#foundation/files/files";
import type { Logger } from "#foundation/files/logger";
import { deadline } from "#foundation/lifecycle/abort";
import type { Clock } from "#foundation/time/clock";
import type { PathGuard } from "../confinement/path-guard.ts";
import type { ToolContext } from "../contract/context.ts";
import type { ResultFiles } from "../contract/output-limit.ts";
import { ToolFailure } from "../contract/result.ts";
import type { ToolTask } from "../contract/session-scope.ts";
import type { TerminalLeases } from "../contract/terminal.ts";

const keepTimeoutMs = 30_000;

/** Keeps long results in the terminal of a task, where its file tools can read them. */
export function resultFiles(leases: TerminalLeases, task: ToolTask, logger: Logger): ResultFiles {
  return {
    async keep(callId, text) {
      using limit = deadline(keepTimeoutMs);
      try {
        const terminal = await leases.take(task, limit.signal);
        // Programs write in the folder for temporary files, too: a link that one put there is not followed.
        const temporary = await terminal.files.realPath(terminal.tempDir, limit.signal);
        const file = path.posix.join(temporary, "hermes-results", `${safeName(callId)}.txt`);
        await (terminal.files.resolved ?? terminal.files).write(file, Buffer.from(text), limit.signal);
        return file;
      } catch (error) {
        logger.warn("a long result could not be kept", { taskId: task.taskId, callId, error: describe(error) });
        return undefined;
      }
    },
  };
}

const keptMs = 3 * 24 * 60 * 60 * 1000;

/** Keeps texts on this machine, for what is not of one task; what lies there for three days goes. */
export function folderFiles(
  folder: string,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): ResultFiles {
  let swept: Promise<void> | undefined;
  return {
    async keep(name, text) {
      const file = path.join(folder, `${safeName(name)}.txt`);
      try {
        await ensureDir(folder, 0o700);
        swept ??= sweep(folder, clock.now() - keptMs);
        await swept;
        await writeFileAtomic(file, text, { mode: 0o600 });
        return file;
      } catch (error) {
        logger.warn("a long text could not be kept", { file, error: describe(error) });
        return undefined;
      }
    },
  };
}

async function sweep(folder: string, oldestMs: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const file = path.join(folder, name);
    const facts = await stat(file).catch(() => undefined);
    if (facts !== undefined && facts.mtimeMs < oldestMs) await rm(file, { recursive: true, force: true });
  }
}

export interface GuardedFiles {
  /** Reads a file of the task, where that is allowed; a `ToolFailure` says why not. */
  read(input: string, maxBytes: number, context: ToolContext): Promise<Uint8Array>;
  /** The path that may be written in place of the given one; a `ToolFailure` says why not. */
  writable(input: string, context: ToolContext): Promise<string>;
}

/** Files for tools that are not file tools, behind the same guard. */
export function guardedFiles(leases: TerminalLeases, guard: PathGuard): GuardedFiles {
  const open = async (input: string, use: "read" | "write", context: ToolContext) => {
    const terminal = await leases.take(context, context.signal);
    const expanded = input === "~" || input.startsWith("~/") ? `${terminal.home}${input.slice(1)}` : input;
    const { scope, taskId, callId, signal } = context;
    const verdict = await guard(path.posix.resolve(terminal.cwd, expanded), use, {
      terminal,
      scope,
      taskId,
      callId,
      signal,
    });
    if (verdict.kind === "refused") throw new ToolFailure(verdict.reason, { path: input });
    return { terminal, files: terminal.files.resolved ?? terminal.files, real: verdict.realPath };
  };
  return {
    async read(input, maxBytes, context) {
      const { files, real } = await open(input, "read", context);
      const { signal } = context;
      const facts = await files.stat(real, { followLinks: true, signal });
      if (facts?.kind !== "file") throw new ToolFailure(`${input} is not a file that is there`);
      if (facts.size > maxBytes) throw new ToolFailure(`${input} has ${facts.size} bytes, more than ${maxBytes}`);
      return files.read(real, { maxBytes, signal });
    },
    async writable(input, context) {
      const { terminal, real } = await open(input, "write", context);
      // What is written there is written by this process, so it must be this machine.
      if (terminal.kind !== "local") throw new ToolFailure(`${input} lies in another machine; leave the path out`);
      return real;
    },
  };
}

function safeName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 150);
}
