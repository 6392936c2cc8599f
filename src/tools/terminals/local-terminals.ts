import type { Logger } from "#foundation/files/logger";
import { Scope } from "#foundation/lifecycle/disposal";
import type { Clock } from "#foundation/time/clock";
import { Guardian } from "./guardian.ts";
import { LeaseTable } from "./lease.ts";
import { localOpener } from "./open-terminal.ts";
import type { ProcessEvent } from "./processes/process-event.ts";
import { ProcessTable } from "./processes/process-table.ts";
import { openSandbox, type Sandbox, type SandboxOptions } from "./sandbox.ts";
import type { TerminalLeases } from "./terminal.ts";

interface LocalTerminalsOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly hermesHome: string;
  readonly sandbox: SandboxOptions;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly recordFile: string;
  readonly outputDir: string;
  redact(text: string): string;
  onEvent?(event: ProcessEvent): void;
  /** Something a person should know, once: that commands run without a sandbox. */
  onNotice?(text: string): void;
}

/** The terminals of this machine and the processes started in them, with one owner. */
export interface LocalTerminals extends AsyncDisposable {
  readonly leases: TerminalLeases;
  readonly processes: ProcessTable;
  readonly guardian: Guardian;
}

export function openLocalTerminals(options: LocalTerminalsOptions): LocalTerminals {
  const scope = new Scope();
  const { clock, logger } = options;
  const guardian = scope.adopt(new Guardian(logger));
  const processes: ProcessTable = new ProcessTable({
    clock,
    logger,
    recordFile: options.recordFile,
    outputDir: options.outputDir,
    redact: (text) => options.redact(text),
    onEvent: (event) => options.onEvent?.(event),
  });
  let sandbox: Promise<Sandbox> | undefined;
  const open = localOpener({
    env: options.env,
    environment: { policy: "inherit" },
    hermesHome: options.hermesHome,
    logger,
    guardian,
    sandbox: (_cwd, signal) => {
      sandbox ??= openSandbox(options.sandbox, signal).then((found) => {
        if (found.kind === "open" && found.notice !== undefined) options.onNotice?.(found.notice);
        return found;
      });
      return sandbox;
    },
  });
  const leases = new LeaseTable({
    open,
    hasProcesses: (taskId) => processes.hasActiveProcesses(taskId),
    clock,
    logger,
  });
  // Disposed in reverse: processes end before the terminals they run in, the guardian last.
  scope.adopt(leases);
  scope.adopt(processes);
  return { leases, processes, guardian, [Symbol.asyncDispose]: () => scope[Symbol.asyncDispose]() };
}
