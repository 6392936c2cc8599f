/** Durable conversations over the agent; slash commands; what every surface talks to. */
export type * from "./agent-handle.ts";
export type * from "./api.ts";
export { type CommandCatalog, catalogProblems, isAvailable, namesOf, pluginConflict } from "./commands/catalog.ts";
export {
  type CommandCategory,
  type CommandContext,
  type CommandSurface,
  commandCategories,
  type PluginCommand,
  type SessionControl,
  type SlashCommand,
  type WhileRunning,
} from "./commands/command.ts";
export { builtinCommands } from "./commands/index.ts";
export { type ResolvedLine, resolveCommand } from "./commands/registry.ts";
export {
  type ChannelFacts,
  type ConversationFacts,
  type Conversations,
  createConversations,
  type ListWish,
  type SpokenMessage,
} from "./conversations.ts";
export { type ExportFormat, type ExportOptions, exportSession } from "./export.ts";
export { collectInsights, type InsightsReport, type InsightsWish, type SkillUseFigures } from "./insights.ts";
export { insightsCsv, insightsJson } from "./insights-data.ts";
export { insightsText } from "./insights-text.ts";
export { findSession, newestSession } from "./lineage.ts";
export { type ResetPolicy, type ResetReason, resetDue } from "./reset-policy.ts";
export type { Preferences, SessionDeps } from "./session-deps.ts";
export { isSessionId, newSessionId } from "./session-id.ts";
export { createSessionSearchTool, type SessionSearchDeps } from "./session-search-tool.ts";
export { createSessionService } from "./session-service.ts";
export {
  type BusyMode,
  busyModes,
  defaultSessionSettings,
  type QuickCommandSetting,
  type SessionSettings,
} from "./settings.ts";
export { type SnapshotInfo, Snapshots } from "./snapshots.ts";
export { type Billed, usageChange } from "./usage-change.ts";
