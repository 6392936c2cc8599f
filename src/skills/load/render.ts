import { join } from "node:path";
import type { LoadedSkill } from "./load.ts";
import { setupNote } from "./setup.ts";

/** A user message that carries a skill, and what is stored in its place. */
export interface SkillMessage {
  /** What the model reads in this turn. */
  readonly userMessage: string;
  /** What the transcript keeps: the line as it was typed. */
  readonly persistUserMessage: string;
}

/** `/slug text` as one user message. */
export function renderInvocation(
  loaded: LoadedSkill,
  typed: { readonly line: string; readonly text: string },
): SkillMessage {
  const parts = [
    `[The user called the skill "${loaded.skill.name}" for this request. Follow its instructions below.]`,
    skillContent(loaded),
    typed.text === ""
      ? "[The user added nothing. Begin with the skill, and ask if it needs something from them.]"
      : `The user's request:\n${typed.text}`,
  ];
  return { userMessage: parts.join("\n\n"), persistUserMessage: typed.line };
}

/** Skills named at the start of a session, for the part of the system prompt that is not stored. */
export function renderPreloaded(skills: readonly LoadedSkill[]): string {
  return skills
    .map(
      (loaded) =>
        `[The skill "${loaded.skill.name}" was loaded for the whole session. Apply it to every request it fits.]\n\n${skillContent(loaded)}`,
    )
    .join("\n\n");
}

function skillContent(loaded: LoadedSkill): string {
  const { skill, content, settings, setup, linkedFiles } = loaded;
  const parts = [
    content.trim(),
    `[Skill folder: ${skill.folder}\nResolve relative paths in the skill against this folder.]`,
  ];
  const values = Object.entries(settings);
  if (values.length > 0)
    parts.push(`[Settings of this skill:\n${values.map(([key, value]) => `- ${key} = ${written(value)}`).join("\n")}]`);
  const note = setupNote(setup);
  if (note !== undefined) parts.push(`[${note}]`);
  const files = Object.values(linkedFiles).flat();
  if (files.length > 0)
    parts.push(
      `[Files of this skill, to be read with skill_view(name="${skill.name}", file_path=…) or run as they are:\n${files
        .map((path) => `- ${join(skill.folder, path)}`)
        .join("\n")}]`,
    );
  return parts.join("\n\n");
}

function written(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
