import { attachedHeading } from "#conversation";
import { estimateText } from "#model";
import { type ReferenceDeps, readReference } from "./content.ts";
import { parseReferences } from "./parse.ts";

export type { ReferenceDeps } from "./content.ts";

export interface ExpandedMessage {
  /** The message as written, with what it refers to attached below. */
  readonly text: string;
  /** The references whose content is attached. */
  readonly attached: readonly string[];
  /** What could not be attached, or is large; sentences for the user. */
  readonly warnings: readonly string[];
  /** Where attached words of strangers came from. */
  readonly untrusted?: string | undefined;
  /** Estimated size of what was attached. */
  readonly attachedTokens: number;
}

const warnShare = 0.25;
const refuseShare = 0.5;

/**
 * Attaches what a message refers to with `@file:`, `@folder:`, `@diff`, `@staged`, `@git:` and `@url:`. A
 * reference that fails is a warning; the message goes out in any case. Content that would fill more than
 * half of the window is left out as a whole, since half an attachment misleads more than none.
 */
export async function expandReferences(
  text: string,
  deps: ReferenceDeps & { readonly windowTokens: number },
  signal: AbortSignal,
): Promise<ExpandedMessage> {
  const { references, warnings: notes } = parseReferences(text);
  const warnings = [...notes];
  const sections: { readonly raw: string; readonly text: string }[] = [];
  let untrusted: string | undefined;
  let tokens = 0;
  for (const reference of references) {
    const content = await readReference(reference, deps, signal);
    if (content.kind === "problem") {
      warnings.push(`${reference.raw} is not attached: ${content.reason}.`);
      continue;
    }
    if (reference.kind === "url") untrusted ??= reference.url;
    sections.push({ raw: reference.raw, text: `### ${reference.raw}\n${content.text}` });
    tokens += estimateText(content.text);
    if (tokens > deps.windowTokens * refuseShare) {
      warnings.push(
        `Nothing is attached: the references need more than half of the context window of ${deps.windowTokens} tokens. Name fewer or smaller parts, such as @file:path:1-200.`,
      );
      return { text, attached: [], warnings, attachedTokens: 0 };
    }
  }
  if (tokens > deps.windowTokens * warnShare)
    warnings.push(`The attached references take about ${tokens} of ${deps.windowTokens} tokens.`);
  if (sections.length === 0) return { text, attached: [], warnings, attachedTokens: 0 };
  return {
    text: [text, attachedHeading, ...sections.map((section) => section.text)].join("\n\n"),
    attached: sections.map(({ raw }) => raw),
    warnings,
    untrusted,
    attachedTokens: tokens,
  };
}
