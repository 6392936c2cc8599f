import { type Message, textOf } from "#conversation";
import { truncateEnd } from "#foundation/text/text";

const thinkingChars = 300;
const argumentChars = 200;
const resultChars = 500;

/** A conversation as people read it beside a curve: who said what, with long texts cut. */
export function rolloutText(system: string, messages: readonly Message[]): string {
  return [...(system === "" ? [] : [`[SYSTEM]\n${system}`]), ...messages.flatMap(blocks)].join("\n\n");
}

function blocks(message: Message): readonly string[] {
  const text = textOf(message.content);
  switch (message.role) {
    case "user":
      return [`[USER]\n${text}`];
    case "tool":
      return [`[TOOL RESULT]\n${truncateEnd(text, resultChars)}`];
    case "assistant": {
      const { reasoning, tool_calls: calls = [] } = message;
      return [
        ...((reasoning ?? "") === "" ? [] : [`[ASSISTANT thinking]\n${truncateEnd(reasoning ?? "", thinkingChars)}`]),
        ...(text === "" ? [] : [`[ASSISTANT]\n${text}`]),
        ...calls.map(
          ({ function: called }) => `[TOOL CALL] ${called.name}(${truncateEnd(called.arguments, argumentChars)})`,
        ),
      ];
    }
  }
}
