import type { SessionId } from "#conversation";
import type { OpenSession, OpenWish, SessionService } from "./api.ts";
import { BackgroundWork } from "./background-work.ts";
import { catalogProblems } from "./commands/catalog.ts";
import { builtinCommands } from "./commands/index.ts";
import { findSession, newestSession } from "./lineage.ts";
import { LiveSession } from "./open-session.ts";
import type { SessionDeps } from "./session-deps.ts";
import { leaseOwner } from "./turn-lease.ts";

/** The one back end of all surfaces. Owns the sessions it opens and closes those that are still open. */
export function createSessionService(deps: SessionDeps): SessionService {
  const problems = catalogProblems([...builtinCommands, ...(deps.commands ?? [])]);
  if (problems.length > 0) throw new Error(`The commands contradict each other: ${problems.join("; ")}`);
  const owner = leaseOwner();
  const open = new Set<LiveSession>();
  const work = new BackgroundWork(deps.logger);
  const { autoPrune } = deps.settings;
  if (autoPrune !== undefined)
    work.start("auto-prune", (signal) => deps.store.maintenance.autoPrune({ ...autoPrune, signal }));
  let isClosed = false;
  const openOne = async (wish: OpenWish): Promise<OpenSession> => {
    if (isClosed) throw new Error("The session service is closed.");
    const session = await LiveSession.open({
      deps,
      wish,
      owner,
      openOther: openOne,
      onClosed: (gone) => open.delete(gone),
    });
    open.add(session);
    return session;
  };
  return {
    open: openOne,
    find: (idOrTitle: string): Promise<SessionId | undefined> => findSession(deps.store, idOrTitle),
    newest: (source: string): Promise<SessionId | undefined> => newestSession(deps.store, source),
    async [Symbol.asyncDispose]() {
      isClosed = true;
      await Promise.all([...open].map((session) => session[Symbol.asyncDispose]()));
      await work[Symbol.asyncDispose]();
    },
  };
}
