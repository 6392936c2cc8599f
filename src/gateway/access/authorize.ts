import { type Config, isPlatformId } from "#config";
import type { MessageSource } from "../platform/inbound.ts";

/** Why somebody may use Hermes, or that nobody said so. The first layer that lets them in decides. */
export type Access =
  | { readonly kind: "allowed"; readonly by: "platform-open" | "listed" | "paired" | "everything-open" | "own" }
  | { readonly kind: "denied" };

export interface AccessDeps {
  readonly config: Config;
  isPaired(source: MessageSource): boolean;
}

/** Authenticated by the adapter itself, by a token or a signature. */
export const authenticated: ReadonlySet<string> = new Set(["homeassistant", "webhook"]);

export function authorize(source: MessageSource, { config, isPaired }: AccessDeps): Access {
  if (authenticated.has(source.platform)) return { kind: "allowed", by: "own" };
  const {
    allowed_users: listed,
    allow_all_users: isOpen,
    group_allowed_users: groups,
    allowed_roles: roles = [],
    allow_bots: bots,
  } = accessOf(config, source.platform);
  if (isOpen) return { kind: "allowed", by: "platform-open" };
  // A bot that its platform's setting lets be heard is on no list of people.
  if (source.isBot === true && (bots ?? "none") !== "none") return { kind: "allowed", by: "own" };
  const isGroup = source.chatType !== "dm" && matches(groups, [source.chatId, source.chatIdAlt]);
  const hasRole = matches(roles, source.roles ?? []);
  if (isGroup || hasRole || matches([...listed, ...config.gateway.allowed_users], personIds(source)))
    return { kind: "allowed", by: "listed" };
  if (isPaired(source)) return { kind: "allowed", by: "paired" };
  if (config.gateway.allow_all_users) return { kind: "allowed", by: "everything-open" };
  return { kind: "denied" };
}

/** Whether an allowlist exists that says who may write on this platform. */
export function hasAllowlist(config: Config, platform: string): boolean {
  const { allowed_users: listed, group_allowed_users: groups, allowed_roles: roles = [] } = accessOf(config, platform);
  return listed.length + groups.length + roles.length + config.gateway.allowed_users.length > 0;
}

/** Whether one of the lists, the platform's or that of all, names this person. */
export function isListed(source: MessageSource, config: Config, list: "allowed_users" | "admin_users"): boolean {
  return matches([...accessOf(config, source.platform)[list], ...config.gateway[list]], personIds(source));
}

/** Whether this person is the only one whom the list names; the platform's own counts where it has one. */
export function isOnlyOne(source: MessageSource, config: Config, list: "allowed_users" | "admin_users"): boolean {
  const own = accessOf(config, source.platform);
  if (list === "allowed_users" && (own.allow_all_users || config.gateway.allow_all_users)) return false;
  const named = own[list].length > 0 ? own[list] : config.gateway[list];
  return new Set(named.map(plain)).size === 1 && named[0] !== "*" && matches(named, personIds(source));
}

/** Names a person among those of all platforms. */
export function personKey({ platform, userId }: MessageSource): string | undefined {
  return userId === undefined ? undefined : `${platform}:${userId}`;
}

interface AccessSettings {
  readonly admin_users: readonly string[];
  readonly allowed_users: readonly string[];
  readonly allow_all_users: boolean;
  readonly group_allowed_users: readonly string[];
  readonly allowed_roles?: readonly string[] | undefined;
  readonly allow_bots?: "none" | "mentions" | "all" | undefined;
  readonly unauthorized_dm_behavior?: "pair" | "ignore" | undefined;
}

const nobody: AccessSettings = { admin_users: [], allowed_users: [], allow_all_users: false, group_allowed_users: [] };

/** What a platform's own block says about people; nothing where a platform has none. */
export function accessOf(config: Config, platform: string): AccessSettings {
  return isPlatformId(platform) ? config[platform] : nobody;
}

/** The whole id, and the name before its server. */
export function personIds({ userId, userIdAlt }: MessageSource): readonly (string | undefined)[] {
  return [userId, userIdAlt, userId?.split("@")[0]];
}

export function matches(list: readonly string[], ids: readonly (string | undefined)[]): boolean {
  const wanted = new Set(ids.flatMap((id) => (id === undefined || id === "" ? [] : [plain(id)])));
  return list.some((one) => one === "*" || wanted.has(plain(one)));
}

function plain(id: string): string {
  return id.trim().replace(/^@/u, "").toLowerCase();
}
