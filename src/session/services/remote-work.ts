import type { AgentEvents, SessionId } from "#conversation";
import type { Logger } from "#foundation/files/logger";
import { quietly } from "#foundation/files/quietly";
import { isAbort, linkSignals } from "#foundation/lifecycle/abort";
import type { Clock } from "#foundation/time/clock";
import { answerRemote, type Models, type RemoteHermes } from "#model";
import type { Approver, Prompter } from "#tools";
import { wireVersion } from "../wire/events.ts";
import { type RelayedEvent, readRelayed } from "../wire/relay.ts";

export interface RemoteWorkDeps {
  readonly remote: RemoteHermes;
  readonly sessionId: SessionId;
  /** What is allowed for good there holds for everybody: only the owner is offered that. */
  readonly isOwner: boolean;
  readonly events: AgentEvents;
  readonly approver: Approver;
  readonly prompter: Prompter;
  readonly clock: Clock;
  readonly logger: Logger;
}

type Stream = Models["stream"];
type Request<T extends RelayedEvent["type"]> = Extract<RelayedEvent, { readonly type: T }>;

/** Waits between the tries to hand an answer over; the other Hermes waits for it much longer. */
const againAfterMs = [1_000, 3_000, 10_000];

/** The same stream; what the Hermes at its other end tells of its work is shown in the session, and asked of its person. */
export function followingWork(stream: Stream, deps: RemoteWorkDeps): Stream {
  return async function* follow(request, signal) {
    await using work = new RemoteWork(deps, signal);
    for await (const event of stream(request, signal)) {
      const told = event.type === "relayed" ? readRelayed(event.event) : undefined;
      if (told !== undefined) work.take(told);
      else yield event;
    }
  };
}

/** The work of one turn that is done elsewhere. Whatever is open of it ends with it. */
class RemoteWork implements AsyncDisposable {
  readonly #deps: RemoteWorkDeps;
  readonly #over = new AbortController();
  readonly #signal: AbortSignal;
  readonly #calls = new Map<string, string>();
  /** What is asked here for it, and what takes the question back. */
  readonly #asked = new Map<string, AbortController>();
  readonly #answers = new Set<Promise<void>>();

  constructor(deps: RemoteWorkDeps, signal: AbortSignal) {
    this.#deps = deps;
    this.#signal = linkSignals(signal, this.#over.signal);
  }

  take(event: RelayedEvent): void {
    const { events } = this.#deps;
    if (event.type === "approval-request") this.#ask(event.id, (signal) => this.#approval(event, signal));
    else if (event.type === "question-request") this.#ask(event.id, (signal) => this.#question(event, signal));
    else if (event.type === "approval-response" || event.type === "question-response")
      this.#asked.get(event.id)?.abort();
    else events.emit(event);
    if (event.type === "tool-start") this.#calls.set(event.callId, event.name);
    else if (event.type === "tool-end") this.#calls.delete(event.callId);
  }

  /** The connection ended: nobody hears how the calls that ran went on. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    await Promise.all(this.#answers);
    for (const [callId, name] of this.#calls)
      this.#deps.events.emit({ type: "tool-end", callId, name, isError: true, durationMs: 0, preview: "" });
  }

  #ask(id: string, ask: (signal: AbortSignal) => Promise<object>): void {
    const taken = new AbortController();
    this.#asked.set(id, taken);
    const signal = linkSignals(this.#signal, taken.signal);
    const put = async (): Promise<void> => {
      try {
        const input = await ask(signal);
        if (!signal.aborted) await this.#tell({ v: wireVersion, id, ...input }, signal);
      } catch (error) {
        if (!isAbort(error)) throw error;
      }
    };
    const { logger } = this.#deps;
    const answered = quietly("asking what is asked elsewhere", put, { logger, level: "error" }).then(() => {
      this.#asked.delete(id);
      this.#answers.delete(answered);
    });
    this.#answers.add(answered);
  }

  async #approval(event: Request<"approval-request">, signal: AbortSignal): Promise<object> {
    const { approver, sessionId, isOwner } = this.#deps;
    const { id, callId, tool, summary, reasons, scopes, lines, isDestructive } = event;
    const choices = event.choices.filter((choice) => isOwner || choice !== "always");
    const findings = reasons.map((description) => ({
      key: description,
      description,
      severity: "ask" as const,
      source: "remote",
    }));
    const about = { id, callId, tool, summary, findings, choices, scopes, lines, isDestructive };
    const answer = await approver.ask({ ...about, sessionKey: sessionId, taskId: sessionId }, signal);
    return { type: "approve", ...(typeof answer === "string" ? { choice: answer } : answer) };
  }

  async #question({ question, choices }: Request<"question-request">, signal: AbortSignal): Promise<object> {
    const answer = await this.#deps.prompter.question(question, choices, signal);
    return { type: "answer", text: answer.kind === "answer" ? answer.text : null };
  }

  async #tell(input: object, signal: AbortSignal): Promise<void> {
    const { remote, sessionId, clock, logger, events } = this.#deps;
    for (const waitMs of [...againAfterMs, undefined]) {
      const isTaken = await answerRemote(remote, { sessionId, input }, signal);
      if (isTaken !== undefined) {
        if (!isTaken) logger.warn("the Hermes that does the work does not take an answer", { sessionId });
        return;
      }
      if (waitMs !== undefined) await clock.sleep(waitMs, signal);
    }
    events.emit({ type: "notice", level: "warn", text: "The answer did not reach the Hermes that does the work." });
  }
}
