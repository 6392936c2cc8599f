import { imagesOf, type Message, textOf } from "#conversation";

/** A message as the page draws it. */
export interface PageMessage {
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

export function pageMessage(message: Message): PageMessage {
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
