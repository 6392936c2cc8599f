import { isRecord } from "#foundation/text/json";
import type { Aggregates, Route } from "#store";
import type { MessageSource } from "../platform/inbound.ts";

/** Something Hermes wrote into a chat from another conversation. The chat's own conversation hears of it with the next message. */
export interface MirrorNote {
  readonly key: string;
  readonly from: string;
  readonly text: string;
}

const mostNotes = 10;
const mostText = 2_000;

/** Leaves a note for the conversation of this chat; false when there is none, or it is the one that wrote. */
export async function mirror(
  tx: Pick<Aggregates, "routes">,
  { platform, chatId, threadId }: MessageSource,
  note: MirrorNote & { readonly sessionId: string },
): Promise<boolean> {
  const routes = await tx.routes.list({ platform, chatId, limit: 50 });
  const route = routes.find((one) => (one.threadId ?? "") === (threadId ?? ""));
  if (route === undefined || route.sessionId === note.sessionId) return false;
  const { key, from, text } = note;
  const notes = [...mirrored(route), { key, from, text: text.slice(0, mostText) }].slice(-mostNotes);
  await tx.routes.put({ ...route, details: { ...route.details, mirrored: notes } });
  return true;
}

/** What was written into the chat of this route since its conversation last heard. */
export function mirrored(route: Route | undefined): readonly MirrorNote[] {
  const notes = route?.details["mirrored"];
  if (!Array.isArray(notes)) return [];
  return notes.flatMap((note: unknown) => {
    if (!isRecord(note)) return [];
    const { key, from, text } = note;
    return typeof key === "string" && typeof from === "string" && typeof text === "string" ? [{ key, from, text }] : [];
  });
}

/** The words a model hears it in. */
export function mirrorText(notes: readonly MirrorNote[]): string {
  return notes.map(({ from, text }) => `[You sent this to this chat from ${from}: ${text}]`).join("\n");
}
