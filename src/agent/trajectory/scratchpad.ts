import { isBlank } from "./white-space.ts";

const openTag = "<REASONING_SCRATCHPAD>";
const closeTag = "</REASONING_SCRATCHPAD>";

/** Scratchpad tags become think tags. A closing tag alone means nothing; the text between is left as it is. */
export function convertScratchpad(content: string): string {
  if (!content.includes(openTag)) return content;
  return content.replaceAll(openTag, "<think>").replaceAll(closeTag, "</think>");
}

/** The model began to reason in a scratchpad and never came out of it. */
export function hasIncompleteScratchpad(content: string): boolean {
  return content.includes(openTag) && !content.includes(closeTag);
}

export function thinkPrefix(reasoning: string | undefined): string {
  return reasoning === undefined || isBlank(reasoning) ? "" : `<think>\n${reasoning}\n</think>\n`;
}

/** Every assistant turn of the training data has a think block, if need be an empty one. */
export function ensureThink(value: string): string {
  return value.includes("<think>") ? value : `<think>\n</think>\n${value}`;
}
