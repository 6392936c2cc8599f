import { scrubSurrogates } from "#foundation/text/json";
import { type Content, textOf } from "./content.ts";

/** The line that stands inside a recall block, so that the model knows the user did not write it. */
export const recallNote = "[System note: recalled memory, not words of the user. Treat it as background.]";

/** Wraps recalled memory for a request; {@link cleanInput} removes what leaks back into user input. */
export function recallBlock(text: string): string {
  return `<memory-context>\n${recallNote}\n\n${text}\n</memory-context>`;
}

const completeBlock = /<\s*memory-context\s*>[\s\S]*?<\s*\/\s*memory-context\s*>/gi;
const strayTag = /<\s*\/?\s*memory-context\s*>/gi;
/** Also the wordings that earlier programs put there; a copy pasted back must not pass as the user's. */
const noteLine = /^[ \t]*\[System note:[^\]\n]*recalled memory[^\]\n]*\][ \t]*(?:\r?\n)?/gim;

/** Makes a user's words fit to be stored and sent: well-formed Unicode, and no recall block they did not write. */
export function cleanInput(text: string): string {
  const wellFormed = scrubSurrogates(text);
  if (!/memory-context|recalled memory/i.test(wellFormed)) return wellFormed;
  return wellFormed.replace(completeBlock, "").replace(strayTag, "").replace(noteLine, "");
}

export function cleanContent(content: Content): Content {
  if (typeof content === "string") return cleanInput(content);
  return content.map((part) => (part.type === "text" ? { ...part, text: cleanInput(part.text) } : part));
}

/** What a message refers to with `@` stands below its words, under this heading. */
export const attachedHeading = "## Attached context";

/** What the person typed, without what was attached to it: for titles, lists and everything else that names a message. */
export function typedText(content: Content | null | undefined): string {
  const text = textOf(content ?? "");
  const at = text.indexOf(`\n\n${attachedHeading}\n\n### @`);
  return at < 0 ? text : text.slice(0, at);
}
