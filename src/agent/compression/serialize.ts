import { callsOf, imagesOf, type Message, textOf } from "#conversation";
import { headOf, tailOf } from "./short-text.ts";
import { findSummary } from "./summary-message.ts";

const longestBody = 6_000;
const keptHead = 4_000;
const keptTail = 1_500;
const longestArguments = 1_500;
const keptArguments = 1_200;

/** The messages as blocks of text for the summariser; what an earlier summary says is not among them. */
export function serializeRegion(region: readonly Message[], redact: (text: string) => string): readonly string[] {
  return region.flatMap((message) => {
    const block = blockOf(message);
    return block === undefined ? [] : [redact(block)];
  });
}

function blockOf(message: Message): string | undefined {
  const text = findSummary(message)?.rest ?? textOf(message.content);
  switch (message.role) {
    case "user":
      return text === "" && imagesOf(message.content).length === 0
        ? undefined
        : `[USER]:\n${shortened(text)}${imageNote(message)}`;
    case "assistant": {
      const calls = callsOf(message).map(
        (call) => `- ${call.function.name}(${shortenedArguments(call.function.arguments)}) [id ${call.id}]`,
      );
      if (text === "" && calls.length === 0) return undefined;
      const called = calls.length === 0 ? [] : ["Tool calls:", ...calls];
      return ["[ASSISTANT]:", ...(text === "" ? [] : [shortened(text)]), ...called].join("\n");
    }
    case "tool":
      return `[TOOL RESULT ${message.tool_call_id}]:\n${shortened(text)}${imageNote(message)}`;
  }
}

function shortened(text: string): string {
  if (text.length <= longestBody) return text;
  const head = headOf(text, keptHead);
  const tail = tailOf(text, keptTail);
  return `${head}\n...[${text.length - head.length - tail.length} characters left out]...\n${tail}`;
}

function shortenedArguments(text: string): string {
  return text.length <= longestArguments ? text : `${headOf(text, keptArguments)}...`;
}

function imageNote(message: Message): string {
  const count = imagesOf(message.content).length;
  return count === 0 ? "" : `\n[${count} image${count === 1 ? "" : "s"}]`;
}

/** Packs blocks into pieces of at most that many characters; a block that is longer alone is cut. */
export function packBlocks(blocks: readonly string[], maxCharacters: number): readonly string[] {
  const pieces: string[] = [];
  let open = "";
  for (const block of blocks) {
    const fitting = block.length <= maxCharacters ? block : headOf(block, maxCharacters);
    if (open !== "" && open.length + 2 + fitting.length > maxCharacters) {
      pieces.push(open);
      open = "";
    }
    open = open === "" ? fitting : `${open}\n\n${fitting}`;
  }
  if (open !== "") pieces.push(open);
  return pieces;
}
