import type { ApprovalAnswer, ApprovalChoice } from "#conversation";
import { onAbort } from "#foundation/lifecycle/abort";
import { Deferred } from "#foundation/lifecycle/deferred";
import { newId } from "#foundation/text/ids";
import type { SessionEvent } from "#session";
import type { ApprovalQuestion } from "../handle.ts";

/** Permissions that are asked for outside of a session. They stand in the same line as those of the session. */
export class OwnApprovals {
  readonly #emit: (event: SessionEvent) => void;
  readonly #open = new Map<string, Deferred<ApprovalChoice>>();

  constructor(emit: (event: SessionEvent) => void) {
    this.#emit = emit;
  }

  async ask(question: ApprovalQuestion, signal: AbortSignal): Promise<ApprovalChoice> {
    if (signal.aborted) return "deny";
    const id = newId("apr");
    const answer = new Deferred<ApprovalChoice>();
    this.#open.set(id, answer);
    using _stop = onAbort(signal, () => {
      if (this.answer(id, "deny")) this.#emit({ type: "approval-response", id, choice: "deny" });
    });
    this.#emit({ type: "approval-request", id, isDestructive: false, ...question });
    return await answer.promise;
  }

  /** False when the question is not one of these. */
  answer(id: string, input: ApprovalAnswer): boolean {
    const answer = this.#open.get(id);
    this.#open.delete(id);
    answer?.resolve(typeof input === "string" ? input : input.choice);
    return answer !== undefined;
  }
}
