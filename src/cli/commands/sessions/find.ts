import type { SessionId } from "#conversation";
import { UserError } from "#foundation/errors";
import type { Store } from "#store";

/** The session that is meant by an id, the beginning of one, or a title. */
export async function findSession(store: Store | undefined, wanted: string): Promise<SessionId> {
  const id = (await store?.sessions.resolveId(wanted)) ?? (await store?.sessions.resolveTitle(wanted));
  if (id !== undefined) return id;
  throw new UserError(`No single session is called "${wanted}".`, {
    code: "session_not_found",
    hint: "See them with: hermes sessions list",
  });
}
