import type { InstalledSkill } from "../library/library.ts";

export interface SkillCommand {
  /** What is typed after the slash. */
  readonly slug: string;
  readonly skill: InstalledSkill;
}

export interface SkillCommands {
  readonly commands: ReadonlyMap<string, SkillCommand>;
  /** Skills that cannot be called by slash, and why; shown once at start. */
  readonly warnings: readonly string[];
}

/** A skill's name as a command: lower case, `-` for spaces and `_`, and nothing a keyboard makes difficult. */
export function slugOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/[\s_]+/g, "-")
    .replace(/[^a-z0-9-]/g, "")
    .replace(/-{2,}/g, "-")
    .replace(/^-|-$/g, "");
}

/** The commands of the visible skills. Built-in commands keep their names, and the first of two skills does. */
export function skillCommands(skills: readonly InstalledSkill[], builtin: ReadonlySet<string>): SkillCommands {
  const taken = new Set([...builtin].map((name) => slugOf(name)));
  const commands = new Map<string, SkillCommand>();
  const warnings: string[] = [];
  for (const skill of skills) {
    const slug = slugOf(skill.name);
    const other = commands.get(slug);
    if (slug === "") warnings.push(`The skill ${JSON.stringify(skill.name)} has no letters to make a command of.`);
    else if (taken.has(slug))
      warnings.push(`/${slug} is a built-in command; the skill ${skill.name} can be loaded with skill_view only.`);
    else if (other !== undefined)
      warnings.push(`/${slug} already belongs to the skill ${other.skill.name}; ${skill.name} has no command.`);
    else commands.set(slug, { slug, skill });
  }
  return { commands, warnings };
}
