import { UserError } from "#foundation/errors";
import { truncateEnd } from "#foundation/text/text";
import type { ConversationFacts, SpokenMessage } from "#session";
import type { ServedHermes } from "./served-hermes.ts";
import {
  maybeText,
  objectOf,
  platformName,
  type ServedAnswer,
  type ServedTool,
  sessionKey,
  textArgument,
  wholeNumber,
} from "./served-tool.ts";

const shownCharacters = 2_000;
const attachmentScan = 100_000;
const maxPictureCharacters = 8 * 1024 * 1024;

const limit = (usual: number) =>
  ({ type: "integer", minimum: 1, maximum: 500, description: `At most so many (${usual})` }) as const;

/** Reading conversations: which there are, what was said, and what was attached. */
export function conversationTools(hermes: ServedHermes): readonly ServedTool[] {
  const { conversations } = hermes;
  return [
    {
      name: "conversations_list",
      description: "List the conversations Hermes has had, newest first, with the key the other tools take.",
      parameters: objectOf({
        platform: platformName,
        limit: limit(50),
        search: { type: "string", maxLength: 300, description: "Words in the title, or said in the conversation" },
      }),
      isReadOnly: true,
      async run(args, signal) {
        const wanted = {
          limit: wholeNumber(args, "limit", 50),
          platform: maybeText(args, "platform"),
          search: maybeText(args, "search"),
        };
        const found = await conversations.list(wanted, signal);
        return { document: { conversations: found.map((one) => shownFacts(one, hermes)) } };
      },
    },
    {
      name: "conversation_get",
      description: "One conversation: its title, surface, model and times.",
      parameters: objectOf({ session_key: sessionKey }, ["session_key"]),
      isReadOnly: true,
      async run(args) {
        const key = textArgument(args, "session_key");
        const facts = await conversations.get(key);
        if (facts === undefined) throw unknown(key);
        return { document: { conversation: shownFacts(facts, hermes) } };
      },
    },
    {
      name: "messages_read",
      description: "What the user and Hermes said in a conversation, oldest first; calls of tools are left out.",
      parameters: objectOf({ session_key: sessionKey, limit: limit(50) }, ["session_key"]),
      isReadOnly: true,
      async run(args) {
        const found = await read(hermes, textArgument(args, "session_key"), wholeNumber(args, "limit", 50));
        return { document: { messages: found.map((message) => shownMessage(message, hermes)) } };
      },
    },
    {
      name: "attachments_fetch",
      description: "The pictures and files of one message.",
      parameters: objectOf({ session_key: sessionKey, message_id: { type: "string", minLength: 1, maxLength: 100 } }, [
        "session_key",
        "message_id",
      ]),
      isReadOnly: true,
      async run(args) {
        const messages = await read(hermes, textArgument(args, "session_key"), attachmentScan);
        return attachmentsOf(messageIn(messages, textArgument(args, "message_id")));
      },
    },
  ];
}

function messageIn(messages: readonly SpokenMessage[], id: string): SpokenMessage {
  const message = messages.find((one) => one.id === id);
  if (message !== undefined) return message;
  throw new UserError(`There is no message ${id} in this conversation.`, { hint: "messages_read shows the ids." });
}

async function read(hermes: ServedHermes, key: string, count: number): Promise<readonly SpokenMessage[]> {
  const found = await hermes.conversations.messages(key, count);
  if (found === undefined) throw unknown(key);
  return found;
}

function unknown(key: string): UserError {
  return new UserError(`There is no conversation ${JSON.stringify(key)}.`, {
    hint: "conversations_list shows the keys.",
    code: "unknown_conversation",
  });
}

/** Text for a client: without secrets, and no longer than a client wants to read. */
export function shownText(text: string, hermes: Pick<ServedHermes, "redact">): string {
  return truncateEnd(hermes.redact(text), shownCharacters);
}

function shownFacts(facts: ConversationFacts, hermes: ServedHermes): Readonly<Record<string, unknown>> {
  return {
    session_key: facts.key,
    session_id: facts.sessionId,
    platform: facts.platform,
    title: facts.title ?? null,
    preview: shownText(facts.preview, hermes),
    model: facts.model ?? null,
    started_at: time(facts.startedAtMs),
    updated_at: time(facts.lastActiveMs),
    ended_at: facts.endedAtMs === undefined ? null : time(facts.endedAtMs),
    message_count: facts.messageCount,
  };
}

function shownMessage(message: SpokenMessage, hermes: ServedHermes): Readonly<Record<string, unknown>> {
  const { id, role, text, atMs, images } = message;
  const attachments = images.length + filesIn(text).length;
  return { id, role, text: shownText(text, hermes), at: time(atMs), ...(attachments === 0 ? {} : { attachments }) };
}

function attachmentsOf({ images, text }: SpokenMessage): ServedAnswer {
  const pictures = images.map(pictureOf);
  const files = filesIn(text).map((path) => ({ type: "file", path }));
  return {
    document: { attachments: [...pictures.map(({ facts }) => facts), ...files] },
    images: pictures.flatMap(({ data }) => data ?? []),
  };
}

/** Pictures inside a message are handed over; of those elsewhere only the address is known. */
function pictureOf(url: string): {
  readonly facts: Readonly<Record<string, unknown>>;
  readonly data?: { readonly data: string; readonly mimeType: string };
} {
  const inline = /^data:([\w.+-]+\/[\w.+-]+);base64,([A-Za-z0-9+/=]+)$/.exec(url.slice(0, maxPictureCharacters + 100));
  const [, mimeType, data] = inline ?? [];
  if (mimeType === undefined || data === undefined)
    return { facts: url.startsWith("data:") ? { type: "image", omitted: "too large" } : { type: "image", url } };
  if (url.length > maxPictureCharacters) return { facts: { type: "image", mime: mimeType, omitted: "too large" } };
  return {
    facts: { type: "image", mime: mimeType, bytes: Math.floor((data.length * 3) / 4) },
    data: { data, mimeType },
  };
}

/** Lines by which a reply hands over a file. */
function filesIn(text: string): readonly string[] {
  return [...text.matchAll(/^MEDIA:\s*(\S.*)$/gm)].map((match) => (match[1] ?? "").trim());
}

function time(atMs: number): string {
  return new Date(atMs).toISOString();
}
