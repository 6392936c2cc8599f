import { codeRanges, isInside, type Range } from "./text-regions.ts";

/**
 * Models without a reasoning field write their thoughts into the text, between tags. These
 * functions separate the two. All passes are linear in the length of the text.
 */
export const reasoningTagNames = ["think", "thinking", "reasoning", "reasoning_scratchpad", "thought"] as const;
const toolTagNames = ["tool_call", "tool_calls", "tool_result", "function_call", "function_calls"] as const;

const reasoningTag = tagPattern(reasoningTagNames);
const toolTag = tagPattern(toolTagNames);
const functionTag = /<(\/?)(function)(\s+name\s*=[^<>]{0,200}|\s*)>/gi;

export interface SplitText {
  /** What a person should see, trimmed. */
  readonly visible: string;
  /** What stood between reasoning tags, blocks joined by a blank line. */
  readonly reasoning: string;
}

/** Separates visible text from inline reasoning, and removes tool-call markup that leaked into the text. */
export function splitReasoning(text: string): SplitText {
  if (!text.includes("<")) return { visible: text.trim(), reasoning: "" };
  const thoughts: string[] = [];
  const withoutPairs = removePairs(text, reasoningTag, (inner) => {
    if (inner.trim() !== "") thoughts.push(inner.trim());
    return true;
  });
  const withoutTools = removeFunctions(removePairs(withoutPairs, toolTag, () => true));
  const cut = unclosedReasoning(withoutTools);
  if (cut !== undefined) {
    const tail = withoutTools.slice(cut.contentStart).trim();
    if (tail !== "") thoughts.push(tail);
  }
  const kept = cut === undefined ? withoutTools : withoutTools.slice(0, cut.start);
  return { visible: removeStrays(kept).trim(), reasoning: thoughts.join("\n\n") };
}

/** True when a reasoning block was opened at a line's start and never closed: the reply was cut while thinking. */
export function hasUnclosedReasoning(text: string): boolean {
  return unclosedReasoning(removePairs(text, reasoningTag, () => true)) !== undefined;
}

interface Tag {
  readonly start: number;
  readonly end: number;
  readonly name: string;
  readonly isClosing: boolean;
}

function tagPattern(names: readonly string[]): RegExp {
  return new RegExp(`<(/?)(${names.join("|")})(\\s[^<>]{0,200})?>`, "gi");
}

function tagsOf(text: string, pattern: RegExp): Tag[] {
  return [...text.matchAll(pattern)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    name: (match[2] ?? "").toLowerCase(),
    isClosing: match[1] === "/",
  }));
}

/** Removes every opening tag with all that follows up to the first closing tag of the same name. */
function removePairs(text: string, pattern: RegExp, accept: (inner: string, opener: Tag) => boolean): string {
  const tags = tagsOf(text, pattern);
  if (tags.length === 0) return text;
  const nextCloser = closersAfter(tags);
  const kept: string[] = [];
  let from = 0;
  for (const [index, tag] of tags.entries()) {
    if (tag.isClosing || tag.start < from) continue;
    const closer = nextCloser[index];
    if (closer === undefined || !accept(text.slice(tag.end, closer.start), tag)) continue;
    kept.push(text.slice(from, tag.start));
    from = closer.end;
  }
  kept.push(text.slice(from));
  return kept.join("");
}

/** For each tag, the first closing tag of its name behind it; found in one walk from the end. */
function closersAfter(tags: readonly Tag[]): (Tag | undefined)[] {
  const latest = new Map<string, Tag>();
  const result = new Array<Tag | undefined>(tags.length);
  for (let index = tags.length - 1; index >= 0; index -= 1) {
    const tag = tags[index];
    if (tag === undefined) continue;
    result[index] = latest.get(tag.name);
    if (tag.isClosing) latest.set(tag.name, tag);
  }
  return result;
}

/** `<function name=...>` blocks are markup only at a block boundary; elsewhere they may be prose about code. */
function removeFunctions(text: string): string {
  if (!/<function\b/i.test(text)) return text;
  return removePairs(text, functionTag, (_inner, opener) => {
    const named = /name\s*=/i.test(text.slice(opener.start, opener.end));
    const before = text.slice(Math.max(0, opener.start - 100), opener.start).replace(/[ \t]+$/, "");
    return named && (before === "" || /[\n.!?:;。!?:]$/.test(before));
  });
}

function unclosedReasoning(text: string): { readonly start: number; readonly contentStart: number } | undefined {
  let code: readonly Range[] | undefined;
  for (const tag of tagsOf(text, reasoningTag)) {
    if (tag.isClosing || !isLineStart(text, tag.start)) continue;
    code ??= codeRanges(text);
    if (!isInside(code, tag.start)) return { start: tag.start, contentStart: tag.end };
  }
  return undefined;
}

function isLineStart(text: string, position: number): boolean {
  const lineStart = text.lastIndexOf("\n", position - 1) + 1;
  return text.slice(lineStart, position).trim() === "";
}

function removeStrays(text: string): string {
  if (!text.includes("<")) return text;
  const strays = [...tagsOf(text, reasoningTag), ...tagsOf(text, toolTag).filter((tag) => tag.isClosing)];
  if (strays.length === 0) return text;
  const code = codeRanges(text);
  const kept: string[] = [];
  let from = 0;
  for (const tag of strays.sort((a, b) => a.start - b.start)) {
    if (tag.start < from || isInside(code, tag.start)) continue;
    kept.push(text.slice(from, tag.start));
    from = tag.end;
  }
  kept.push(text.slice(from));
  return kept.join("");
}
