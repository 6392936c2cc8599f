import { disposable } from "#foundation/lifecycle/disposal";
import { Secret } from "#foundation/secrets/secret";
import type { AgentSpec, DeliveredWords, PersonAnswer } from "#session";
import type { Approver, ToolContext } from "#tools";

/** Where a call of a tool belongs, but for the call itself. */
export type CallPlace = Omit<ToolContext, "callId" | "signal" | "progress">;

/** One open session as seen from what all sessions share: who approves, who can be asked, what it would run tools with. */
export interface SessionSurface {
  readonly spec: Pick<AgentSpec, "approver" | "askSecret" | "askPerson" | "deliver" | "wish">;
  place(): CallPlace;
}

/**
 * One process, many sessions: a question or a report goes to the surface of the session it belongs to.
 * What belongs to none goes to the session whose turn began last.
 */
export class SurfaceRouter implements Approver {
  readonly #bySession = new Map<string, SessionSurface>();

  add(sessionKey: string, surface: SessionSurface): Disposable & AsyncDisposable {
    this.#bySession.set(sessionKey, surface);
    return disposable(() => {
      // A session that was opened again under the same key has another surface by now.
      if (this.#bySession.get(sessionKey) === surface) this.#bySession.delete(sessionKey);
    });
  }

  /** The session whose turn begins now stands last. */
  turnBegins(sessionKey: string): void {
    const surface = this.#bySession.get(sessionKey);
    if (surface === undefined) return;
    this.#bySession.delete(sessionKey);
    this.#bySession.set(sessionKey, surface);
  }

  /** What the session whose turn began last runs tools with. */
  get place(): CallPlace | undefined {
    return [...this.#bySession.values()].at(-1)?.place();
  }

  /** The session with a person whose turn began last. */
  get attended(): string | undefined {
    return [...this.#bySession].findLast(([, { spec }]) => spec.wish.isInteractive)?.[0];
  }

  /** A session nobody watches gets no permission. */
  ask(...[request, signal]: Parameters<Approver["ask"]>): ReturnType<Approver["ask"]> {
    return this.#bySession.get(request.sessionKey)?.spec.approver.ask(request, signal) ?? Promise.resolve("deny");
  }

  canAsk(about: Pick<Parameters<Approver["ask"]>[0], "sessionKey" | "taskId">): boolean {
    const approver = this.#bySession.get(about.sessionKey)?.spec.approver;
    return approver !== undefined && approver.canAsk?.(about) !== false;
  }

  /** A password for a command; undefined when nobody can be asked, or nobody answers. */
  async askSecret(
    question: { readonly prompt: string; readonly sessionKey: string },
    signal: AbortSignal,
  ): Promise<Secret | undefined> {
    const surface = this.#bySession.get(question.sessionKey);
    const typed = await surface?.spec.askSecret(question.prompt, { kind: "sudo" }, signal);
    return typed === undefined || typed === "" ? undefined : new Secret(typed);
  }

  /** A value for a variable, typed by whoever sits at the session whose turn began last; undefined without anybody. */
  async askVariable(
    question: { readonly prompt: string; readonly variable: string },
    signal: AbortSignal,
  ): Promise<Secret | "skipped" | undefined> {
    const { attended } = this;
    const surface = attended === undefined ? undefined : this.#bySession.get(attended);
    if (surface === undefined) return undefined;
    const what = { kind: "secret", variable: question.variable } as const;
    const typed = await surface.spec.askSecret(question.prompt, what, signal);
    return typed === undefined || typed === "" ? "skipped" : new Secret(typed);
  }

  async askPerson(
    sessionKey: string | undefined,
    question: { readonly text: string; readonly choices: readonly string[] },
    signal: AbortSignal,
  ): Promise<PersonAnswer> {
    const surface = sessionKey === undefined ? undefined : this.#bySession.get(sessionKey);
    return (await surface?.spec.askPerson(question.text, question.choices, signal)) ?? { kind: "nobody" };
  }

  /** False when no such session is open, or it takes no words. */
  deliver(sessionKey: string | undefined, words: DeliveredWords): boolean {
    const surface = sessionKey === undefined ? undefined : this.#bySession.get(sessionKey);
    return surface?.spec.deliver(words) ?? false;
  }
}
