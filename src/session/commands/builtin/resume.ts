import type { SessionId } from "#conversation";
import { plural, relativeTime } from "#foundation/text/figures";
import type { Store } from "#store";
import type { CommandView, PickerItem } from "../../api.ts";
import { findSession, withFolders } from "../../search/lineage.ts";
import { type CommandCall, type CommandServices, defineCommand } from "../command.ts";
import { act, say, warn } from "../views.ts";

const mostListed = 500;
const mostInChats = 10;

export const resumeCommand = defineCommand({
  name: "resume",
  description: "Resume another session, by title or id",
  category: "Session",
  argsHint: "[name]",
  whileRunning: "busy",
  takes: ["store", "clock", "conversation"],
  complete: async ({ signal, person }, { store }) => (person === undefined ? await sessionNames(store, signal) : []),
  async run(call, services) {
    const { args, session } = call;
    if (args === "") return await pickerOf(call, services);
    const id = await findSession(services.store, args);
    if (id === undefined || !(await isTheirs(id, call, services)))
      return warn(`There is no session ${args}. /resume alone lists them.`);
    if (id === session.info.id) return say("You are already in that session.");
    // A chat is in one conversation at a time; a screen closes the old one itself.
    if (call.person !== undefined) await services.conversation.leave("session_switch");
    return act({ do: "switch-session", id });
  },
});

export const sessionsCommand = defineCommand({
  name: "sessions",
  description: "List the newest sessions",
  category: "Info",
  cliOnly: true,
  whileRunning: "now",
  takes: ["store", "clock"],
  run: pickerOf,
});

type Listing = Pick<CommandServices, "store" | "clock">;

async function pickerOf(call: CommandCall, services: Listing): Promise<CommandView> {
  const items = await sessionItems(call, services);
  if (items.length === 0) return say("There are no sessions yet.");
  return { kind: "picker", title: "Sessions, this folder first", items, command: "/resume" };
}

/** In a chat people see and resume their own conversations, the owner also those of the terminal. */
async function isTheirs(
  id: SessionId,
  { person }: Pick<CommandCall, "person">,
  { store }: Pick<Listing, "store">,
): Promise<boolean> {
  if (person === undefined) return true;
  const userId = (await store.sessions.get(id))?.userId;
  return userId === person.id || (userId === undefined && person.isOwner);
}

async function theirs<T extends { readonly id: SessionId }>(
  sessions: readonly T[],
  call: Pick<CommandCall, "person">,
  services: Pick<Listing, "store">,
): Promise<readonly T[]> {
  const own: T[] = [];
  for (const one of sessions) {
    if (await isTheirs(one.id, call, services)) own.push(one);
    if (own.length === mostInChats) break;
  }
  return own;
}

async function sessionItems(
  { session, person, signal }: CommandCall,
  { store, clock }: Listing,
): Promise<readonly PickerItem[]> {
  const all = await store.sessions.list({ limit: mostListed, excludeSources: ["tool", "subagent"], signal });
  const sessions = person === undefined ? all : await theirs(all, { person }, { store });
  const here = session.info.cwd;
  const listed = (await withFolders(store, sessions))
    .filter(({ location }) => location?.isOneShot !== true)
    .filter(({ id, messageCount }) => messageCount > 0 || id === session.info.id)
    .sort((left, right) => Number(right.location?.folder === here) - Number(left.location?.folder === here));
  return listed.map((one) => ({
    value: one.id,
    label: one.title ?? (one.preview === "" ? one.id : one.preview),
    detail: `${relativeTime(one.lastActiveMs, clock.now())} · ${plural(one.messageCount, "message")} · ${heldIn(one.location?.folder, one.source, here)} · ${one.id}`,
    isCurrent: one.id === session.info.id,
  }));
}

/** Where it was held: a folder, or the surface of one that has none. */
function heldIn(folder: string | undefined, source: string, here: string): string {
  return folder === here ? "here" : (folder ?? source);
}

async function sessionNames(store: Store, signal: AbortSignal): Promise<readonly string[]> {
  const sessions = await store.sessions.list({ limit: 50, excludeSources: ["tool", "subagent"], signal });
  return sessions.map((one) => one.title ?? one.id);
}
