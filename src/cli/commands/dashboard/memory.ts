import path from "node:path";
import { memoryTargets, type Notes, type PendingWrite, pendingText, sizeOf } from "#agent";
import type { MemoryNotes, PendingChange } from "#dashboard";
import type { Invocation } from "../../command.ts";
import { confirmPending, openNotes, rejectPending } from "../../support/memory.ts";

/** The notes of the home, for the dashboard; read anew with every call, as the settings and files are then. */
export function dashboardMemory(invocation: Invocation): MemoryNotes {
  return {
    async files() {
      const { notes } = await openNotes(invocation);
      return await Promise.all(
        memoryTargets.map(async (target) => {
          const entries = await notes.read(target);
          const { isEnabled, limit: limitCharacters } = notes.settings[target];
          const name = path.basename(notes.pathOf(target));
          return { name, isEnabled, entries, usedCharacters: sizeOf(entries), limitCharacters };
        }),
      );
    },
    async pending() {
      const { notes, writes } = await openNotes(invocation);
      return await Promise.all((await writes.listPending()).map((one) => changeOf(one, notes)));
    },
    async confirm(id, signal) {
      await confirmPending((await openNotes(invocation)).writes, { id, platform: "dashboard" }, signal);
    },
    async reject(id, signal) {
      await rejectPending((await openNotes(invocation)).writes, id, signal);
    },
  };
}

/** A replacement and a removal name a part of an entry; the whole entry is what would go. */
async function changeOf(pending: PendingWrite, notes: Notes): Promise<PendingChange> {
  const { id, atMs, source, sessionId } = pending;
  const common = { id, atMs, source, sessionId, removed: undefined };
  if (pending.kind === "call") return { ...common, target: pending.provider, added: pendingText(pending) };
  const { target: file, change } = pending;
  const target = path.basename(notes.pathOf(file));
  if (change.action === "add") return { ...common, target, added: change.content };
  const outcome = await notes.preview(file, change);
  const isWrite = outcome.kind === "write";
  if (change.action === "remove")
    return { ...common, target, removed: isWrite ? outcome.content : change.oldText, added: undefined };
  return {
    ...common,
    target,
    removed: (isWrite ? outcome.replaced : undefined) ?? change.oldText,
    added: change.content,
  };
}
