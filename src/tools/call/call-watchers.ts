import type { ToolAudit } from "../approval/tool-audit.ts";
import type { CallObserver } from "../contract/call-state.ts";
import type { Tool } from "../contract/tool.ts";
import type { ObservedTurn, ToolExtensions } from "../contract/tool-extensions.ts";
import type { ReadHistory } from "../files/read-history.ts";
import type { ChangeCover } from "../files/snapshots/change-cover.ts";

export interface CallWatchers {
  readonly audit: ToolAudit;
  readonly history: ReadHistory;
  readonly cover: ChangeCover;
  readonly extensions: Pick<ToolExtensions, "observe">;
  /** What the rules of the person say about each call. */
  judge(turn: ObservedTurn): CallObserver;
  toolNamed(name: string): Tool | undefined;
}

/** Everything that watches the calls of a turn. The audit is last, so that it sees the arguments as they ran. */
export function watchCalls(watchers: CallWatchers, turn: ObservedTurn): readonly CallObserver[] {
  const { audit, cover } = watchers;
  if (turn.turn !== undefined) cover.begin(turn.scope, turn.turn);
  return [
    watchers.extensions.observe(turn),
    watchers.judge(turn),
    freshLooks(watchers, turn.taskId),
    cover.observer(turn, turn.signal),
    audit.observe({
      sessionId: turn.sessionId,
      sessionKey: turn.scope.key,
      taskId: turn.taskId,
      surface: turn.scope.source,
    }),
  ];
}

/** A model that did something else in between may look at the same place again. */
function freshLooks({ history, toolNamed }: CallWatchers, taskId: string): CallObserver {
  return {
    onStart: ({ function: { name } }) => {
      if (toolNamed(name)?.countsRepeats !== true) history.reset(taskId);
    },
  };
}
