import { codePointLength } from "#foundation/text/text";

/** One line of the index. */
export interface IndexEntry {
  readonly name: string;
  readonly description: string;
  /** Empty: no category. */
  readonly category: string;
}

const shownDescription = 60;
const shownCategoryText = 120;
export const generalCategory = "general";

const opening = `## Skills (mandatory)
Skills are procedures that proved themselves. Read the list before you reply. If a skill fits the task, or only part of it, load it with
skill_view(name) and follow it. When a skill misleads you or is out of date, correct it at once with skill_manage(action="patch"). When a
long or difficult task worked out, offer to save the way as a new skill.`;

const closing = "Go on without a skill only if none of them bears on the task.";

/** The layer of the system prompt that names the skills; undefined when there are none. */
export function renderIndex(
  entries: readonly IndexEntry[],
  categoryTexts: ReadonlyMap<string, string>,
): string | undefined {
  if (entries.length === 0) return undefined;
  const byCategory = new Map<string, Map<string, string>>();
  for (const { name, description, category } of entries) {
    const group = byCategory.get(category || generalCategory) ?? new Map<string, string>();
    byCategory.set(category || generalCategory, group);
    if (!group.has(name)) group.set(name, description);
  }
  const lines = sorted(byCategory).flatMap(([category, group]) => [
    `  ${plain(category)}:${withSpace(shorten(plain(categoryTexts.get(category) ?? ""), shownCategoryText))}`,
    ...sorted(group).map(([name, description]) => {
      const text = shorten(plain(description), shownDescription);
      return text === "" ? `    - ${plain(name)}` : `    - ${plain(name)}: ${text}`;
    }),
  ]);
  return `${opening}\n\n<available_skills>\n${lines.join("\n")}\n</available_skills>\n\n${closing}`;
}

function sorted<V>(map: ReadonlyMap<string, V>): readonly (readonly [string, V])[] {
  return [...map].sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0));
}

/** At most `max` characters: a longer text ends in three dots, which count. */
function shorten(text: string, max: number): string {
  return codePointLength(text) <= max
    ? text
    : `${Array.from(text)
        .slice(0, max - 3)
        .join("")}...`;
}

function withSpace(text: string): string {
  return text === "" ? "" : ` ${text}`;
}

/** One line, and nothing that could end the block early. */
function plain(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .replace(/<\/?\s*available_skills\s*>/gi, "")
    .trim();
}
