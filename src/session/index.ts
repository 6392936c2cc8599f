/** Durable conversations over the agent; slash commands; what every surface talks to. */
export type * from "./api.ts";
export { commandCategories, type SlashCommand, type WhileRunning } from "./commands/command.ts";
export { builtinCommands } from "./commands/index.ts";
export { namesOf } from "./commands/registry.ts";
export { collectInsights, type SkillUseFigures } from "./reports/insights.ts";
export { insightsCsv, insightsJson } from "./reports/insights-data.ts";
export { insightsText } from "./reports/insights-text.ts";
export {
  type ConversationFacts,
  type Conversations,
  createConversations,
  type SpokenMessage,
} from "./search/conversations.ts";
export { createSessionSearchTool } from "./search/session-search-tool.ts";
export { accountService } from "./services/account.ts";
export { checkpointService } from "./services/checkpoints.ts";
export { memoryService } from "./services/memory.ts";
export { modelService, windowRule } from "./services/models.ts";
export { referenceService } from "./services/references.ts";
export type { AgentServices } from "./services/services.ts";
export type { AgentRequest, OpenAgent, SessionAgent } from "./services/session-agent.ts";
export { skillService } from "./services/skills.ts";
export { titleService } from "./services/titles.ts";
export { toolService } from "./services/tools.ts";
export type { Preferences } from "./session-deps.ts";
export { createSessionService } from "./session-service.ts";
export { defaultSessionSettings, type SessionSettings } from "./settings.ts";
export { newSessionId } from "./turns/session-id.ts";
export { usageChange } from "./turns/usage-change.ts";
