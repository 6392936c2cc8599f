import { textOf } from "#conversation";
import {
  calls,
  type ModelServer,
  type ReceivedRequest,
  type Reply,
  says,
} from "../../test/fakes/model-server/index.ts";

export const numbersIn = (text: string): readonly number[] =>
  [...text.matchAll(/#(\d+)/gu)].map(([, digits]) => Number(digits));

/** Every so many messages are answered after a tool has left its mark in a file. */
const toolEvery = 10;
export const marksFile = "marks.txt";

/** Answers that name the messages they answer. What was asked is kept, so that a message that no model saw is known. */
export function answerByNumber(model: ModelServer): ReadonlySet<number> {
  const seen = new Set<number>();
  model.otherwise((request) => {
    const { numbers, hasUsedTool } = unanswered(request);
    for (const number of numbers) seen.add(number);
    const marked = numbers.filter((number) => number % toolEvery === 0);
    if (marked.length > 0 && !hasUsedTool) return mark(marked);
    return says(`Heard ${numbers.map((number) => `#${number}`).join(" ")}.`);
  });
  return seen;
}

function mark(numbers: readonly number[]): Reply {
  const words = numbers.map((number) => `mark${number}`).join(" ");
  return calls("terminal", { command: `echo ${words} >> ${marksFile}` });
}

function unanswered({ messages }: ReceivedRequest) {
  const isAnswer = (one: (typeof messages)[number]): boolean =>
    one["role"] === "assistant" && !(Array.isArray(one["tool_calls"]) && one["tool_calls"].length > 0);
  const since = messages.slice(messages.findLastIndex(isAnswer) + 1);
  const words = since.filter(({ role }) => role === "user").map(({ content }) => textOf(content as string));
  return { numbers: [...new Set(numbersIn(words.join(" ")))], hasUsedTool: since.some(({ role }) => role === "tool") };
}
