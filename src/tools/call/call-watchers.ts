import path from "node:path";
import type { ToolAudit } from "../approval/tool-audit.ts";
import type { Checkpoints } from "../files/checkpoints.ts";
import type { ReadHistory } from "../files/read-history.ts";
import type { TerminalKind, TerminalLeases } from "../terminals/terminal.ts";
import type { CallObserver } from "./call-state.ts";
import type { ObservedTurn, ToolExtensions } from "./tool-extensions.ts";

export interface CallWatchers {
  readonly audit: ToolAudit;
  readonly history: ReadHistory;
  readonly leases: TerminalLeases;
  /** Absent: no snapshots. */
  readonly checkpoints?: Checkpoints | undefined;
  /** Of sessions that choose none. */
  readonly terminalKind: TerminalKind;
  readonly extensions: Pick<ToolExtensions, "observe">;
}

/** Everything that watches the calls of a turn. The audit is last, so that it sees the arguments as they ran. */
export function watchCalls(watchers: CallWatchers, turn: ObservedTurn): readonly CallObserver[] {
  const { audit, history, checkpoints } = watchers;
  // Snapshots are of folders on this machine.
  const isLocal = (turn.scope.terminal.kind ?? watchers.terminalKind) === "local";
  return [
    watchers.extensions.observe(turn),
    freshLooks(history, turn.taskId),
    ...(checkpoints === undefined || !isLocal ? [] : [snapshotsBeforeCommands(watchers, checkpoints, turn)]),
    audit.observe({
      sessionId: turn.sessionId,
      sessionKey: turn.scope.key,
      taskId: turn.taskId,
      surface: turn.scope.source,
    }),
  ];
}

const looks: ReadonlySet<string> = new Set(["read_file", "search_files"]);

/** A model that did something else in between may look at the same place again. */
function freshLooks(history: ReadHistory, taskId: string): CallObserver {
  return {
    onStart: ({ function: { name } }) => {
      if (!looks.has(name)) history.reset(taskId);
    },
  };
}

/** The file tools see to their own snapshots; commands that overwrite or delete get one of the folder they run in. */
function snapshotsBeforeCommands(
  { leases }: CallWatchers,
  checkpoints: Checkpoints,
  { taskId, scope, signal }: ObservedTurn,
): CallObserver {
  return {
    async beforeCall(call, args) {
      const { command, workdir } = args;
      if (call.function.name !== "terminal" || typeof command !== "string" || !mayDestroy(command)) return undefined;
      const live = leases.peek(taskId)?.cwd ?? scope.cwd;
      const folder = typeof workdir === "string" ? path.resolve(live, workdir) : live;
      await checkpoints.before({ paths: [path.join(folder, "any")], reason: reasonOf(command), signal });
      return undefined;
    },
  };
}

const destroyers =
  /(?:^|[;&|(\n`{]|\b(?:then|do|else|sudo|xargs|exec|env)\b)\s*(?:\w+=\S*\s+)*(?:rm|rmdir|cp|install|mv|truncate|dd|shred)\s/;
const editsInPlace = /\bsed\s+(?:\S+\s+)*?-\w*i/;
const gitMoves = /\bgit\s+(?:-\S+\s+(?:\S+\s+)?)*?(?:reset|clean|checkout)\b/;
const overwrites = /(?:^|[^>&=<-])>(?![>&(])\|?\s*(?!\/dev\/)\S/;

/** Whether a command looks as if it deleted or overwrote files. A wrong yes costs a snapshot, nothing else. */
export function mayDestroy(command: string): boolean {
  return [destroyers, editsInPlace, gitMoves, overwrites].some((shape) => shape.test(command));
}

function reasonOf(command: string): string {
  const [line = ""] = command.trim().split("\n");
  return `before: ${line.slice(0, 100)}`;
}
