/** Skills: written procedures, found on this machine or in hubs, guarded, loaded when they fit. */

export type { GuardReport } from "./guard/scan.ts";
export { resetBundledSkill, syncBundledSkills } from "./hub/bundled.ts";
export { type ForeignSkill, isSameSkill, readForeignSkill, renamedSkill, writeForeignSkill } from "./hub/foreign.ts";
export { type SearchOutcome, SkillHub } from "./hub/hub.ts";
export { listInstalled } from "./hub/installed-list.ts";
export { HubLock } from "./hub/lockfile.ts";
export { openHub } from "./hub/open.ts";
export { preparePublication, publishToGitHub } from "./hub/publish.ts";
export { copyShippedSkills } from "./hub/shipped.ts";
export { importSnapshot, takeSnapshot } from "./hub/snapshot.ts";
export type { HubEntry } from "./hub/source.ts";
export { type InstalledSkill, type PluginSkillLocation, SkillLibrary } from "./library/library.ts";
export { createInlineShell } from "./load/inline-shell.ts";
export { SkillLoader, type TypedSecret } from "./load/load.ts";
export { renderInvocation, renderPreloaded } from "./load/render.ts";
export { skillCommands } from "./load/slash.ts";
export { SkillUsage } from "./load/usage.ts";
export { SkillEditor } from "./tools/edit.ts";
export { createSkillTools } from "./tools/skill-tools.ts";
export { SkillTrash } from "./tools/trash.ts";
