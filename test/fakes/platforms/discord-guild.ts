/** What a message in a channel is, for those who fetch it. */
export interface ShownMessage {
  readonly id: string;
  readonly channelId: string;
  readonly content: string;
}

/** One server with a few channels, roles and members; the REST calls that read and manage it. */
export class DiscordGuild {
  readonly roles = new Set<string>(["910"]);
  readonly pinned = new Set<string>();
  /** Members and message content are switched on. */
  flags = (1 << 14) | (1 << 18);

  /** Undefined where the call is none of these. */
  act(call: { readonly method: string; readonly path: string }, shown: readonly ShownMessage[]): unknown {
    const { method, path } = call;
    const [at = "", query = ""] = path.split("?");
    if (at === "/applications/@me") return { id: "42", flags: this.flags };
    if (at === "/users/@me/guilds") return [{ id: "900", name: "Reading club", owner: false, icon: null }];
    const [, inGuild] = /^\/guilds\/(\d+)(?:\/|$)/u.exec(at) ?? [];
    if (inGuild !== undefined && inGuild !== "900") throw refused(404, 10_004, "Unknown Guild");
    if (inGuild !== undefined) return this.#inGuild(method, at.slice("/guilds/900".length), query);
    const [, channelId, pins] = /^\/channels\/(\d+)\/(?:messages|pins)(?:\/(\d+))?$/u.exec(at) ?? [];
    if (channelId === undefined) return this.#aboutChannel(method, at);
    if (at.includes("/pins/")) return this.#pin(method, pins ?? "");
    if (method !== "GET" || pins !== undefined) return undefined;
    const own = shown.filter((one) => one.channelId === channelId).toReversed();
    const kept = at.endsWith("/pins") ? own.filter(({ id }) => this.pinned.has(id)) : own;
    const limit = Number(new URLSearchParams(query).get("limit") ?? 50);
    const author = { id: "42", username: "hermes", discriminator: "0", bot: true };
    return kept.slice(0, limit).map(({ id, content }) => ({ id, content, author, attachments: [], embeds: [] }));
  }

  #aboutChannel(method: string, at: string): unknown {
    const [, id, threads] = /^\/channels\/(\d+)(\/threads)?$/u.exec(at) ?? [];
    if (id === undefined) return undefined;
    if (method === "POST" && threads !== undefined) return { id: "930", name: "from the fake", parent_id: id };
    return method === "GET" && threads === undefined ? { id, name: "general", type: 0, guild_id: "900" } : undefined;
  }

  #pin(method: string, id: string): unknown {
    if (method === "PUT") this.pinned.add(id);
    else this.pinned.delete(id);
    return {};
  }

  #inGuild(method: string, at: string, query: string): unknown {
    const member = { user: { id: "7", username: "ann" }, nick: "Ann", roles: [...this.roles] };
    if (at === "") return { id: "900", name: "Reading club", approximate_member_count: 3, roles: [], emojis: [] };
    if (at === "/channels") return [{ id: "700000000000000001", name: "general", type: 0, permission_overwrites: [] }];
    if (at === "/roles")
      return [{ id: "910", name: "reader", position: 1, permissions: "0", managed: false, color: 1 }];
    if (at === "/members/search")
      return "ann".startsWith(new URLSearchParams(query).get("query")?.toLowerCase() ?? "?") ? [member] : [];
    if (at === "/members/7") return member;
    const [, role] = /^\/members\/7\/roles\/(\d+)$/u.exec(at) ?? [];
    if (role === "999") throw refused(403, 50_013, "Missing Permissions");
    if (role === undefined) throw refused(404, 10_007, "Unknown Member");
    if (method === "PUT") this.roles.add(role);
    else this.roles.delete(role);
    return {};
  }
}

export function refused(status: number, code: number, message: string): Error {
  return Object.assign(new Error(message), { status, code });
}
