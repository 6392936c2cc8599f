import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { timeLimit } from "#foundation/lifecycle/abort";
import type { Clock } from "#foundation/time/clock";
import { Latest } from "../support/latest.ts";
import { type DiscordApi, DiscordError } from "./api.ts";

export interface DirectRolesDeps {
  readonly api: DiscordApi;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whether roles let anybody in at all; nobody is looked up otherwise. */
  readonly isWanted: boolean;
}

const knownForMs = 300_000;
const mostUsers = 1_000;
const callMs = 10_000;

/** The roles of a person who writes in a direct chat: those in servers that they share with the bot. */
export class DirectRoles {
  readonly #deps: DirectRolesDeps;
  readonly #known = new Latest<{ readonly roles: readonly string[]; readonly atMs: number }>(mostUsers);

  constructor(deps: DirectRolesDeps) {
    this.#deps = deps;
  }

  /** None when they cannot be asked for: roles only let in. */
  async of(userId: string): Promise<readonly string[]> {
    const { clock, logger, isWanted } = this.#deps;
    if (!isWanted) return [];
    const known = this.#known.get(userId);
    if (known !== undefined && clock.now() - known.atMs < knownForMs) return known.roles;
    try {
      const roles = await this.#look(userId);
      this.#known.set(userId, { roles, atMs: clock.now() });
      return roles;
    } catch (error) {
      logger.warn("the roles of somebody cannot be told", { platform: "discord", error: describe(error) });
      return [];
    }
  }

  async #look(userId: string): Promise<readonly string[]> {
    const { api } = this.#deps;
    const get = <T>(path: string): Promise<T> => api<T>({ method: "GET", path }, timeLimit(callMs));
    const guilds = await get<readonly { readonly id: string }[]>("/users/@me/guilds");
    const members = await Promise.all(
      guilds.map(({ id }) =>
        get<{ readonly roles: readonly string[] }>(`/guilds/${id}/members/${userId}`).catch((error: unknown) => {
          // Not a member there.
          if (error instanceof DiscordError && error.status === 404) return { roles: [] };
          throw error;
        }),
      ),
    );
    return members.flatMap(({ roles }) => roles);
  }
}
