import type { TurnId } from "#conversation";
import type { SessionEvent } from "#session";
import { sessionInfo } from "./fake-session.ts";

/** Events of a turn, as short as tests want them. */
export const turnStart: SessionEvent = { type: "turn-start", sessionId: sessionInfo().id, turnId: "t1" as TurnId };
export const turnDone: SessionEvent = { type: "turn-end", exitReason: "text_response", text: "" };
export const text = (...pieces: readonly string[]): SessionEvent[] =>
  pieces.map((piece) => ({ type: "text-delta", text: piece }));
export const toolStart = (callId: string, name: string, args: unknown): SessionEvent => ({
  type: "tool-start",
  callId,
  name,
  args,
  preview: "",
});
export const toolEnd = (callId: string, name: string, more: object = {}): SessionEvent => ({
  type: "tool-end",
  callId,
  name,
  isError: false,
  durationMs: 1_200,
  preview: "",
  ...more,
});
export const approval = (id: string, more: object = {}): SessionEvent => ({
  type: "approval-request",
  id,
  tool: "terminal",
  summary: "rm -rf build",
  reasons: ["deletes files"],
  choices: ["once", "session", "always", "deny"],
  isDestructive: false,
  ...more,
});
