import { readTexts } from "#foundation/text/read-fields";

/**
 * What a skill may do, in words a person can judge before installing it. Declared under
 * `metadata.hermes.capabilities`; the guard compares the declaration with the content.
 */
export const skillCapabilities = {
  shell: "runs commands or scripts",
  network: "talks to other machines",
  secrets: "uses keys, tokens or passwords",
  "files-outside-workspace": "reads or writes files outside the folder that is worked in",
  install: "installs software",
  system: "changes services, schedules, users or system settings",
  delete: "deletes files or data",
} as const;

export type SkillCapability = keyof typeof skillCapabilities;

function isSkillCapability(text: string): text is SkillCapability {
  return Object.hasOwn(skillCapabilities, text);
}

/** The known words of a declaration; unknown ones declare nothing. */
export function readCapabilities(value: unknown): readonly SkillCapability[] {
  const words = readTexts(value).map((word) => word.toLowerCase().replaceAll("_", "-"));
  return [...new Set(words.filter(isSkillCapability))];
}
