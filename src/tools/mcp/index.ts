/** Tools of other programs: MCP servers as a client sees them. */
export { type AttachmentFiles, attachmentFolder } from "./attachments.ts";
export type { McpDeps, ServerLog } from "./deps.ts";
export { type LoginPrompt, McpOAuth, type McpServerAddress } from "./oauth.ts";
export { createPackageCheck, type PackageCheck } from "./package-check.ts";
export { type PinChange, PinStore } from "./pins.ts";
export { probeServer } from "./probe.ts";
export type { SampleReply, SampleRequest } from "./sampling.ts";
export type { McpServerStatus } from "./server.ts";
export { openServerLog } from "./server-log.ts";
export { McpServers, type McpServersOptions } from "./servers.ts";
export { type McpServerSettings, readServerSettings } from "./settings.ts";
export { TokenStore } from "./token-store.ts";
