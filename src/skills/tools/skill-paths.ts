import { filePathFault, supportFolders } from "../library/linked-files.ts";
import { createdNamePattern, maxNameLength, maxSkillChars, readSkillText } from "../library/skill.ts";

/** What may be written into a skill, judged before anything is touched. Each check gives the fault, or undefined. */

export function createdNameFault(name: string): string | undefined {
  if (name.length > maxNameLength) return `the name has more than ${maxNameLength} characters`;
  if (!createdNamePattern.test(name))
    return "a name begins with a lower-case letter or digit and goes on with lower-case letters, digits, dots, _ and -";
  return name.includes("..") ? "the name must not contain .." : undefined;
}

export function categoryFault(category: string): string | undefined {
  if (category.includes("/") || category.includes("\\")) return "a category is a single folder name";
  const fault = createdNameFault(category.toLowerCase());
  return fault === undefined ? undefined : `the category is not valid: ${fault}`;
}

/** Supporting files lie below one of four folders; nothing else in a skill is written by name. */
export function supportPathFault(path: string): string | undefined {
  const fault = filePathFault(path);
  if (fault !== undefined) return fault;
  const [folder = "", ...rest] = path.split("/");
  const isSupport = (supportFolders as readonly string[]).includes(folder);
  if (!isSupport || rest.length === 0 || rest.some((part) => part === "" || part === "."))
    return `file_path must lie below one of ${supportFolders.join(", ")}; ${JSON.stringify(path)} does not`;
  return undefined;
}

export async function skillTextFault(text: string): Promise<string | undefined> {
  if (text.length > maxSkillChars)
    return `SKILL.md has more than ${maxSkillChars} characters; move details to references/`;
  const { problems } = await readSkillText(text, "");
  return problems.length === 0 ? undefined : problems.join("; ");
}

const maxSupportBytes = 1_048_576;

export function supportTextFault(text: string): string | undefined {
  if (text.length > maxSkillChars) return `the file has more than ${maxSkillChars} characters`;
  return Buffer.byteLength(text) > maxSupportBytes ? `the file has more than ${maxSupportBytes} bytes` : undefined;
}
