import type { AgentEvent, Message, SessionId } from "#conversation";
import type { ModelRequest, Target } from "#model";
import type { Conversation } from "../conversation.ts";
import type { MeteredRequest } from "../meter.ts";
import type { Turn } from "../turn.ts";

/** What is compressed: the history of a running turn, or of a conversation between its turns. */ export interface Subject {
  readonly history: readonly Message[];
  readonly sessionId: SessionId;
  readonly target: Target;
  /** Whose files were read; absent between turns. */
  readonly taskId?: string;
  readonly signal: AbortSignal;
  /** The request as it would go out now. */
  request(): Promise<MeteredRequest>;
  emit(event: AgentEvent): void;
  replace(history: readonly Message[], cause: string): void;
  moveTo(sessionId: SessionId): void;
}

export function turnSubject(turn: Turn, preview: (turn: Turn) => Promise<ModelRequest>): Subject {
  return {
    get history() {
      return turn.history;
    },
    get sessionId() {
      return turn.sessionId;
    },
    get target() {
      return turn.target;
    },
    taskId: turn.taskId,
    signal: turn.signal,
    emit: (event) => turn.emit(event),
    replace: (history, cause) => turn.replaceHistory(history, cause),
    moveTo: (sessionId) => turn.moveTo(sessionId),
    request: () => preview(turn),
  };
}

export interface IdleFacts {
  readonly signal: AbortSignal;
  emit(event: AgentEvent): void;
  request(): Promise<MeteredRequest>;
}

export function idleSubject(conversation: Conversation, facts: IdleFacts): Subject {
  return {
    get history() {
      return conversation.history;
    },
    get sessionId() {
      return conversation.sessionId;
    },
    get target() {
      return conversation.target;
    },
    signal: facts.signal,
    emit: (event) => facts.emit(event),
    request: () => facts.request(),
    replace: (history) => {
      conversation.history = history;
    },
    moveTo: (sessionId) => {
      conversation.sessionId = sessionId;
    },
  };
}
