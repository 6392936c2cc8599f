import type { SessionId } from "#conversation";
import { Scope } from "#foundation/lifecycle/disposal";
import { leaseOwner, openStore } from "#store";
import type { BorrowOptions, OpenOptions, OpenSession, SessionService } from "./api.ts";
import { SessionFront } from "./front/session-front.ts";
import { Lending } from "./lending.ts";
import { findSession, newestSession } from "./search/lineage.ts";
import { noteFolder } from "./search/session-folder.ts";
import type { SessionDeps } from "./session-deps.ts";
import type { SessionSettings } from "./settings.ts";
import { storedRecords } from "./turns/agent-records.ts";
import { BackgroundWork } from "./turns/background-work.ts";

/** The one back end of all surfaces. Owns the sessions it opens and closes those that are still open. */
export function createSessionService(deps: SessionDeps): SessionService {
  const open = new Set<SessionFront>();
  const work = new BackgroundWork(deps.logger);
  const { autoPrune } = deps.settings;
  if (autoPrune !== undefined)
    work.start("auto-prune", (signal) => deps.store.maintenance.autoPrune({ ...autoPrune, signal }));
  let isClosed = false;
  const openOne = async (options: OpenOptions, isAlone = false): Promise<SessionFront> => {
    if (isClosed) throw new Error("The session service is closed.");
    const own = new Scope();
    try {
      const session = await SessionFront.open({
        session: options.isStored === false ? await unstored(deps, own) : deps,
        options,
        // Two of one process hold a session in turns, like two programs.
        owner: leaseOwner(),
        isAlone: isAlone && options.isStored !== false && options.isInteractive,
        openOther: (other) => openOne(other),
        async onClosed(gone) {
          open.delete(gone);
          await own[Symbol.asyncDispose]();
        },
      });
      open.add(session);
      const { cwd: folder, isInteractive } = options;
      if (options.isStored !== false)
        work.start("noting the folder", () =>
          noteFolder(deps.store, session.info.rootId, { folder, isOneShot: !isInteractive }),
        );
      return session;
    } catch (error) {
      await own[Symbol.asyncDispose]();
      throw error;
    }
  };
  const lending = new Lending({
    clock: deps.clock,
    settings: deps.settings,
    work,
    open: (options) => openOne(options),
    tipOf: async (id) => (await deps.store.sessions.resumeTarget(id)) ?? id,
  });
  return {
    open: (options) => openOne(options, true),
    borrow: (options: BorrowOptions): Promise<OpenSession> => lending.borrow(options),
    find: (idOrTitle: string): Promise<SessionId | undefined> => findSession(deps.store, idOrTitle),
    live: () => [...open].map(({ info, requests }) => ({ info, requests })),
    newest: (source, folder) => newestSession(deps.store, source, folder),
    async [Symbol.asyncDispose]() {
      isClosed = true;
      await lending[Symbol.asyncDispose]();
      await Promise.all([...open].map((session) => session[Symbol.asyncDispose]()));
      await work[Symbol.asyncDispose]();
    },
  };
}

/** The same for a session of which nothing is kept: a store of its own that ends with it. */
async function unstored(deps: SessionDeps, scope: Scope): Promise<SessionDeps> {
  const { clock, logger } = deps;
  const store = scope.adopt(await openStore({ memory: true }, { clock, log: logger }));
  const records = scope.adopt(storedRecords(store, clock, logger));
  const settings = Object.create(deps.settings, {
    writesSessionLog: { value: false },
    suggestsTitles: { value: false },
  }) as SessionSettings;
  return { ...deps, store, records, settings };
}
