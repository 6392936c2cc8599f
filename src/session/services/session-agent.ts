import type { Agent, AgentRecords, Transcript } from "#agent";
import type { AgentEvents, Message, SessionId } from "#conversation";
import type { Approver, AskUser, DeliveredWords, Prompter } from "#tools";
import type { OpenOptions } from "../api.ts";
import type { AgentServices } from "./services.ts";

/** The agent of one conversation, with what can be done with it. Disposing it leaves nothing of it. */
export interface SessionAgent extends AsyncDisposable {
  readonly agent: Agent;
  readonly services: AgentServices;
}

/** Builds the agent of a conversation; it knows the rest of the program, the session does not. */
export type OpenAgent = (request: AgentRequest, signal: AbortSignal) => Promise<SessionAgent>;

/** What a session has for its agent. */
export interface AgentRequest {
  readonly sessionId: SessionId;
  readonly rootSessionId: SessionId;
  readonly options: OpenOptions;
  readonly history: readonly Message[];
  readonly transcript: Transcript;
  /** Where what is written beside the transcript goes, when not to the store of all sessions. */
  readonly records?: AgentRecords | undefined;
  /** The stored prompt of a session that goes on. */
  readonly prompt: PromptStorage;
  readonly startedAtMs: number;
  /** The one bus of the session. */
  readonly events: AgentEvents;
  readonly approver: Approver;
  readonly prompter: Prompter;
  /** Questions of the model; undefined where nobody can answer. */
  readonly askUser: AskUser | undefined;
  /** Words that arrive by themselves and begin a turn; false when the session takes none any more. */
  deliver(words: DeliveredWords): boolean;
}

export interface PromptStorage {
  load(): Promise<{ readonly text: string; readonly record?: unknown } | undefined>;
  save(text: string, record: unknown): Promise<void>;
}
