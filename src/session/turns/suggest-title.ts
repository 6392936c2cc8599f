import { assistantMessage, type Message, type SessionId, textOf, typedText, userMessage } from "#conversation";
import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { cleanTitle, type Store } from "#store";

const mostCharacters = 80;
const mostPerSide = 500;
const mostUserMessages = 2;

export interface TitleDeps {
  readonly store: Store;
  readonly logger: Logger;
  suggest(messages: readonly Message[], signal: AbortSignal): Promise<string | undefined>;
}

/**
 * Names a conversation after its first exchange; the name that was given, or undefined. A person's own title
 * is never replaced, and a name that is taken gets the next number.
 */
export async function nameSession(
  deps: TitleDeps,
  session: { readonly id: SessionId; readonly history: readonly Message[] },
  signal: AbortSignal,
): Promise<string | undefined> {
  const { store, logger } = deps;
  const exchange = firstExchange(session.history);
  if (exchange === undefined) return undefined;
  try {
    if ((await store.sessions.get(session.id))?.title !== undefined) return undefined;
    const title = tidyTitle((await deps.suggest(exchange, signal)) ?? "");
    if (title === "" || signal.aborted) return undefined;
    // Somebody may have named it while the model was thinking.
    if ((await store.sessions.get(session.id))?.title !== undefined) return undefined;
    const outcome = await store.sessions.setTitle(session.id, title);
    if (outcome.kind === "set") return outcome.title;
    if (outcome.kind !== "taken") return undefined;
    const again = await store.sessions.setTitle(session.id, await store.sessions.nextTitle(title));
    return again.kind === "set" ? again.title : undefined;
  } catch (error) {
    if (!signal.aborted) logger.debug("no title was found", { session: session.id, error: describe(error) });
    return undefined;
  }
}

/** The beginning of what both sides said first; undefined while there is no answer, or when it is long past. */
function firstExchange(history: readonly Message[]): readonly Message[] | undefined {
  const asked = history.filter((message) => message.role === "user");
  if (asked.length === 0 || asked.length > mostUserMessages) return undefined;
  const answer = history.find((message) => message.role === "assistant" && message.content.trim() !== "");
  const [first] = asked;
  if (answer === undefined || first === undefined) return undefined;
  return [
    userMessage(typedText(first.content).slice(0, mostPerSide)),
    assistantMessage(textOf(answer.content).slice(0, mostPerSide)),
  ];
}

/** One line without quotes, without a label or the mark of a heading, of bounded length. */
export function tidyTitle(suggested: string): string {
  const line = cleanTitle(suggested.split("\n").find((one) => one.trim() !== "") ?? "");
  const bare = line
    .replace(/^#+\s+/, "")
    .replace(/^title\s*:\s*/i, "")
    .replace(/^["'“”‘’`*]+|["'“”‘’`*]+$/g, "")
    .trim();
  const characters = Array.from(bare);
  return characters.length <= mostCharacters ? bare : `${characters.slice(0, mostCharacters - 3).join("")}...`;
}
