import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Machine } from "#config";
import { ChangeCover } from "../files/snapshots/change-cover.ts";
import { WorkspaceSnapshots } from "../files/snapshots/workspace-snapshots.ts";
import type { ToolRegistry } from "../registry/registry.ts";
import type { Terminals } from "./open-terminals.ts";
import type { ToolsBase } from "./tools-base.ts";

/** Snapshots of workspaces, and what takes them before anything changes files. */
export function openSnapshots(
  { machine, config, scope, redact }: ToolsBase,
  { terminals, registry }: { readonly terminals: Terminals; readonly registry: ToolRegistry },
): { readonly snapshots: WorkspaceSnapshots; readonly cover: ChangeCover } {
  const snapshots = workspaceSnapshots(machine);
  const cover = scope.adopt(
    new ChangeCover({
      snapshots,
      isEnabled: config.checkpoints.enabled,
      home: machine.userHome,
      clock: machine.clock,
      logger: machine.logger,
      isLocal: (of) => (of.terminal.kind ?? terminals.kind) === "local",
      cwdOf: (taskId) => terminals.leases.peek(taskId)?.cwd,
      toolNamed: (name) => registry.snapshot().tools.get(name),
      redact,
    }),
  );
  return { snapshots, cover };
}

/** The snapshots of a home, as its settings want them. */
export function workspaceSnapshots({
  home,
  userHome,
  loaded,
  clock,
  logger,
}: Pick<Machine, "home" | "userHome" | "loaded" | "clock" | "logger">): WorkspaceSnapshots {
  const { max_snapshots, timeout } = loaded.config.checkpoints;
  return new WorkspaceSnapshots({
    folder: path.join(home.checkpoints, "snapshots"),
    maxSnapshots: max_snapshots,
    timeoutMs: timeout * 1000,
    notProjects: [...new Set([userHome, tmpdir()].flatMap((one) => [one, realOf(one)]))],
    excluded: realOf(home.installRoot),
    clock,
    logger,
  });
}

function realOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    // Not there yet: then nothing leads to it by another name.
    return folder;
  }
}
