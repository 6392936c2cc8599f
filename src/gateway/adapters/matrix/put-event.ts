import { type Fields, textAt } from "../support/fields.ts";
import type { Rest } from "../support/rest.ts";

/** The key is the transaction: the server makes one event of it, however often it is sent. */
export async function putEvent(
  room: string,
  event: { readonly type: string; readonly key: string; readonly content: Fields },
  { rest, signal }: { readonly rest: Rest; readonly signal: AbortSignal },
): Promise<string> {
  const at = `/rooms/${encodeURIComponent(room)}/send/${event.type}/${encodeURIComponent(event.key)}`;
  return textAt(await rest(at, { method: "PUT", body: event.content, signal }), "event_id");
}
