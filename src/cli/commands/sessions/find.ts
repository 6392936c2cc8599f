import type { SessionId } from "#conversation";
import { UserError } from "#foundation/errors";
import type { Store } from "#store";

/** The session that is meant by an id, the beginning of one, or a title. */
export async function findSession(store: Store | undefined, wanted: string): Promise<SessionId> {
  const id = (await store?.sessions.resolveId(wanted)) ?? (await store?.sessions.resolveTitle(wanted));
  if (id !== undefined) return id;
  const matches = (await store?.sessions.list({ limit: 200 }))?.filter((one) => one.id.startsWith(wanted)) ?? [];
  if (matches.length > 1)
    throw new UserError(`${matches.length === 200 ? "Many" : matches.length} sessions begin with "${wanted}".`, {
      code: "session_ambiguous",
      hint: `Type more of the id: ${matches
        .slice(0, 3)
        .map(({ id }) => id)
        .join(", ")}${matches.length > 3 ? ", ..." : ""}`,
    });
  throw new UserError(`There is no session "${wanted}".`, {
    code: "session_not_found",
    hint: "See them with: hermes sessions list",
  });
}
