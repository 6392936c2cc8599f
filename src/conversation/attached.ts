import { type Content, textOf } from "./content.ts";

/** What a message refers to with `@` stands below its words, under this heading. */
export const attachedHeading = "## Attached context";

/** What the person typed, without what was attached to it: for titles, lists and everything else that names a message. */
export function typedText(content: Content | null | undefined): string {
  const text = textOf(content ?? "");
  const at = text.indexOf(`\n\n${attachedHeading}\n\n### @`);
  return at < 0 ? text : text.slice(0, at);
}
