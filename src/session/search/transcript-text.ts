import { callsOf, type Message, textOf } from "#conversation";

const longestToolOutput = 500;
const keptOfToolOutput = 250;

/** A conversation as text for a summary: who said what, long tool outputs shortened in the middle. */
export function transcriptText(messages: readonly Message[]): string {
  return messages
    .map(paragraph)
    .filter((text) => text !== "")
    .join("\n\n");
}

function paragraph(message: Message): string {
  const text = textOf(message.content).trim();
  switch (message.role) {
    case "user":
      return text === "" ? "" : `USER: ${text}`;
    case "assistant": {
      const calls = callsOf(message).map((call) => call.function.name);
      const made = calls.length === 0 ? "" : `[called: ${calls.join(", ")}]`;
      const line = [text, made].filter((part) => part !== "").join(" ");
      return line === "" ? "" : `ASSISTANT: ${line}`;
    }
    case "tool":
      return text === "" ? "" : `TOOL ${message.tool_name}: ${shortened(text)}`;
  }
}

function shortened(text: string): string {
  if (text.length <= longestToolOutput) return text;
  const left = text.length - 2 * keptOfToolOutput;
  return `${text.slice(0, keptOfToolOutput)} …[${left} characters left out]… ${text.slice(-keptOfToolOutput)}`;
}
