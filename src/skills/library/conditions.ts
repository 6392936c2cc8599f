import type { SkillConditions, SkillFacts, SkillPlatform } from "./skill.ts";

/** What a session has at hand. */
export interface AvailableTools {
  readonly tools: ReadonlySet<string>;
  readonly toolsets: ReadonlySet<string>;
}

/** Whether the prompt index shows a skill: all it requires is there, and nothing it stands in for. */
export function isWanted(conditions: SkillConditions, available: AvailableTools): boolean {
  return (
    conditions.requiresToolsets.every((one) => available.toolsets.has(one)) &&
    conditions.requiresTools.every((one) => available.tools.has(one)) &&
    !conditions.fallbackForToolsets.some((one) => available.toolsets.has(one)) &&
    !conditions.fallbackForTools.some((one) => available.tools.has(one))
  );
}

const otherNames: Readonly<Record<string, string>> = { darwin: "macos", osx: "macos", mac: "macos", win32: "windows" };

/** Whether a skill can be used on this machine at all. */
export function isForPlatform(facts: SkillFacts, platform: SkillPlatform | undefined): boolean {
  if (facts.platforms === undefined) return true;
  return facts.platforms.some((one) => (otherNames[one] ?? one) === platform);
}

/** The word skills use for the machine Node runs on; undefined for one that no skill can name. */
export function platformOf(platform: NodeJS.Platform): SkillPlatform | undefined {
  switch (platform) {
    case "darwin":
      return "macos";
    case "win32":
      return "windows";
    case "linux":
    case "android":
      return "linux";
    default:
      return undefined;
  }
}
