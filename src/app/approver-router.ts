import { disposable } from "#foundation/disposal";
import type { Approver } from "#tools";

/** One gate for the process, many sessions: a question goes to the surface of the session it belongs to. */
export class ApproverRouter implements Approver {
  readonly #bySession = new Map<string, Approver>();

  add(sessionKey: string, approver: Approver): Disposable & AsyncDisposable {
    this.#bySession.set(sessionKey, approver);
    return disposable(() => this.#bySession.delete(sessionKey));
  }

  /** A session nobody watches gets no permission. */
  ask(...[request, signal]: Parameters<Approver["ask"]>): ReturnType<Approver["ask"]> {
    return this.#bySession.get(request.sessionKey)?.ask(request, signal) ?? Promise.resolve("deny");
  }
}
