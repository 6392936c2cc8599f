import { shortLine } from "#foundation/text/short-text";
import { type ArgumentsOf, defineTool, result, type Tool, ToolFailure } from "#tools";
import { generalCategory } from "../library/index-block.ts";
import type { SkillLibrary } from "../library/library.ts";
import type { SkillLoader } from "../load/load.ts";
import type { SkillChange, SkillEditor } from "./edit.ts";
import { fileAnswer, lookupFailure, viewAnswer } from "./view.ts";

export interface SkillToolsDeps {
  readonly library: SkillLibrary;
  readonly loader: SkillLoader;
  readonly editor: SkillEditor;
}

/** `skills_list`, `skill_view` and `skill_manage`. */
export function createSkillTools(deps: SkillToolsDeps): readonly Tool[] {
  return [skillsList(deps), skillView(deps), skillManage(deps)];
}

function skillsList({ library }: SkillToolsDeps): Tool {
  return defineTool({
    name: "skills_list",
    toolset: "skills",
    emoji: "📚",
    description: "The installed skills with one line about each. Load one with skill_view.",
    parameters: {
      type: "object",
      properties: { category: { type: "string", description: "Only skills of this category" } },
    },
    concurrency: "safe",
    effects: "none",
    serves: "skills",
    async run(args, context) {
      const all = await library.visible(context.scope.source, context.signal);
      const rows = all.map((one) => ({
        name: one.name,
        description: one.facts.description,
        category: one.category || generalCategory,
      }));
      const wanted = nonEmpty(args.category);
      const skills = (wanted === undefined ? rows : rows.filter((one) => one.category === wanted)).sort(byCategory);
      const categories = [...new Set(rows.map((one) => one.category))].sort();
      const hint = skills.length === 0 ? "No skills here." : "skill_view(name) gives the instructions of one.";
      return result({ success: true, skills, categories, count: skills.length, hint });
    },
  });
}

function byCategory(
  left: { readonly category: string; readonly name: string },
  right: { readonly category: string; readonly name: string },
): number {
  const [a, b] = left.category === right.category ? [left.name, right.name] : [left.category, right.category];
  return a < b ? -1 : a > b ? 1 : 0;
}

function skillView({ loader, library }: SkillToolsDeps): Tool {
  return defineTool({
    name: "skill_view",
    toolset: "skills",
    emoji: "📚",
    description:
      "Read the instructions of a skill, then follow them. With file_path: one of the skill's own files (references, templates, scripts, assets).",
    parameters: {
      type: "object",
      properties: {
        name: { type: "string", description: "Name, category/name, or plugin:name" },
        file_path: { type: "string", description: "Path inside the skill, e.g. references/api.md" },
      },
      required: ["name"],
    },
    concurrency: "safe",
    // Loading a skill may run commands that stand in it.
    effects: "commands",
    isIdempotent: true,
    serves: "skills",
    shorten: ({ name }, { text }) => `read skill ${shortLine(name, 60)} (${text.length} chars)`,
    async run(args, context) {
      const name = needed(args.name, "name");
      const path = nonEmpty(args.file_path);
      const { source } = context.scope;
      if (path === undefined) return viewAnswer(await loader.load(name, context), name, source);
      const lookup = await library.find(name, source, context.signal);
      if (lookup.kind !== "found") throw lookupFailure(lookup, name);
      return await fileAnswer(lookup.skill, path);
    },
  });
}

const parameters = {
  type: "object",
  properties: {
    action: { type: "string", enum: ["create", "patch", "edit", "delete", "write_file", "remove_file"] },
    name: { type: "string", description: "Lower-case letters, digits, dots, _ and -; at most 64" },
    content: {
      type: "string",
      description: "Whole SKILL.md: YAML head with name and description, then steps (create, edit)",
    },
    category: { type: "string", description: "One folder name (create)" },
    old_string: { type: "string", description: "Text to find (patch)" },
    new_string: { type: "string", description: "Text to put there (patch)" },
    replace_all: { type: "boolean", description: "Every place (patch, default false)" },
    file_path: { type: "string", description: "Below references, templates, scripts or assets" },
    file_content: { type: "string", description: "Text of the file (write_file)" },
  },
  required: ["action", "name"],
} as const;

function skillManage({ editor }: SkillToolsDeps): Tool {
  return defineTool({
    name: "skill_manage",
    toolset: "skills",
    emoji: "📝",
    description:
      "Keep your skills, the procedures you reuse. create one after hard work that succeeded or when asked; patch one as soon as it proves " +
      "wrong (old_string, new_string); edit replaces SKILL.md; write_file and remove_file keep its supporting files; delete removes it. " +
      "Ask the user before creating or deleting.",
    parameters,
    concurrency: "serial",
    effects: "elsewhere",
    isIdempotent: false,
    isHousekeeping: true,
    serves: "skills",
    isLasting: true,
    guidance: [
      "After a complex task (five tool calls or more), a fix that was hard to find, or a workflow that was not obvious, save what worked as a skill with skill_manage.",
      "When a skill you follow proves outdated, incomplete or wrong, patch it at once.",
    ].join(" "),
    async run(args, context) {
      const { action, name } = args;
      const { message, path, extra } = await editor.apply(changeIn(args), context.scope.source, context.signal);
      return result({ success: true, message, path, ...extra }, { details: { kind: "skill", name, action, message } });
    },
  });
}

function changeIn(args: ArgumentsOf<typeof parameters>): SkillChange {
  const { action } = args;
  const name = needed(args.name, "name");
  const filePath = nonEmpty(args.file_path);
  switch (action) {
    case "create":
      return { action, name, content: needed(args.content, "content"), category: nonEmpty(args.category) };
    case "edit":
      return { action, name, content: needed(args.content, "content") };
    case "patch":
      return {
        action,
        name,
        oldText: needed(args.old_string, "old_string"),
        newText: written(args.new_string, "new_string"),
        replaceAll: args.replace_all === true,
        filePath,
      };
    case "delete":
      return { action, name };
    case "write_file":
      return {
        action,
        name,
        filePath: needed(args.file_path, "file_path"),
        text: written(args.file_content, "file_content"),
      };
    case "remove_file":
      return { action, name, filePath: needed(args.file_path, "file_path") };
  }
}

function needed(text: string | undefined, what: string): string {
  if (text === undefined || text.trim() === "")
    throw new ToolFailure(`${what} must be a text that is not empty`, { success: false });
  return text;
}

/** A text that may be empty, but must be given: a forgotten one must not empty a file. */
function written(text: string | undefined, what: string): string {
  if (text === undefined) throw new ToolFailure(`${what} must be given`, { success: false });
  return text;
}

function nonEmpty(text: string | undefined): string | undefined {
  return text?.trim() || undefined;
}
