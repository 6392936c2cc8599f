/** The extension host: finds plugins, loads the enabled ones, and fires their hooks. */
export type {
  CliCommand,
  CommandHandler,
  CommandOptions,
  ImageGenProvider,
  PluginContext,
  PluginTool,
  RegisterPlugin,
} from "./api.ts";
export type { PluginWiring } from "./context.ts";
export { Contributions, type PluginCommand, type PluginSkill } from "./contributions.ts";
export type { PluginPlaces, PluginSource } from "./discover.ts";
export { hookedCalls } from "./hooks/call-observer.ts";
export { type GatewayHookDeps, GatewayHooks } from "./hooks/gateway-hooks.ts";
export { type DispatchVerdict, Hooks, type ToolCallVerdict } from "./hooks/hooks.ts";
export { type HookName, hookNames } from "./hooks/names.ts";
export type { HookPayloads } from "./hooks/payloads.ts";
export { ShellConsent } from "./hooks/shell-consent.ts";
export { readShellHooks, registerShellHooks, type ShellHook } from "./hooks/shell-hooks.ts";
export { type PluginEntry, PluginHost, type PluginHostOptions, type PluginState } from "./host.ts";
export {
  type InstallerDeps,
  type InstallOutcome,
  type InstallReport,
  PluginInstaller,
} from "./install/installer.ts";
export { type LockedPlugin, PluginLock } from "./install/lock-file.ts";
export type { PluginManifest } from "./manifest.ts";
export { ProjectTrust } from "./project-trust.ts";
export type { TerminalPart } from "./terminal-part.ts";
