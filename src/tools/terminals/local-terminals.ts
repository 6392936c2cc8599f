import type { Clock } from "#foundation/clock";
import { Scope } from "#foundation/disposal";
import type { Logger } from "#foundation/logger";
import { LeaseTable } from "./lease.ts";
import { openLocalTerminal } from "./local/local-terminal.ts";
import type { ProcessEvent } from "./processes/process-event.ts";
import { ProcessTable } from "./processes/process-table.ts";
import type { TerminalLeases } from "./terminal.ts";

export interface LocalTerminalsOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly recordFile: string;
  readonly outputDir: string;
  redact(text: string): string;
  onEvent?(event: ProcessEvent): void;
}

/** The terminals of this machine and the processes started in them, with one owner. */
export interface LocalTerminals extends AsyncDisposable {
  readonly leases: TerminalLeases;
  readonly processes: ProcessTable;
}

export function openLocalTerminals(options: LocalTerminalsOptions): LocalTerminals {
  const scope = new Scope();
  const { clock, logger } = options;
  const processes: ProcessTable = new ProcessTable({
    clock,
    logger,
    recordFile: options.recordFile,
    outputDir: options.outputDir,
    redact: (text) => options.redact(text),
    onEvent: (event) => options.onEvent?.(event),
  });
  const leases = new LeaseTable({
    open: (taskId, overrides, signal) =>
      openLocalTerminal(
        { taskId, cwd: overrides.cwd ?? options.cwd, env: options.env, environment: { policy: "inherit" }, logger },
        signal,
      ),
    hasProcesses: (taskId) => processes.hasActiveProcesses(taskId),
    clock,
    logger,
  });
  // Disposed in reverse: processes end before the terminals they run in.
  scope.adopt(leases);
  scope.adopt(processes);
  return { leases, processes, [Symbol.asyncDispose]: () => scope[Symbol.asyncDispose]() };
}
