import {
  type ApprovalAnswer,
  type ApprovalChoice,
  flagsOf,
  type Message,
  type SessionId,
  type TurnResult,
  unstartedTurn,
} from "#conversation";
import type { Completion, OpenSession, SessionEvent, SessionInfo, SessionMode, Submission, UserInput } from "#session";

export type Reply = (input: UserInput, session: FakeSession) => Submission | Promise<Submission>;

export function sessionInfo(more: Partial<SessionInfo> = {}): SessionInfo {
  return {
    id: "20260101_000000_abc" as SessionId,
    rootId: "20260101_000000_abc" as SessionId,
    title: undefined,
    source: "cli",
    model: "claude-sonnet-4-20250514",
    provider: "anthropic",
    providerLabel: "Anthropic",
    modelSource: "config",
    isDemo: false,
    contextWindow: 200_000,
    contextTokens: 12_400,
    isWindowSmall: false,
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
    cost: undefined,
    cwd: "/work",
    startedAtMs: Date.UTC(2026, 0, 1),
    toolsets: [{ name: "files", tools: ["read_file", "patch"], unavailable: [] }],
    skillCount: 3,
    isYolo: false,
    isPlanning: false,
    isBusy: false,
    queued: [],
    fallbackActive: false,
    ...more,
  };
}

function turnEnd(more: Partial<TurnResult> = {}): TurnResult {
  const facts = { sessionId: "20260101_000000_abc" as SessionId, model: "m", provider: "p", baseUrl: "", messages: [] };
  const unstarted = unstartedTurn({ ...facts, error: "", errorClass: "" });
  return {
    ...unstarted,
    ...flagsOf("text_response"),
    exitReason: "text_response",
    text: "",
    error: undefined,
    ...more,
  };
}

/** A session that says what a script tells it to, and remembers everything it was told. */
export class FakeSession implements OpenSession {
  info: SessionInfo;
  history: Message[] = [];
  readonly submitted: UserInput[] = [];
  readonly approvals: { readonly id: string; readonly choice: ApprovalChoice; readonly reason?: string }[] = [];
  readonly answers: { readonly id: string; readonly text: string | undefined }[] = [];
  readonly completionLines: string[] = [];
  interrupts = 0;
  isDisposed = false;
  completions: readonly Completion[] = [];
  reply: Reply = () => ({ kind: "turn", ended: Promise.resolve(turnEnd()) });
  readonly #listeners = new Set<(event: SessionEvent, seq: number) => void>();
  #seq = 0;
  readonly #queue: string[] = [];

  constructor(more: Partial<SessionInfo> = {}) {
    this.info = sessionInfo(more);
  }

  emit(...events: readonly SessionEvent[]): void {
    for (const event of events) {
      this.#seq += 1;
      for (const listener of this.#listeners) listener(event, this.#seq);
    }
  }

  get listenerCount(): number {
    return this.#listeners.size;
  }

  subscribe(listener: (event: SessionEvent, seq: number) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  async submit(input: UserInput): Promise<Submission> {
    this.submitted.push(input);
    return this.reply(input, this);
  }

  complete(line: string, _signal: AbortSignal): Promise<readonly Completion[]> {
    this.completionLines.push(line);
    return Promise.resolve(this.completions);
  }

  continueTurn(): undefined {
    return undefined;
  }

  steer(_text: string): boolean {
    return true;
  }

  queue(text: string): void {
    this.#queue.push(text);
    this.emit({ type: "queue-changed", queued: [...this.#queue] });
  }

  unqueue(index: number): string | undefined {
    const [text] = this.#queue.splice(index, 1);
    this.emit({ type: "queue-changed", queued: [...this.#queue] });
    return text;
  }

  breakOff(): void {
    this.interrupts += 1;
  }

  setMode(mode: SessionMode): void {
    this.info = { ...this.info, isYolo: mode === "yolo", isPlanning: mode === "plan" };
  }

  interrupt(_message?: string): void {
    this.interrupts += 1;
  }

  approve(requestId: string, answer: ApprovalAnswer): void {
    const choice = typeof answer === "string" ? answer : answer.choice;
    const reason = typeof answer === "string" ? {} : { reason: answer.reason };
    this.approvals.push({ id: requestId, choice, ...reason });
    this.emit({ type: "approval-response", id: requestId, choice });
  }

  answer(requestId: string, text: string | undefined): void {
    this.answers.push({ id: requestId, text });
    this.emit({ type: "question-response", id: requestId, answer: text ?? "" });
  }

  settled(): Promise<void> {
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.isDisposed = true;
    return Promise.resolve();
  }
}
