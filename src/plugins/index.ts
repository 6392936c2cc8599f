/** The extension host: finds plugins, loads the enabled ones, and fires their hooks. */

export { noSessions } from "./context.ts";
export { Contributions } from "./contributions.ts";

export { examineShellHooks, type HookFinding } from "./hooks/examine-shell-hooks.ts";

export { GatewayHooks } from "./hooks/gateway-hooks.ts";
export { Hooks } from "./hooks/hooks.ts";
export { type HookName, hookNames, isHookName } from "./hooks/names.ts";

export { readCommand, readHookSection, type ShellHook, type ShellHookReading } from "./hooks/read-shell-hooks.ts";
export { fireSample, type HookEffect, isAboutTool, samplePayload } from "./hooks/sample-event.ts";
export { type ConsentState, ShellConsent } from "./hooks/shell-consent.ts";
export { registerShellHooks, type ShellHookRun } from "./hooks/shell-hooks.ts";
export { joinCommand } from "./hooks/split-command.ts";
export { PluginHost, type PluginState } from "./host.ts";
export { type InstallReport, PluginInstaller } from "./install/installer.ts";
export { PluginLock } from "./install/lock-file.ts";

export { Plugins } from "./open.ts";
export { PluginCalls } from "./plugin-calls.ts";
export { ProjectTrust } from "./project-trust.ts";

export { turnHooks } from "./turn-hooks.ts";
