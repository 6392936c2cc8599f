/** The data everyone shares: messages, content, usage and events, with pure functions over them. */
export type {
  AgentEvent,
  ApprovalAnswer,
  ApprovalChoice,
  ApprovalScopes,
  ChildFacts,
  ChildMilestone,
  ChildStatus,
  ExitReason,
  NoticeLevel,
} from "./agent-event.ts";
export { type ReadArguments, readArguments } from "./argument-text.ts";
export {
  type Content,
  type ContentPart,
  type ImagePart,
  imagePart,
  imagesOf,
  isEmptyContent,
  type TextPart,
  textOf,
  textPart,
} from "./content.ts";
export { type AgentEvents, EventBus, type Observer, type ObserverName, observerOrder } from "./event-bus.ts";
export type { MessageId, SessionId, TurnId } from "./ids.ts";
export { imageProblem, type SentImageKind, sentImageKind } from "./image-kind.ts";
export { cleanContent, cleanInput, recallBlock, recallNote } from "./input.ts";
export {
  type AssistantMessage,
  assistantMessage,
  callsOf,
  type FinishReason,
  type Message,
  type ReplyOrigin,
  type RequestMessage,
  type SentForm,
  type SystemMessage,
  systemMessage,
  type ToolMessage,
  toolMessage,
  type UserMessage,
  untrustedIn,
  userMessage,
  wordsOf,
} from "./message.ts";
export type { ModelEvent, OpaqueField } from "./model-event.ts";
export { canonicalArguments, normalizeMessage } from "./normalize.ts";
export { type ReasoningFields, replayedReasoning, structuredReasoning } from "./reasoning.ts";
export {
  hasUnclosedReasoning,
  reasoningTagNames,
  type SplitText,
  splitReasoning,
  visibleText,
} from "./reasoning-tags.ts";
export { missingResult, type RepairCounts, type Repaired, repair, totalRepairs } from "./repair.ts";
export {
  deriveCallId,
  deriveItemId,
  newToolCall,
  splitStoredCallId,
  type ToolCall,
} from "./tool-call.ts";
export type { JsonSchema, ToolChoice, ToolDefinition } from "./tool-definition.ts";
export type { TodoItem, TodoStatus, ToolDetails } from "./tool-details.ts";
export {
  isValid,
  lastAssistant,
  lastWords,
  openCalls,
  settle,
  summarize,
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
