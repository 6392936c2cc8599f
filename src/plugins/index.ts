/** The extension host: finds plugins, loads the enabled ones, and fires their hooks. */
export type {
  CliCommand,
  CommandHandler,
  CommandOptions,
  ImageGenProvider,
  PluginCall,
  PluginContext,
  PluginTool,
  RegisterPlugin,
} from "./api.ts";
export { noSessions, type PluginSessions, type PluginWiring } from "./context.ts";
export { Contributions, type PluginCommand, type PluginSkill } from "./contributions.ts";
export type { PluginPlaces, PluginSource } from "./discover.ts";
export { hookedCalls } from "./hooks/call-observer.ts";
export { examineShellHooks, type HookFinding } from "./hooks/examine-shell-hooks.ts";
export { type GatewayHookDeps, GatewayHooks } from "./hooks/gateway-hooks.ts";
export { type DispatchVerdict, Hooks, type SessionHooks, type ToolCallVerdict } from "./hooks/hooks.ts";
export { type HookName, hookNames, isHookName } from "./hooks/names.ts";
export type { HookPayloads } from "./hooks/payloads.ts";
export {
  readCommand,
  readHookSection,
  readShellHooks,
  type ShellHook,
  type ShellHookReading,
} from "./hooks/read-shell-hooks.ts";
export { fireSample, type HookEffect, isAboutTool, samplePayload } from "./hooks/sample-event.ts";
export { type ConsentState, ShellConsent } from "./hooks/shell-consent.ts";
export { registerShellHooks, type ShellHookRun } from "./hooks/shell-hooks.ts";
export { joinCommand } from "./hooks/split-command.ts";
export { type PluginEntry, PluginHost, type PluginHostOptions, type PluginState } from "./host.ts";
export {
  type InstallerDeps,
  type InstallOutcome,
  type InstallReport,
  PluginInstaller,
} from "./install/installer.ts";
export { type LockedPlugin, PluginLock } from "./install/lock-file.ts";
export type { PluginManifest } from "./manifest.ts";
export { Plugins, type PluginsOptions, type PluginTools, type SessionCommand } from "./open.ts";
export { PluginCalls } from "./plugin-calls.ts";
export { ProjectTrust } from "./project-trust.ts";
export type { TerminalPart } from "./terminal-part.ts";
export { turnHooks } from "./turn-hooks.ts";
