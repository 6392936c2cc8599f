import { UserError } from "#foundation/errors";
import type { Store } from "#store";

/**
 * What a process of the gateway does: `ingress` holds the connections to platforms, takes messages in and sends what is
 * owed; `worker` runs the turns; `scheduler` runs jobs and maintenance; `api` serves HTTP.
 */
export const roles = ["ingress", "worker", "scheduler", "api"] as const;
export type Role = (typeof roles)[number];

/** The roles of this process: those named, or all. Work is shared among processes only where they share a server. */
export function rolesOf(named: readonly string[], store: Pick<Store, "kind">): ReadonlySet<Role> {
  const chosen = new Set<Role>(named.length === 0 ? roles : named.map(roleOf));
  if (chosen.size < roles.length && store.kind !== "postgres")
    throw new UserError(
      `The gateway cannot be divided here: ${[...chosen].join(", ")} alone would leave work undone.`,
      {
        hint: "Roles need a database that several processes share: set store.url to a PostgreSQL server, or leave out --role (and gateway.roles).",
        code: "roles_need_postgres",
      },
    );
  return chosen;
}

function roleOf(word: string): Role {
  const role = roles.find((one) => one === word.trim().toLowerCase());
  if (role !== undefined) return role;
  throw new UserError(`There is no role ${word}.`, { hint: `There are: ${roles.join(", ")}` });
}
