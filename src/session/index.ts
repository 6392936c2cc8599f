/** Durable conversations over the agent; slash commands; what every surface talks to. */
export type {
  Alongside,
  BorrowOptions,
  CommandView,
  Completion,
  OpenOptions,
  OpenSession,
  PickerItem,
  SessionEvent,
  SessionInfo,
  SessionListener,
  SessionMode,
  SessionRequest,
  SessionService,
  Submission,
  SurfaceAction,
  ToolsetInfo,
  UserInput,
  Written,
} from "./api.ts";
export { commandCategories, type SlashCommand, type WhileRunning } from "./commands/command.ts";
export { builtinCommands } from "./commands/index.ts";
export { viewText } from "./commands/view-text.ts";

export { openSessions } from "./open.ts";
export { collectInsights, type SkillUseFigures } from "./reports/insights.ts";
export { insightsCsv, insightsJson } from "./reports/insights-data.ts";
export { insightsText } from "./reports/insights-text.ts";
export { type ResetPolicy, resetDue } from "./reports/reset-policy.ts";
export {
  type ConversationFacts,
  type Conversations,
  createConversations,
  type SpokenMessage,
} from "./search/conversations.ts";
export { withFolders } from "./search/lineage.ts";
export { createSessionSearchTool } from "./search/session-search-tool.ts";
export { answerAmong, type WaitingApproval, WaitingApprovals } from "./search/waiting-approvals.ts";
export { checkpointService } from "./services/checkpoints.ts";
export { builtInSkinNames } from "./settings.ts";
export { SpanExporter } from "./traces/span-exporter.ts";
export { planRequest } from "./turns/plan-words.ts";
export { askForJson, type StructuredResult } from "./turns/structured-answer.ts";
export { applyInput, replyOf, type WireReply } from "./wire/apply-input.ts";
export { toWire, type WireEvent, wireVersion } from "./wire/events.ts";
export { readInput } from "./wire/inputs.ts";
export { isRelayed } from "./wire/relay.ts";
export { WireError } from "./wire/shape.ts";
