import { basename } from "node:path";
import { defined } from "#foundation/defined";
import { result, ToolFailure, type ToolResult } from "#tools";
import type { InstalledSkill } from "../library/library.ts";
import { type LinkedFiles, listLinkedFiles, readLinkedFile } from "../library/linked-files.ts";
import type { Lookup } from "../library/lookup.ts";
import { isFlat, type LoadedSkill, type LoadOutcome } from "../load/load.ts";
import { remoteSetupHint, setupHelp, setupNote } from "../load/setup.ts";

/** The answer of `skill_view(name)`. */
export function viewAnswer(outcome: LoadOutcome, name: string, surface: string): ToolResult {
  if (outcome.kind !== "loaded") throw lookupFailure(outcome, name);
  const { skill, content, warnings } = outcome.loaded;
  return result(
    {
      success: true,
      name: skill.name,
      description: skill.facts.description,
      tags: skill.facts.tags,
      related_skills: skill.facts.relatedSkills,
      content,
      path: skill.file,
      skill_dir: skill.folder,
      linked_files: present(outcome.loaded.linkedFiles),
      usage_hint: usageHint(outcome.loaded),
      ...setupFields(outcome.loaded, surface),
      ...(Object.keys(outcome.loaded.settings).length === 0 ? {} : { config: outcome.loaded.settings }),
      ...defined({ compatibility: skill.facts.compatibility, metadata: skill.facts.metadata }),
      ...(warnings.length === 0 ? {} : { security_warnings: warnings }),
    },
    { preview: `${skill.name} (${content.length} characters)` },
  );
}

function setupFields(loaded: LoadedSkill, surface: string): Readonly<Record<string, unknown>> {
  const { setup, skill } = loaded;
  const note = setupNote(setup);
  const help = setupHelp(setup);
  const isLocal = surface === "cli" || surface === "tui";
  const hint = isLocal || !setup.isNeeded ? undefined : remoteSetupHint(setup);
  return {
    required_environment_variables: skill.facts.variables.map((one) => one.name),
    missing_required_environment_variables: setup.missingVariables
      .filter((one) => !one.isOptional)
      .map((one) => one.name),
    missing_credential_files: setup.missingFiles,
    missing_required_commands: setup.missingCommands,
    setup_needed: setup.isNeeded,
    setup_skipped: setup.wasSkipped,
    readiness_status: setup.isNeeded ? "setup_needed" : "available",
    ...defined({ setup_note: note, setup_help: help, gateway_setup_hint: hint }),
  };
}

function usageHint(loaded: LoadedSkill): string {
  const hasFiles = Object.values(loaded.linkedFiles).some((files) => files.length > 0);
  return hasFiles
    ? `Follow the content. Read a linked file with skill_view(name="${loaded.skill.name}", file_path="…"); relative paths are below skill_dir.`
    : "Follow the content; it has no further files.";
}

function present(files: LinkedFiles): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(Object.entries(files).filter(([, list]) => list.length > 0));
}

/** The answer of `skill_view(name, file_path)`. */
export async function fileAnswer(skill: InstalledSkill, path: string): Promise<ToolResult> {
  if (isFlat(skill))
    throw new ToolFailure(`The skill ${skill.name} is a single file and has no others.`, { success: false });
  const file = await readLinkedFile(skill.folder, path);
  switch (file.kind) {
    case "refused":
      throw new ToolFailure(`${file.reason} (${JSON.stringify(path)})`, { success: false });
    case "missing":
      throw new ToolFailure(`The skill ${skill.name} has no file ${JSON.stringify(path)}.`, {
        success: false,
        available_files: present(await listLinkedFiles(skill.folder)),
      });
    case "binary":
      return result({
        success: true,
        name: skill.name,
        file: path,
        content: `[${basename(path)} is a binary file of ${file.bytes} bytes]`,
        file_type: file.fileType,
        is_binary: true,
      });
    case "text":
      return result({ success: true, name: skill.name, file: path, content: file.content, file_type: file.fileType });
    default:
      return file satisfies never;
  }
}

/** Why a name gives no skill, as the model reads it. */
export function lookupFailure(lookup: Exclude<Lookup, { kind: "found" }>, name: string): ToolFailure {
  switch (lookup.kind) {
    case "refused":
      return new ToolFailure(`${JSON.stringify(name)} is not a skill name: ${lookup.reason}.`, { success: false });
    case "disabled":
      return new ToolFailure(`The user has switched off the skill ${lookup.skill.name} here; go on without it.`, {
        success: false,
      });
    case "unsupported":
      return new ToolFailure(
        `The skill ${lookup.skill.name} is made for ${(lookup.skill.facts.platforms ?? []).join(", ")} and does not work on this machine.`,
        { success: false, readiness_status: "unsupported" },
      );
    case "not-found":
      return new ToolFailure(`There is no skill ${JSON.stringify(name)}.`, {
        success: false,
        available_skills: lookup.names,
        hint: "skills_list shows all of them.",
      });
    default:
      return lookup satisfies never;
  }
}
