import type { ToolContext } from "../contract/context.ts";
import type { SessionScope } from "../contract/session-scope.ts";

/** Where a call of a tool belongs, but for the call itself. */
export type CallLocation = Omit<ToolContext, "callId" | "signal" | "progress" | "agent">;

/** A session as its tools see it. */
export interface ToolSession {
  readonly scope: SessionScope;
  /** The part of the conversation that is written now. */
  sessionId(): string;
  /** What its model is shown now. */
  enabledTools(): ReadonlySet<string>;
}

/** The sessions that are open now, and the tasks that have run in them. */
export class OpenSessions {
  readonly #sessions = new Map<string, ToolSession>();
  readonly #tasks = new Map<string, Set<string>>();

  add(session: ToolSession): void {
    this.#sessions.set(session.scope.key, session);
  }

  /** A task works for this session; what it holds ends with the session at the latest. */
  note(sessionKey: string, taskId: string): void {
    this.#tasks.set(sessionKey, (this.#tasks.get(sessionKey) ?? new Set<string>()).add(taskId));
  }

  /** The tasks that have run in a session. */
  tasks(sessionKey: string): readonly string[] {
    return [...(this.#tasks.get(sessionKey) ?? [])];
  }

  scope(sessionKey: string): SessionScope | undefined {
    return this.#sessions.get(sessionKey)?.scope;
  }

  /** What a session runs tools with; without a key the only session there is. */
  location(sessionKey: string | undefined): CallLocation | undefined {
    const [first, ...others] = this.#sessions.values();
    const only = others.length === 0 ? first : undefined;
    const session = sessionKey === undefined ? only : this.#sessions.get(sessionKey);
    if (session === undefined) return undefined;
    const { scope } = session;
    return { scope, taskId: scope.key, sessionId: session.sessionId(), enabledTools: session.enabledTools() };
  }

  /** Forgets a session; its tasks. One that was opened again under the same key stays. */
  remove(session: ToolSession): readonly string[] {
    const { key } = session.scope;
    if (this.#sessions.get(key) !== session) return [];
    const tasks = [...(this.#tasks.get(key) ?? [])];
    this.#sessions.delete(key);
    this.#tasks.delete(key);
    return tasks;
  }
}
