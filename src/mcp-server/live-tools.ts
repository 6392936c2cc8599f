import type { TurnResult } from "#conversation";
import { deadline, linkSignals, raceAbort } from "#foundation/lifecycle/abort";
import type { Submission } from "#session";
import { shownText } from "./conversation-tools.ts";
import { type Dispatcher, turnOf } from "./dispatcher.ts";
import type { Events } from "./events.ts";
import { decisions, type Permissions } from "./permissions.ts";
import type { ServedHermes } from "./served-hermes.ts";
import {
  type Arguments,
  maybeText,
  objectOf,
  platformName,
  type ServedTool,
  sessionKey,
  textArgument,
  wholeNumber,
} from "./served-tool.ts";

export interface LiveDeps {
  readonly hermes: ServedHermes;
  readonly events: Events;
  readonly permissions: Permissions;
  readonly dispatcher: Dispatcher;
}

const longestWaitMs = 300_000;
const maxMessageCharacters = 200_000;

const cursor = { type: "integer", minimum: 0, description: "next_cursor of the last answer; 0 for all that is kept" };
const noGateway =
  "No messaging gateway runs here: chats of platforms can be read where they are stored, but nothing can be sent to them.";
const ownOnly =
  "Only turns that this server runs are shown. What a terminal or another program asks, its own person answers.";

/** What changes: events, words for Hermes, and permissions. */
export function liveTools(parts: LiveDeps): readonly ServedTool[] {
  return [...eventTools(parts), ...sendTools(parts), ...permissionTools(parts)];
}

function eventTools({ events, hermes }: LiveDeps): readonly ServedTool[] {
  const requestOf = async (args: Arguments, limit: number) => {
    const input = maybeText(args, "session_key");
    const known = input === undefined ? undefined : await hermes.conversations.get(input);
    return { cursor: wholeNumber(args, "after_cursor", 0), key: known?.key ?? input, limit };
  };
  const limit = { type: "integer", minimum: 1, maximum: 500, description: "At most so many (20)" };
  return [
    {
      name: "events_poll",
      description: "Events since a cursor: message, approval_requested, approval_resolved. Returns at once.",
      parameters: objectOf({ after_cursor: cursor, session_key: sessionKey, limit }),
      isReadOnly: true,
      run: async (args, signal) => ({
        document: { ...(await events.poll(await requestOf(args, wholeNumber(args, "limit", 20)), signal)) },
      }),
    },
    {
      name: "events_wait",
      description: "Like events_poll, but waits for the first event, or until the time is over.",
      parameters: objectOf({
        after_cursor: cursor,
        session_key: sessionKey,
        timeout_ms: { type: "integer", minimum: 0, maximum: longestWaitMs, description: "30000 unless given" },
      }),
      isReadOnly: true,
      run: async (args, signal) => {
        const timeoutMs = wholeNumber(args, "timeout_ms", 30_000);
        return { document: { ...(await events.wait(await requestOf(args, 20), { timeoutMs, signal })) } };
      },
    },
  ];
}

function sendTools({ hermes, events, dispatcher }: LiveDeps): readonly ServedTool[] {
  return [
    {
      name: "messages_send",
      description:
        "Say something to Hermes in a conversation: target is a key from conversations_list, or new. Hermes answers as it would answer a " +
        "person; the answer arrives as a message event, and in this result when it comes within wait_ms.",
      parameters: objectOf(
        {
          target: { type: "string", minLength: 1, maxLength: 300 },
          message: { type: "string", minLength: 1, maxLength: maxMessageCharacters },
          message_id: {
            type: "string",
            minLength: 1,
            maxLength: 200,
            description: "A name of your own for this message: sent twice, it is taken in once",
          },
          wait_ms: { type: "integer", minimum: 0, maximum: longestWaitMs, description: "How long to wait (0)" },
        },
        ["target", "message"],
      ),
      isReadOnly: false,
      async run(args, signal) {
        const before = events.cursor;
        const target = textArgument(args, "target").trim();
        const { key, submission } = await dispatcher.send(
          target,
          textArgument(args, "message"),
          maybeText(args, "message_id"),
        );
        const turn = turnOf(submission);
        const ended =
          turn === undefined ? undefined : await endWithin(turn, wholeNumber(args, "wait_ms", 0), { signal });
        return {
          document: {
            sent: true,
            session_key: key,
            state: stateOf(submission, ended),
            cursor: before,
            ...(ended === undefined ? {} : answerOf(ended, hermes)),
          },
        };
      },
    },
    {
      name: "channels_list",
      description: "The chats of messaging platforms that Hermes knows.",
      parameters: objectOf({ platform: platformName }),
      isReadOnly: true,
      async run(args) {
        const channels = await hermes.conversations.channels(maybeText(args, "platform"));
        return { document: { channels: channels.map(shownChannel), note: noGateway } };
      },
    },
  ];
}

type Channel = Awaited<ReturnType<ServedHermes["conversations"]["channels"]>>[number];

function shownChannel({ key, platform, kind, chatId, threadId }: Channel) {
  return { session_key: key, platform, kind, chat_id: chatId ?? null, thread_id: threadId ?? null };
}

function permissionTools({ permissions }: LiveDeps): readonly ServedTool[] {
  return [
    {
      name: "permissions_list_open",
      description: "The calls of tools that wait for a permission.",
      parameters: objectOf({}),
      isReadOnly: true,
      run: () => Promise.resolve({ document: { permissions: permissions.list(), note: ownOnly } }),
    },
    {
      name: "permissions_respond",
      description: "Decide about a call that waits. Unanswered ones are denied when their time is over.",
      parameters: objectOf(
        { id: { type: "string", minLength: 1, maxLength: 100 }, decision: { type: "string", enum: [...decisions] } },
        ["id", "decision"],
      ),
      isReadOnly: false,
      async run(args) {
        const id = textArgument(args, "id");
        const decision = decisions.find((one) => one === args["decision"]) ?? "deny";
        permissions.respond(id, decision);
        return { document: { resolved: true, id, decision } };
      },
    },
  ];
}

/** The end of a turn, when it comes in time; the turn goes on in any case. */
async function endWithin(
  turn: Promise<TurnResult>,
  timeoutMs: number,
  { signal }: { readonly signal: AbortSignal },
): Promise<TurnResult | undefined> {
  if (timeoutMs === 0) return undefined;
  using limit = deadline(timeoutMs);
  try {
    return await raceAbort(turn, linkSignals(signal, limit.signal));
  } catch (error) {
    signal.throwIfAborted();
    if (limit.signal.aborted) return undefined;
    throw error;
  }
}

function stateOf({ kind }: Submission, ended: TurnResult | undefined): string {
  if (ended !== undefined) return "ended";
  return kind === "turn" ? "running" : kind === "duplicate" ? kind : "queued";
}

function answerOf({ text, completed, error }: TurnResult, hermes: ServedHermes): Readonly<Record<string, unknown>> {
  return {
    completed,
    reply: text === undefined ? null : hermes.redact(text),
    ...(error === undefined ? {} : { error: shownText(error, hermes) }),
  };
}
