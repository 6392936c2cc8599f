import { imagesOf, type Message, textOf } from "#conversation";

/** A message as the page draws it. */
interface PageMessage {
  readonly id: string | undefined;
  readonly role: "user" | "assistant" | "tool";
  readonly text: string;
  readonly images?: readonly string[] | undefined;
  readonly reasoning?: string | undefined;
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly arguments: string }[] | undefined;
  readonly call_id?: string | undefined;
  readonly name?: string | undefined;
}

const mostCharacters = 200_000;

export interface TranscriptPage {
  /** How many messages come before those sent. */
  readonly earlier: number;
  readonly messages: readonly PageMessage[];
}

/** The messages up to `before`, at least `count` of them where there are so many. The results of calls come with their calls. */
export function transcriptPage(all: readonly Message[], before: number, count: number): TranscriptPage {
  let earlier = Math.max(0, Math.min(before, all.length) - count);
  while (earlier > 0 && all[earlier]?.role === "tool") earlier -= 1;
  return { earlier, messages: all.slice(earlier, before).map(pageMessage) };
}

function pageMessage(message: Message): PageMessage {
  const { uid: id, role } = message;
  if (message.role === "assistant") {
    const calls = message.tool_calls?.map((call) => ({ id: call.id, ...call.function }));
    return { id, role, text: message.content, reasoning: message.reasoning ?? undefined, calls };
  }
  const text = textOf(message.content).slice(0, mostCharacters);
  if (message.role === "tool") return { id, role, text, call_id: message.tool_call_id, name: message.tool_name };
  const images = imagesOf(message.content).map((part) => part.image_url.url);
  return { id, role, text, images: images.length > 0 ? images : undefined };
}
