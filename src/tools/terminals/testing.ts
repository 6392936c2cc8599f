import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { Scope } from "#foundation/lifecycle/disposal";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { type Clock, systemClock } from "#foundation/time/clock";
import type { ApprovalGate } from "../contract/approval-request.ts";
import type { TerminalDeps } from "./command/call-options.ts";
import { LeaseTable } from "./lease.ts";
import type { TerminalWall } from "./local/local-terminal.ts";
import { type LocalTerminalOptions, openLocalTerminal } from "./local/local-terminal.ts";
import type { ProcessEvent } from "./processes/process-event.ts";
import { ProcessTable } from "./processes/process-table.ts";

export const allowingGate: ApprovalGate = {
  checkCommand: () => Promise.resolve({ kind: "run" }),
  checkFindings: () => Promise.resolve({ kind: "run" }),
};

/** Real local terminals and a real table of processes in a folder that goes away with them. For tests. */
export async function localWorkshop(
  changes: {
    readonly clock?: Clock;
    readonly gate?: ApprovalGate;
    readonly terminal?: Partial<LocalTerminalOptions>;
  } = {},
) {
  const folder = await realpath(await mkdtemp(path.join(os.tmpdir(), "hermes-workshop-")));
  const home = path.join(folder, "home");
  const cwd = path.join(folder, "work");
  await Promise.all([mkdir(home), mkdir(cwd)]);
  const scope = new Scope();
  scope.defer(() => rm(folder, { recursive: true, force: true }));
  const logger = memoryLogger();
  const events: ProcessEvent[] = [];
  const clock = changes.clock ?? systemClock;
  const redact = (text: string): string => text.replaceAll("hunter2", "***");
  const tableDeps = {
    clock,
    logger,
    recordFile: path.join(folder, "processes.json"),
    outputDir: path.join(folder, "processes"),
    redact,
    onEvent: (event: ProcessEvent) => void events.push(event),
  };
  const processes = scope.adopt(new ProcessTable(tableDeps));
  const env = { PATH: process.env["PATH"], HOME: home, TMPDIR: folder, LANG: "C.UTF-8" };
  const leases = scope.adopt(
    new LeaseTable({
      open: ({ taskId }, signal) =>
        openLocalTerminal(
          { taskId, cwd, env, environment: { policy: "inherit" }, logger, ...changes.terminal },
          signal,
        ),
      hasProcesses: (taskId) => processes.hasActiveProcesses(taskId),
      clock: systemClock,
      logger,
    }),
  );
  const deps: TerminalDeps = {
    leases,
    gate: changes.gate ?? allowingGate,
    processes,
    options: {
      kind: "local",
      home,
      defaultTimeoutMs: 180_000,
      maxForegroundMs: 600_000,
      maxOutputChars: 50_000,
    },
    redact,
  };
  return {
    folder,
    home,
    cwd,
    deps,
    leases,
    processes,
    tableDeps,
    events,
    logger,
    [Symbol.asyncDispose]: () => scope[Symbol.asyncDispose](),
  };
}

/** Where nothing holds programs inside. */
export const noWall: TerminalWall = {
  isInForce: false,
  isMissing: false,
  takeReached: () => undefined,
  environment: {},
  confine: (call) => call,
  begin: () => undefined,
  settle: () => Promise.resolve([]),
};
