import { assistantMessage, type Message, userMessage } from "#conversation";
import { isRecord } from "#foundation/text/json";
import { badRequest } from "../api-error.ts";
import { type MessageContent, readContent } from "./content.ts";

/** A request taken apart: instructions, what was said before, and what is said now. */
export interface Spoken {
  readonly system: string;
  readonly history: readonly Message[];
  readonly input: MessageContent;
  /** The first words of the person, which name the conversation. */
  readonly firstUserText: string;
}

interface SpokenMessage extends MessageContent {
  readonly role: "user" | "assistant";
}

const mostMessages = 10_000;

/**
 * Reads a list of messages. The last one of the user is the input, what stands before it is history; system messages are
 * joined. Results and calls of the client's own tools are not taken: Hermes has tools of its own.
 */
export function readMessages(value: unknown, param: string): Spoken {
  if (!Array.isArray(value) || value.length === 0)
    throw badRequest(`${param} must be a list with at least one message.`, { param, code: "invalid_messages" });
  if (value.length > mostMessages)
    throw badRequest(`${param} has too many messages.`, { param, code: "invalid_messages" });
  const system: string[] = [];
  const spoken: SpokenMessage[] = [];
  for (const [index, message] of (value as readonly unknown[]).entries()) {
    const where = `${param}[${index}].content`;
    if (typeof message === "string") {
      spoken.push({ role: "user", ...readContent(message, where) });
      continue;
    }
    if (!isRecord(message))
      throw badRequest(`${param}[${index}] must be an object.`, { param: where, code: "invalid_messages" });
    const { role, type = "message" } = message;
    if (type !== "message") continue;
    const content = readContent(message["content"], where);
    if (role === "system" || role === "developer") system.push(content.text);
    else if (role === "user" || role === "assistant") spoken.push({ role, ...content });
    else if (role !== "tool" && role !== "function")
      throw badRequest(`${param}[${index}].role must be system, user or assistant.`, {
        param: `${param}[${index}].role`,
        code: "invalid_role",
      });
  }
  const last = spoken.findLastIndex(({ role }) => role === "user");
  const input = spoken[last];
  if (input === undefined || (input.text.trim() === "" && input.images.length === 0))
    throw badRequest("There is no user message.", { param, code: "no_user_message" });
  return { system: system.filter((text) => text !== "").join("\n\n"), ...arranged(spoken.slice(0, last), input) };
}

/** Providers want the person first, and the sides to take turns: what follows on itself is joined. */
function arranged(before: readonly SpokenMessage[], last: SpokenMessage): Omit<Spoken, "system"> {
  const turns: { role: SpokenMessage["role"]; text: string; images: readonly string[] }[] = [];
  for (const { role, text, images } of before) {
    if (text.trim() === "" && images.length === 0) continue;
    const previous = turns.at(-1);
    if (previous === undefined && role === "assistant") continue;
    if (previous?.role === role) {
      previous.text = `${previous.text}\n\n${text}`;
      previous.images = [...previous.images, ...images];
    } else turns.push({ role, text, images });
  }
  const unanswered = turns.at(-1)?.role === "user" ? turns.pop() : undefined;
  const input = {
    text: unanswered === undefined ? last.text : `${unanswered.text}\n\n${last.text}`,
    images: [...(unanswered?.images ?? []), ...last.images],
  };
  const history = turns.map(({ role, text, images }): Message => {
    if (role === "assistant") return assistantMessage(text);
    if (images.length === 0) return userMessage(text);
    return userMessage([
      { type: "text", text },
      ...images.map((url) => ({ type: "image_url", image_url: { url } }) as const),
    ]);
  });
  const firstUserText = before.find(({ role }) => role === "user")?.text ?? last.text;
  return { history, input, firstUserText };
}
