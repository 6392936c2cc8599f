import type { Logger } from "#foundation/files/logger";
import { type SessionScope, ToolFailure } from "#tools";
import type { ChildEntry } from "./child-result.ts";
import type { ChildRun } from "./child-run.ts";

/** A child that nobody waits for, and what it was told to do. */
export interface BackgroundChild {
  readonly run: ChildRun;
  readonly goal: string;
  /** Ends with its entry; never rejects. */
  work(): Promise<ChildEntry>;
  /** What it has read of strangers. */
  untrusted(): string | undefined;
}

/**
 * Children whose reports arrive later, as words that begin a turn of their own. They outlive the turn that started
 * them and end with the conversation.
 */
export class BackgroundChildren implements AsyncDisposable {
  readonly #scope: SessionScope;
  readonly #logger: Logger;
  readonly #running = new Map<ChildRun, Promise<void>>();
  #isClosed = false;

  constructor(scope: SessionScope, logger: Logger) {
    this.#scope = scope;
    this.#logger = logger;
  }

  /** Whether a report could arrive: somebody is there when a turn begins by itself. */
  get canReport(): boolean {
    return this.#scope.isAttended === true && !this.#isClosed;
  }

  /** Throws a `ToolFailure` when more than `most` would run at once; then none is started. */
  start(children: readonly BackgroundChild[], most: number): void {
    if (this.#running.size + children.length > most)
      throw new ToolFailure(
        `${this.#running.size} tasks run in the background already, and at most ${most} may (delegation.max_concurrent_children). None was started; wait for a report.`,
      );
    for (const child of children) {
      const ended = child.work().then((entry) => {
        this.#running.delete(child.run);
        if (!this.#isClosed) this.#report(child, entry);
      });
      this.#running.set(child.run, ended);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    for (const run of this.#running.keys()) run.interrupt();
    await Promise.all(this.#running.values());
  }

  #report({ run, goal, untrusted }: BackgroundChild, { status, summary, error }: ChildEntry): void {
    const text = [
      `[The background task ${run.id} has ended]`,
      `Task: ${goal}`,
      `Status: ${status}`,
      ...(error === null || error === undefined ? [] : [`Error: ${error}`]),
      "Report:",
      summary ?? "(none)",
    ].join("\n");
    const isTaken = this.#scope.deliver({ text, how: "queue", isVerbatim: true, untrusted: untrusted() });
    if (!isTaken) this.#logger.info("nobody takes the report of a background task", { child: run.id });
  }
}
