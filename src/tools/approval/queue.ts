import type { ApprovalChoice } from "#conversation";
import { onAbort } from "#foundation/lifecycle/abort";
import { Deferred } from "#foundation/lifecycle/deferred";
import type { ApprovalRequest, Approver } from "./request.ts";

interface Waiting {
  readonly request: ApprovalRequest;
  readonly answer: Deferred<ApprovalChoice>;
}

/**
 * Approvals that are answered from elsewhere: a chat, an editor. First come, first answered, per
 * session; several may wait at once. A question that cannot be delivered is denied.
 */
export class ApprovalQueue implements Approver {
  readonly #send: (request: ApprovalRequest, signal: AbortSignal) => Promise<void>;
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(send: (request: ApprovalRequest, signal: AbortSignal) => Promise<void>) {
    this.#send = send;
  }

  async ask(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalChoice> {
    const waiting: Waiting = { request, answer: new Deferred<ApprovalChoice>() };
    this.#waiting.set(request.sessionKey, [...(this.#waiting.get(request.sessionKey) ?? []), waiting]);
    using _stop = onAbort(signal, () => waiting.answer.resolve("deny"));
    try {
      await this.#send(request, signal);
      return await waiting.answer.promise;
    } catch {
      return "deny";
    } finally {
      this.#remove(waiting);
    }
  }

  /** Answers the oldest question of a session, or all of them; how many were answered. */
  answer(sessionKey: string, choice: ApprovalChoice, which: "oldest" | "all" = "oldest"): number {
    const waiting = this.#waiting.get(sessionKey) ?? [];
    const chosen = which === "all" ? waiting : waiting.slice(0, 1);
    for (const one of chosen) {
      const isOffered = choice === "deny" || one.request.choices.includes(choice);
      one.answer.resolve(isOffered ? choice : "session");
      this.#remove(one);
    }
    return chosen.length;
  }

  /** Answers one question by its id, for buttons. */
  answerById(id: string, choice: ApprovalChoice): boolean {
    for (const waiting of this.#waiting.values()) {
      const found = waiting.find((one) => one.request.id === id);
      if (found === undefined) continue;
      found.answer.resolve(choice);
      this.#remove(found);
      return true;
    }
    return false;
  }

  pending(sessionKey: string): readonly ApprovalRequest[] {
    return (this.#waiting.get(sessionKey) ?? []).map((one) => one.request);
  }

  /** The session ended: whoever waits gets a no. */
  endSession(sessionKey: string): void {
    this.answer(sessionKey, "deny", "all");
  }

  #remove(gone: Waiting): void {
    const key = gone.request.sessionKey;
    const left = (this.#waiting.get(key) ?? []).filter((one) => one !== gone);
    if (left.length === 0) this.#waiting.delete(key);
    else this.#waiting.set(key, left);
  }
}
