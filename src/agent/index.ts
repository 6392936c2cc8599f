/** Thinking: the loop, recovery, prompt, compression, memory, skills, delegation and trajectories. */
export { Agent, type ConversationInput } from "./agent.ts";
export { type AgentDeps, type AgentSettings, type AgentTools, defaultAgentSettings } from "./agent-deps.ts";
export type { CallMoney, CountedCall } from "./call-model.ts";
export { type ContextKeeper, keepEverything } from "./context-keeper.ts";
export { Conversation, type ConversationInit } from "./conversation.ts";
export { type LoopDeps, runTurn } from "./loop.ts";
export { freeOfCharge } from "./money.ts";
export { flagsOf, type TurnOutcome } from "./outcome.ts";
export { type PromptSource, type Transcript, type TurnHooks, type TurnMemory, unrecorded } from "./ports.ts";
export { describeProblem, type Problem } from "./problem.ts";
export { type Remedy, recover } from "./recovery/remedy.ts";
export { type RemedyDeps, standardRemedies } from "./recovery/standard.ts";
export type { RequestSettings } from "./request.ts";
export type { TurnResult } from "./result.ts";
export * from "./skills/index.ts";
export { Turn } from "./turn.ts";
