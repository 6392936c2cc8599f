import { type Message, textOf } from "#conversation";
import type { Auxiliary } from "#model";

export interface TitleService {
  /** A title of a few words for these messages, or undefined when no model can be asked. */
  suggest(messages: readonly Message[], signal: AbortSignal): Promise<string | undefined>;
}

const instruction =
  "Give this conversation a title of three to six words in the language of the user. Answer with the title only: no quotation marks, no full stop.";
const mostMessages = 4;
const mostCharacters = 500;

/** Where no model is asked (the demo cannot name a conversation), the person's own first words do. */
export function titleService(auxiliary: Auxiliary, asksModel: () => boolean): TitleService {
  return {
    async suggest(messages, signal) {
      if (!asksModel()) return firstWords(messages);
      const words = messages
        .filter((message) => message.role !== "tool")
        .slice(0, mostMessages)
        .map((message) => `${message.role}: ${textOf(message.content).slice(0, mostCharacters)}`)
        .join("\n");
      const outcome = await auxiliary.run(
        "title_generation",
        { system: instruction, messages: [{ role: "user", content: words }], maxTokens: 40 },
        signal,
      );
      return outcome.kind === "done" && outcome.text.trim() !== "" ? outcome.text.trim() : undefined;
    },
  };
}

function firstWords(messages: readonly Message[]): string | undefined {
  const first = messages.find((message) => message.role === "user");
  const words = first === undefined ? [] : textOf(first.content).trim().split(/\s+/).slice(0, 6);
  return words.length === 0 ? undefined : words.join(" ");
}
