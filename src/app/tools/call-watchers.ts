import path from "node:path";
import { type Hooks, hookedCalls } from "#plugins";
import type { CallObserver, Checkpoints, ReadHistory, TerminalLeases, ToolAudit } from "#tools";
import type { ObservedTurn } from "../toolbox.ts";

export interface CallWatchers {
  readonly hooks: Hooks;
  readonly audit: ToolAudit;
  readonly history: ReadHistory;
  readonly leases: TerminalLeases;
  /** Where terminals start that do not exist yet. */
  readonly cwd: string;
  /** Absent: no snapshots. */
  readonly checkpoints?: Checkpoints;
}

/** Everything that watches the calls of a turn. The audit is last, so that it sees the arguments as they ran. */
export function watchCalls(watchers: CallWatchers, turn: ObservedTurn): readonly CallObserver[] {
  const { hooks, audit, history, checkpoints } = watchers;
  return [
    hookedCalls(hooks, turn),
    freshLooks(history, turn.taskId),
    ...(checkpoints === undefined ? [] : [snapshotsBeforeCommands(watchers, checkpoints, turn)]),
    audit.observe({
      sessionId: turn.sessionId,
      sessionKey: turn.sessionKey ?? "",
      taskId: turn.taskId,
      surface: turn.surface ?? "",
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
  { leases, cwd }: CallWatchers,
  checkpoints: Checkpoints,
  { taskId, signal }: ObservedTurn,
): CallObserver {
  return {
    async beforeCall(call, args) {
      const { command, workdir } = args;
      if (call.function.name !== "terminal" || typeof command !== "string" || !mayDestroy(command)) return undefined;
      const live = leases.peek(taskId)?.cwd ?? cwd;
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
