import type { SessionId } from "#conversation";
import type { BorrowOptions, OpenOptions, OpenSession, SessionService } from "./api.ts";
import { SessionFront } from "./front/session-front.ts";
import { Lending } from "./lending.ts";
import { findSession, newestSession } from "./search/lineage.ts";
import type { SessionDeps } from "./session-deps.ts";
import { BackgroundWork } from "./turns/background-work.ts";
import { leaseOwner } from "./turns/turn-lease.ts";

/** The one back end of all surfaces. Owns the sessions it opens and closes those that are still open. */
export function createSessionService(deps: SessionDeps): SessionService {
  const open = new Set<SessionFront>();
  const work = new BackgroundWork(deps.logger);
  const { autoPrune } = deps.settings;
  if (autoPrune !== undefined)
    work.start("auto-prune", (signal) => deps.store.maintenance.autoPrune({ ...autoPrune, signal }));
  let isClosed = false;
  const openOne = async (options: OpenOptions): Promise<SessionFront> => {
    if (isClosed) throw new Error("The session service is closed.");
    const session = await SessionFront.open({
      session: deps,
      options,
      // Two of one process hold a session in turns, like two programs.
      owner: leaseOwner(),
      openOther: openOne,
      onClosed: (gone) => open.delete(gone),
    });
    open.add(session);
    return session;
  };
  const lending = new Lending({
    clock: deps.clock,
    settings: deps.settings,
    work,
    open: openOne,
    tipOf: async (id) => (await deps.store.sessions.resumeTarget(id)) ?? id,
  });
  return {
    open: openOne,
    borrow: (options: BorrowOptions): Promise<OpenSession> => lending.borrow(options),
    find: (idOrTitle: string): Promise<SessionId | undefined> => findSession(deps.store, idOrTitle),
    newest: (source: string): Promise<SessionId | undefined> => newestSession(deps.store, source),
    async [Symbol.asyncDispose]() {
      isClosed = true;
      await lending[Symbol.asyncDispose]();
      await Promise.all([...open].map((session) => session[Symbol.asyncDispose]()));
      await work[Symbol.asyncDispose]();
    },
  };
}
