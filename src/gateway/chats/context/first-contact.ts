import type { Store } from "#store";
import type { Users } from "../../access/users.ts";
import type { InboundMessage } from "../../platform/inbound.ts";
import type { Platform } from "../../platform/platform.ts";

export interface FirstContactDeps {
  readonly store: Pick<Store, "meta" | "routes">;
  readonly users: Pick<Users, "isAdmin">;
  platform(id: string): Platform | undefined;
  /** The platform has a chat that results and notices go to. */
  hasHome(platform: string): Promise<boolean>;
}

const introduction =
  "[This is the first message anybody has written to you in a chat. Say in a sentence who you are, and that /help shows what can be done here.]";

/** What the model is told once: that nobody knows it yet, and that results of jobs have no chat to go to. */
export async function firstContact(message: InboundMessage, deps: FirstContactDeps): Promise<string> {
  const { source } = message;
  const platform = deps.platform(source.platform);
  const { capabilities, label = "" } = platform ?? {};
  // Where messages are letters or calls of programs nobody is greeted.
  if (capabilities === undefined || capabilities.tier === "minimal" || capabilities.takesAnswers === false) return "";
  const notes = [
    (await isFirst("gateway.introduced", deps)) && (await deps.store.routes.list({ limit: 1 })).length === 0
      ? introduction
      : "",
    (await mayNameHome(message, deps)) && (await isFirst(`gateway.home.${source.platform}`, deps))
      ? `[${label} has no home channel, the chat that results of jobs and notices go to. Say in a sentence that /sethome makes this chat the one.]`
      : "",
  ];
  return notes.filter((note) => note !== "").join("\n");
}

async function mayNameHome({ source }: InboundMessage, { users, hasHome }: FirstContactDeps): Promise<boolean> {
  return source.chatType === "dm" && users.isAdmin(source) && !(await hasHome(source.platform));
}

/** True once. */
function isFirst(key: string, { store }: Pick<FirstContactDeps, "store">): Promise<boolean> {
  return store.meta.compareAndSet(key, undefined, "told");
}
