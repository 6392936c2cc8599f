/** Skills: written procedures, found on this machine or in hubs, guarded, loaded when they fit. */
export { resetBundledSkill, type SyncReport, syncBundledSkills } from "./bundled.ts";
export { type SkillCapability, skillCapabilities } from "./capability.ts";
export type { AvailableTools } from "./conditions.ts";
export { type SkillChange, SkillEditor, type SkillEditorDeps } from "./edit.ts";
export { type ForeignSkill, isSameSkill, readForeignSkill, renamedSkill, writeForeignSkill } from "./foreign.ts";
export type { GuardFinding, Verdict as GuardVerdict } from "./guard/finding.ts";
export type { Decision as GuardDecision, TrustLevel } from "./guard/policy.ts";
export { type GuardReport, scanFolder } from "./guard/scan.ts";
export { type CheckRow, type SearchOutcome, SkillHub, type SkillHubDeps } from "./hub/hub.ts";
export { HubFetch } from "./hub/hub-fetch.ts";
export type { InstallOutcome } from "./hub/install.ts";
export { HubLock, type LockEntry } from "./hub/lockfile.ts";
export { type GitHubWrite, preparePublication, publishToGitHub } from "./hub/publish.ts";
export { exportSnapshot, type ImportRow, importSnapshot } from "./hub/snapshot.ts";
export type { HubEntry, HubSource, SkillBundle } from "./hub/source.ts";
export { allSources, hubAddresses, type SourcesOptions } from "./hub/sources/all.ts";
export { Taps } from "./hub/taps.ts";
export { createInlineShell } from "./inline-shell.ts";
export { type InstalledRow, listInstalled } from "./installed-list.ts";
export {
  type InstalledSkill,
  type PluginSkillPlace,
  SkillLibrary,
  type SkillLibraryDeps,
  type SkillSettings,
} from "./library.ts";
export {
  type LoadedSkill,
  type LoadOutcome,
  SkillLoader,
  type SkillLoaderDeps,
  type SkillLoadOptions,
} from "./load.ts";
export { type Passthrough as PassedThrough, SkillPassthrough } from "./passthrough.ts";
export { renderInvocation, renderPreloaded, type SkillMessage } from "./render.ts";
export type { SecretRequest, SetupDeps } from "./setup.ts";
export { createSkillTools, type SkillToolsDeps } from "./skill-tools.ts";
export { resolveSkillCommand, type SkillCommand, type SkillCommands, skillCommands, slugOf } from "./slash.ts";
export { SkillTrash, type TrashedSkill } from "./trash.ts";
export { SkillUsage, type SkillUse } from "./usage.ts";
