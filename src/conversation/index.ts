/** The data everyone shares: messages, content, usage and events, with pure functions over them. */
export type {
  AgentEvent,
  ApprovalAnswer,
  ApprovalChoice,
  ApprovalScopes,
  ApprovalWording,
  ChildFacts,
  ChildMilestone,
  ChildStatus,
  ExitReason,
  NoticeLevel,
} from "./agent-event.ts";
export { readArguments } from "./argument-text.ts";
export {
  type Content,
  type ContentPart,
  type ImagePart,
  imagePart,
  imageProblem,
  imagesOf,
  sentImageKind,
  textOf,
  textPart,
} from "./content.ts";
export { type AgentEvents, EventBus } from "./event-bus.ts";
export type { MessageId, SessionId, TurnId } from "./ids.ts";
export { attachedHeading, cleanContent, cleanInput, recallBlock, recallNote, typedText } from "./input.ts";
export {
  type AssistantMessage,
  assistantMessage,
  callsOf,
  type FinishReason,
  type Message,
  type ReplyOrigin,
  type RequestMessage,
  type SentForm,
  systemMessage,
  type ToolMessage,
  toolMessage,
  type UserMessage,
  untrustedIn,
  userMessage,
  wordsOf,
} from "./message.ts";
export type { ModelEvent, OpaqueField } from "./model-event.ts";
export {
  type CeilingReached,
  type Ceilings,
  isReached,
  limitsOf,
  type MoneyLedger,
  type PlannedCall,
  reservationLifeMs,
  type SettledCall,
  type Spender,
  type Spending,
} from "./money.ts";
export { canonicalArguments, normalizeMessage } from "./normalize.ts";
export { replayedReasoning, structuredReasoning } from "./reasoning/reasoning.ts";
export {
  hasUnclosedReasoning,
  reasoningTagNames,
  splitReasoning,
} from "./reasoning/reasoning-tags.ts";
export { recoveryWords, waitingWords } from "./recovery-words.ts";
export { type RepairCounts, repair, totalRepairs } from "./repair.ts";
export {
  deriveCallId,
  newToolCall,
  splitStoredCallId,
  type ToolCall,
} from "./tool-call.ts";
export type { JsonSchema, TodoItem, TodoStatus, ToolChoice, ToolDefinition, ToolDetails } from "./tool-definition.ts";
export {
  isValid,
  lastAssistant,
  openCalls,
  settle,
  type Violation,
  violations,
} from "./transcript.ts";
export { flagsOf, type TurnResult, type TurnToolCall, turnDocument, unstartedTurn } from "./turn-result.ts";
export {
  addCost,
  addUsage,
  type Cost,
  type CostStatus,
  promptTokens,
  totalTokens,
  type Usage,
  unknownCost,
  zeroUsage,
} from "./usage.ts";
