import type { OpenSessions, ToolSession } from "../call/open-sessions.ts";
import type { WebExits } from "../confinement/web-exits.ts";
import type { ChangeCover } from "../files/snapshots/change-cover.ts";
import type { Approval } from "./open-approval.ts";
import type { Mcp } from "./open-mcp.ts";
import type { Terminals } from "./open-terminals.ts";

export interface SessionDeps {
  readonly sessions: OpenSessions;
  readonly approval: Approval;
  readonly terminals: Terminals;
  readonly mcp: Mcp;
  readonly cover: ChangeCover;
  readonly exits: WebExits;
  /** Ends what one task holds. */
  release(taskId: string): Promise<void>;
}

/** A session that is over leaves nothing: neither what it holds nor what it was allowed. */
export function openSession(session: ToolSession, deps: SessionDeps): AsyncDisposable {
  const { sessions, approval, terminals, mcp, cover } = deps;
  const { key } = session.scope;
  sessions.add(session);
  cover.warmUp(session.scope);
  return {
    async [Symbol.asyncDispose]() {
      if (sessions.scope(key) !== session.scope) return;
      const tasks = sessions.remove(session);
      approval.grants.endSession(key);
      approval.yolo.endSession(key);
      approval.permissions.endSession(key);
      approval.plan.set(key, false);
      terminals.sudo.forget(key);
      terminals.variables.endSession(key);
      await terminals.processes.endSession(key);
      await Promise.all([
        ...tasks.map((taskId) => deps.release(taskId)),
        terminals.leases.endSession(key),
        terminals.scripts.endSession(key),
        mcp.endSession(key),
      ]);
      deps.exits.end(key);
      await terminals.walls.end(key);
    },
  };
}
