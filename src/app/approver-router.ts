import { disposable } from "#foundation/disposal";
import { Secret } from "#foundation/secret";
import type { AgentSpec } from "#session";
import type { Approver } from "#tools";

/** The surface of one session: who approves, and who types what nobody may see. */
export type SessionSurface = Pick<AgentSpec, "approver" | "askSecret">;

/** One gate for the process, many sessions: a question goes to the surface of the session it belongs to. */
export class ApproverRouter implements Approver {
  readonly #bySession = new Map<string, SessionSurface>();

  add(sessionKey: string, surface: SessionSurface): Disposable & AsyncDisposable {
    this.#bySession.set(sessionKey, surface);
    return disposable(() => this.#bySession.delete(sessionKey));
  }

  /** A session nobody watches gets no permission. */
  ask(...[request, signal]: Parameters<Approver["ask"]>): ReturnType<Approver["ask"]> {
    return this.#bySession.get(request.sessionKey)?.approver.ask(request, signal) ?? Promise.resolve("deny");
  }

  /** A password for a command; undefined when nobody can be asked, or nobody answers. */
  async askSecret(
    question: { readonly prompt: string; readonly sessionKey: string },
    signal: AbortSignal,
  ): Promise<Secret | undefined> {
    const surface = this.#bySession.get(question.sessionKey);
    const typed = await surface?.askSecret(question.prompt, { kind: "sudo" }, signal);
    return typed === undefined || typed === "" ? undefined : new Secret(typed);
  }
}
