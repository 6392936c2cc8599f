/** Durable conversations over chat platforms: what an adapter implements, and the process that hosts them. */
export { type PairedPerson, Pairing } from "./access/pairing.ts";
export { accessWarnings } from "./access/warnings.ts";
export { enabledPlatforms, loadPlatform, platformIds } from "./adapters/registry.ts";
export { slackCommands, slackManifest } from "./adapters/slack/manifest.ts";
export { signatureOf } from "./adapters/webhook/signature.ts";
export { routeName, type Subscription, Subscriptions } from "./adapters/webhook/subscriptions.ts";
export { runWhatsAppBridge } from "./adapters/whatsapp/device/run.ts";
export { menuCommands } from "./connections/menu-commands.ts";
export { openNetwork } from "./connections/network.ts";
export type { PlatformState } from "./connections/supervisor.ts";
export { sendOwed, type VisitorDeps, visit } from "./connections/visitor.ts";
export { findTraces, forget } from "./forgetting/forget.ts";
export { type GatewayDeps, type GatewayEnd, runGateway } from "./gateway.ts";
export type { InboundMessage } from "./platform/inbound.ts";

export { ConnectionError, type Platform } from "./platform/platform.ts";
export { asOnlyInstance, endProcess, hasEnded, isTakenOver, runningInstance } from "./process/instance.ts";
export { asMember, memberFile, runningMembers } from "./process/members.ts";
export { rolesOf } from "./process/roles.ts";
export { lastKnownState, runningProcesses } from "./process/running.ts";
export { settingWarnings } from "./process/setting-warnings.ts";
export { StatusFile } from "./process/status-file.ts";
export { openTargets } from "./targets/open-targets.ts";
